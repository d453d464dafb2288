-- The HUD (W4.1, docs/hud.md): who has one, when it draws, what a canvas takes.

-- A game with a HUD that counts its frames.
local counting = [[
	local Counter = class("Counter", "HUD")
	function Counter:DrawHUD(canvas)
		self.frames = (self.frames or 0) + 1
		canvas:Text(10, 20, "frame " .. self.frames, 30, "#ff0000", "center", "bottom-right")
	end
	local CountGame = class("CountGame", "GameInfo")
	CountGame.defaults { HUDType = "Counter" }
]]

-- The texts that the player at a peer sees, in the order in which they were drawn.
local function texts(peer)
	local list = {}
	for _, call in ipairs(peer:canvas()) do
		if call.kind == "text" then list[#list + 1] = call.text end
	end
	return list
end

local function shows(peer, text) return table.concat(texts(peer), "\n"):find(text, 1, true) ~= nil end

-- A client who is in and has a HUD.
local function enter(t, options)
	local c = t:client(options or {})
	t:within(5, function() return c:controller() and c:controller().myHUD ~= nil end)
	return c
end

scenario("W4.1 every player has the game's HUD at the own machine and nowhere else", function(t)
	t:scripts(counting)
	local s = t:server { game = "CountGame", mode = "listen" }
	local a, b = enter(t, { name = "a" }), enter(t, { name = "b" })
	t:eq({ #s:actors("HUD"), #a:actors("HUD"), #b:actors("HUD") }, { 1, 1, 1 })
	t:eq({ s:actors("Counter")[1].PlayerOwner:Is(s:controller()), a:actors("Counter")[1].PlayerOwner:Is(a:controller()) }, { true, true })
	t:no(s:controller(a).myHUD)
	t:no(s:copy(a:controller().myHUD), "a HUD does not cross")
	t:run(1)
	t:eq({ #s:actors("HUD"), #a:actors("HUD") }, { 1, 1 })
end)

scenario("W4.1 a dedicated server has no HUD, and neither has a bot", function(t)
	t:scripts(counting)
	local s = t:server { game = "CountGame", options = "?bots=2", level = "flat" }
	enter(t)
	t:eq(s:actors("HUD"), {})
	t:error(function() s:canvas() end, "a dedicated server has no local player")
end)

scenario("W4.1 DrawHUD runs once a tick, while somebody looks", function(t)
	t:scripts(counting)
	t:server { game = "CountGame" }
	local a = enter(t)
	t:run(0.5)
	t:no(a:controller().myHUD.frames, "nobody looks")
	t:eq(texts(a), { "frame 1" })
	local ticks = a.time
	t:run(1)
	ticks = math.floor((a.time - ticks) * 60 + 0.5)
	t:eq(texts(a), { "frame " .. 1 + ticks })
	t:eq(a:canvas()[1], {
		kind = "text", text = "frame " .. 1 + ticks, x = 10, y = 20, w = 0, h = 0, size = 30, color = "#ff0000", align = "center", anchor = "bottom-right",
	})
end)

scenario("W4.1 who comes late, comes back or goes along to another level has the game's HUD", function(t)
	t:scripts(counting)
	local s = t:server { game = "CountGame", level = "flat" }
	local a = enter(t, { name = "a" })
	t:run(2)
	local b = enter(t, { name = "b" })
	t:eq({ texts(a), texts(b) }, { { "frame 1" }, { "frame 1" } })
	b:leave()
	t:run(0.5)
	b:join()
	t:within(5, function() return b:controller() and b:controller().myHUD ~= nil and shows(b, "frame") end)
	t:eq(#b:actors("HUD"), 1)
	s:eval("world:Travel('flat?game=GameInfo')")
	t:within(5, function() return #a:actors("HUD") == 1 and #a:actors("Counter") == 0 end)
	t:within(5, function() return a:controller().myHUD ~= nil end)
	t:eq(a:actors("HUD")[1].PlayerOwner:Is(a:controller()), true)
	t:run(0.2)
	t:no(shows(a, "frame"))
end)

scenario("W4.1 the HUD follows a saved file, and a game that takes another one", function(t)
	t:scripts(counting)
	t:server { game = "CountGame" }
	local a = enter(t)
	t:eq(texts(a), { "frame 1" })
	t:reload((counting:gsub('"frame "', '"picture "')))
	t:within(1, function() return shows(a, "picture ") end)
	t:reload((counting:gsub('HUDType = "Counter"', 'HUDType = "Other"')) .. [[
		local Other = class("Other", "HUD")
		function Other:DrawHUD(canvas) canvas:Rect(0, 0, 10, 10) end
	]])
	t:within(1, function() return a:canvas()[1] and a:canvas()[1].kind == "rect" end)
	t:eq({ #a:actors("Counter"), #a:actors("Other") }, { 0, 1 })
end)

scenario("W4.1 an error in DrawHUD is told once; what was drawn before it is shown, and the match goes on", function(t)
	t:scripts [[
		local Broken = class("Broken", "HUD")
		function Broken:DrawHUD(canvas)
			canvas:Text(0, 0, "before")
			error("no more")
		end
		local BrokenGame = class("BrokenGame", "GameInfo")
		BrokenGame.defaults { HUDType = "Broken" }
	]]
	t:server { game = "BrokenGame" }
	local a = enter(t)
	t:expect_error("no more")
	t:eq(texts(a), { "before" })
	t:run(0.05)
	t:ok(a:pawn())
end)

for_each({
	{ "an anchor", 'canvas:Rect(0, 0, 1, 1, "#ffffff", "topleft")', "Rect: argument 6 %(anchor%): expected one of top%-left, top" },
	{ "a color", 'canvas:Rect(0, 0, 1, 1, "red")', 'Rect: argument 5 %(color%): expected a color, "#rrggbb" or "#rrggbbaa"' },
	{ "a number", "canvas:Line(0, 0, 0 / 0, 1)", "Line: argument 3 %(x2%): expected a finite number" },
	{ "an icon", 'canvas:Icon(0, 0, 10, some("hearth"))', 'there is no icon "hearth"; did you mean "?health' },
	{ "an image", 'canvas:Image(0, 0, 10, 10, "logo.png")', 'expected an image of content, as "images/name.png"' },
	{ "a text", "canvas:Text(0, 0, some {})", "Text: argument 3 %(text%): expected a string or a number" },
	{ "a member", "canvas[some('Circle')](canvas, 1)", "a canvas has no member Circle" },
	{ "a place to write", "rawequal(canvas, nil) self.kept = canvas self.kept.SizeX = 3", "canvas.SizeX cannot be assigned" },
}, function(case)
	scenario("W4.1 a canvas wants " .. case[1], function(t)
		t:scripts(([[
			local Wrong = class("Wrong", "HUD")
			local function some(x) return x end -- not known before it runs
			function Wrong:DrawHUD(canvas) %s end
			local WrongGame = class("WrongGame", "GameInfo")
			WrongGame.defaults { HUDType = "Wrong" }
		]]):format(case[2]))
		t:server { game = "WrongGame" }
		local a = enter(t)
		t:expect_error(case[3])
		a:canvas()
	end)
end)

scenario("W4.1 a canvas is drawn on in DrawHUD only", function(t)
	t:scripts [[
		local Keeper = class("Keeper", "HUD")
		function Keeper:DrawHUD(canvas)
			self.kept = canvas
			canvas:Text(0, 0, canvas.SizeX .. " by " .. canvas.SizeY)
		end
		function Keeper:Late() self.kept:Text(0, 0, "late") end
		local KeepGame = class("KeepGame", "GameInfo")
		KeepGame.defaults { HUDType = "Keeper" }
	]]
	t:server { game = "KeepGame" }
	local a = enter(t)
	t:eq(texts(a), { "1920 by 1080" })
	t:expect_error("Text: a canvas is drawn on in DrawHUD only, while that runs")
	a:controller().myHUD:Late()
end)

scenario("W4.1 a frame is bounded, and what was left out is told once", function(t)
	t:scripts [[
		local Much = class("Much", "HUD")
		function Much:DrawHUD(canvas) for i = 1, 600 do canvas:Rect(i, 0, 1, 1) end end
		local Long = class("Long", "HUD")
		function Long:DrawHUD(canvas) for i = 1, 40 do canvas:Text(0, i, ("x"):rep(500)) end end
		local MuchGame = class("MuchGame", "GameInfo")
		MuchGame.defaults { HUDType = "Much" }
	]]
	local s = t:server { game = "MuchGame" }
	local a = enter(t)
	t:eq(#a:canvas(), 512)
	t:run(0.5)
	s:controller(a):ClientSetHUD("Long")
	t:within(1, function() return #a:canvas() == 32 end) -- 16 384 bytes
	local told = 0
	for _, line in ipairs(a:log()) do
		told = told + (line:find("more than 512 calls in a frame", 1, true) and 1 or 0)
	end
	t:eq(told, 1)
end)

scenario("W4.1 the sample's HUD shows health, armour, ammunition, the clock and who comes back when", function(t)
	local s = t:server { game = "DeathMatch", level = "flat" }
	local a = enter(t, { name = "Ann" })
	t:within(5, function() return a:pawn() and a:pawn().Weapon and s:pawn(a) end)
	t:run(1)
	t:ok(shows(a, "100"))
	t:ok(shows(a, "14:5"), "the clock")
	t:ok(shows(a, a:pawn().Weapon.ItemName))
	s:pawn(a).Armour = 55
	t:within(1, function() return shows(a, "55") end)
	t:no(shows(a, "deaths"))
	a:input { Scores = true }
	t:run(0.1)
	t:ok(shows(a, "deaths") and shows(a, "Ann"), "the table of scores while its key is held")
	a:input { Scores = false }
	t:run(0.1)
	t:no(shows(a, "deaths"))
	s:eval("world:ActorsOf('ShooterPawn')[1]:TakeDamage(500, nil, vector(), vector(), 'rocket')")
	t:within(1, function() return shows(a, "You come back in 3 s") end)
	t:ok(shows(a, "a stray rocket got Ann"), "the kill feed")
	t:within(4, function() return a:pawn() and shows(a, "100") end)
end)

scenario("W4.1 the sample's table of scores has each team with its players below, the leading one first", function(t)
	local s = t:server { game = "TeamDeathMatch", level = "flat" }
	local list = {}
	for _, name in ipairs { "Ann", "Bob", "Cid", "Dan" } do table.insert(list, (enter(t, { name = name }))) end
	t:within(5, function() return s:pawn(list[4]) and #s:actors("PlayerReplicationInfo") == 4 end)
	local state = s:eval("return world.GameState")
	s:eval('world.GameState.TeamScores[2] = 37')
	local a = list[1]
	a:input { Scores = true }
	t:within(2, function() return shows(a, "deaths") and shows(a, "37") end)
	local teamOf = {}
	for _, player in ipairs(s:actors("PlayerReplicationInfo")) do
		teamOf[player.PlayerName] = player.Team + 1
	end
	local names, at = { [state.TeamNames[1]] = 1, [state.TeamNames[2]] = 2 }, {}
	for _, call in ipairs(a:canvas()) do
		local side, team = names[call.text], teamOf[call.text]
		if call.kind == "text" and call.align == "left" and call.anchor == "center" and (side or team) then
			table.insert(at, { y = call.y, side = side, team = team })
		end
	end
	table.sort(at, function(x, y) return x.y < y.y end)
	local seen = {}
	for _, row in ipairs(at) do table.insert(seen, row.side and "side " .. row.side or row.team) end
	t:eq(seen, { "side 2", 2, 2, "side 1", 1, 1 })
end)

scenario("W4.1 who hits somebody sees a mark", function(t)
	local s = t:server { game = "DeathMatch", level = "flat" }
	local a, b = enter(t, { name = "Ann" }), enter(t, { name = "Bob" })
	t:within(5, function() return a:pawn() and b:pawn() and s:pawn(a) and s:pawn(b) end)
	local function lines()
		local n = 0
		for _, call in ipairs(a:canvas()) do n = n + (call.kind == "line" and 1 or 0) end
		return n
	end
	t:eq(lines(), 4)
	s:pawn(b):TakeDamage(10, s:pawn(a), vector(), vector(), "rifle")
	t:within(1, function() return lines() == 8 end)
	t:within(1, function() return lines() == 4 end)
end)
