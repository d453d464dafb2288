-- Section 8 of the rules: travel to another level with the players, R8.7.

local net = require("shared.net")
local join, players, holds = net.join, net.players, net.holds

-- A client that goes by a name in the game, too.
local function named(name, link)
	local o = { name = name, options = "?name=" .. name }
	for k, v in pairs(link or {}) do o[k] = v end
	return o
end

-- Goes to a level and waits until all clients are there, with their pawns.
local function travel(t, s, url, ...)
	local list = { ... }
	local old = s:eval("return world.Game")
	s:eval("world:Travel('" .. url .. "')")
	local level = url:match("^[^?]*")
	t:within(8, function()
		if old.alive then return false end
		if level ~= "" and s:eval("return world.LevelName") ~= level then return false end
		for _, c in ipairs(list) do
			local there = s:controller(c) and c:controller() and c:copy(s:controller(c)) == c:controller()
			if not there or not c:pawn() or level ~= "" and c:eval("return world.LevelName") ~= level then
				return false
			end
		end
		return true
	end)
end

local BAD = { lag = 0.05, jitter = 0.02, loss = 0.1, dup = 0.1, reorder = 0.2 }

scenario("R8.7 players travel: connections stay, their PlayerStates go along, the old world is gone", { seeds = 5 }, function(t)
	local s, a, b = net.start(t, {}, named("Ann", BAD), named("Bob", BAD))
	t:within(5, function() return #players(a) == 2 and #players(b) == 2 and a:pawn() end)
	local before = {}
	for _, c in ipairs { a, b } do
		local p = s:controller(c).PlayerReplicationInfo
		before[c] = { p.PlayerName, p.PlayerID, p.UniqueId }
	end
	local old, copy = s:pawn(a), a:pawn()
	travel(t, s, "steps", a, b)
	t:no(old.alive)
	t:no(copy.alive)
	t:within(5, function() return #players(a) == 2 and #players(b) == 2 end)
	for _, c in ipairs { a, b } do
		local p = s:controller(c).PlayerReplicationInfo
		t:eq({ p.PlayerName, p.PlayerID, p.UniqueId }, before[c])
		t:eq({ c.error, #c:actors("PlayerController"), #c:actors("GameReplicationInfo") }, { nil, 1, 1 })
		t:within(3, function() return #c:actors("Character") == 2 end)
	end
	t:eq(players(s), players(a))
	t:eq(s:eval("return world.Game").NumPlayers, 2)
	t:eq(#s:actors("Character"), 2)
end)

scenario("R8.7 what the game says of a player goes along; the next game's rules and options hold", function(t)
	t:scripts [[
		local Saga = class("Saga", "GameInfo")
		function Saga:GetSeamlessTravelState(controller)
			local state = Saga.super.GetSeamlessTravelState(self, controller)
			state.Health = controller.Pawn and controller.Pawn.Health
			state.Bag = { "rope", "lamp", n = 2, Place = vector(1, 2, 3) }
			return state
		end
		local Sequel = class("Sequel", "Saga")
		function Sequel:HandleSeamlessTravelPlayer(state, options)
			local controller = Sequel.super.HandleSeamlessTravelPlayer(self, state, options)
			controller.brought = state
			return controller
		end
		function Sequel:PostLogin(pc)
			self.notes = (self.notes or "") .. "PostLogin "
			Sequel.super.PostLogin(self, pc)
		end
		function Sequel:PreLogin(options, address)
			self.notes = (self.notes or "") .. "PreLogin "
			return Sequel.super.PreLogin(self, options, address)
		end
	]]
	local s, a = net.start(t, { game = "Saga", options = "?maxplayers=5?password=sesame" }, { name = "a", options = "?name=Ann?password=sesame" })
	s:pawn(a).Health = 37
	travel(t, s, "wall?game=Sequel?maxplayers=6", a)
	local game = s:eval("return world.Game")
	t:eq({ game:GetClass(), game.MaxPlayers, game.Password }, { "Sequel", 6, "sesame" })
	t:eq(game.notes, "PostLogin ")
	holds(t, s:controller(a).brought, { Health = 37, Bag = { "rope", "lamp", n = 2, Place = vector(1, 2, 3) } })
	t:within(1, function() return a:eval("return world.GameState and world.GameState.GameClass") == "Sequel" end)
	travel(t, s, "?maxplayers=7", a) -- the same level again
	t:eq(s:eval("return world.LevelName"), "wall")
	t:eq({ s:eval("return world.Game"):GetClass(), s:eval("return world.Game").MaxPlayers }, { "Sequel", 7 })
end)

for_each({ { false, 0 }, { true, 5 } }, function(case)
	scenario("R8.7 scores go along if the game wants: " .. tostring(case[1]), function(t)
		t:scripts [[
			local Cup = class("Cup", "GameInfo")
			Cup.defaults { bKeepScores = true }
		]]
		local s, a = net.start(t, { game = case[1] and "Cup" or "GameInfo" }, named("Ann"))
		s:controller(a).PlayerReplicationInfo.Score = 5
		travel(t, s, "steps", a)
		t:eq(s:controller(a).PlayerReplicationInfo.Score, case[2])
		t:within(2, function()
			local p = a:controller().PlayerReplicationInfo
			return p and p.Score == case[2] and p.PlayerName == "Ann"
		end)
	end)
end)

scenario("R8.7 teams, spectators and bots go along", function(t)
	local s, a = net.start(t, { game = "TeamGame", options = "?bots=2" }, named("Ann"))
	local b = t:client{ name = "Bob", options = "?name=Bob?spectator=1" }
	t:within(3, function() return s:controller(b) and b:pawn() end)
	local team = s:controller(a).PlayerReplicationInfo.Team
	local function bots()
		local names = {}
		for i, bot in ipairs(s:actors("AIController")) do names[i] = bot.PlayerReplicationInfo.PlayerName end
		table.sort(names)
		return names
	end
	local before = bots()
	travel(t, s, "steps", a, b)
	t:eq({ bots(), #before, s:controller(a).PlayerReplicationInfo.Team }, { before, 2, team })
	t:ok(s:controller(b).PlayerReplicationInfo.bIsSpectator)
	t:eq(s:pawn(b):GetClass(), "SpectatorPawn")
	local game = s:eval("return world.Game")
	t:eq({ game.NumPlayers, game.NumSpectators, game.NumBots }, { 1, 1, 2 })
	t:within(3, function() return #players(a) == 4 and #players(b) == 4 end)
	for _, bot in ipairs(s:actors("AIController")) do t:ok(bot.Pawn) end
	local c = join(t, s, named("Cid"))
	local ids = {}
	for _, p in ipairs(s:actors("PlayerReplicationInfo")) do
		t:eq(ids[p.PlayerID], nil, "two players have one number")
		ids[p.PlayerID] = true
	end
	t:ok(c:pawn() or true)
end)

scenario("R8.3 who is banned is so in the next level, too", function(t)
	t:scripts [[
		local Strict = class("Strict", "GameInfo")
		function Strict:PreLogin(options, address)
			self.address = address
			return Strict.super.PreLogin(self, options, address)
		end
	]]
	local s, a = net.start(t, { game = "Strict" }, named("Ann"))
	local game = s:eval("return world.Game")
	game:BanAddress(game.address)
	travel(t, s, "steps", a)
	local b = t:client(named("Bob"))
	t:within(3, function() return b.error end)
	t:eq(b.error_code, "banned")
end)

scenario("R8.7 Logout is for who leaves, not for who travels", function(t)
	t:scripts [[
		local Log = class("Log", "GameInfo")
		function Log:Logout(pc)
			log("LOGOUT " .. pc.PlayerReplicationInfo.PlayerName)
			self.gone = (self.gone or 0) + 1
			Log.super.Logout(self, pc)
		end
	]]
	local s, a, b = net.start(t, { game = "Log" }, named("Ann"), named("Bob"))
	local old = s:eval("return world.Game")
	t:ok(old.alive)
	travel(t, s, "steps", a, b)
	t:eq(s:eval("return world.Game").gone, nil)
	b:leave()
	t:within(2, function() return s:eval("return world.Game").gone == 1 end)
	t:eq(s:eval("return world.Game").NumPlayers, 1)
end)

for_each({ "nowhere", "flat?game=NoSuchGame", "flat?maxplayers=many" }, function(url)
	scenario("R8.7 a travel that fails leaves the match where it was: " .. url, function(t)
		t:scripts [[
			local Firm = class("Firm", "GameInfo")
			function Firm:TravelFailed(url, why)
				self.failed = url .. ": " .. why
				Firm.super.TravelFailed(self, url, why)
			end
		]]
		local s, a = net.start(t, { game = "Firm" }, named("Ann"))
		t:within(2, function() return a:pawn() end)
		local pawn, copy = s:pawn(a), a:pawn()
		s:eval("world:Travel('" .. url .. "')")
		t:run(1)
		t:ok(pawn.alive)
		t:ok(copy.alive)
		t:match(s:eval("return world.Game").failed, "^" .. url:gsub("%?", "%%?") .. ": ")
		t:match(table.concat(s:log(), "\n"), "travel to " .. url:gsub("%?", "%%?") .. " failed")
		a:input{ forward = 1, yaw = 0 }
		t:within(2, function() return s:pawn(a).Location.X > 100 end)
		t:eq(a.error, nil)
	end)
end)

scenario("R8.7 after a match, when the next level is missing, the same is played again", function(t)
	local s, a = net.start(t, { options = "?timelimit=0.01?postmatch=1?next=nowhere" }, named("Ann"))
	local old = s:controller(a)
	t:within(8, function() return not old.alive and s:controller(a) and a:pawn() end)
	t:eq(s:eval("return world.LevelName"), "flat")
	t:eq(s:eval("return world.GameState").MatchState, "InProgress")
end)

-- A game that no match can be opened of while it is broken: it stands for a level, a sound or a script with an error.
local function brittle(broken)
	return [[
		local Brittle = class("Brittle", "GameInfo")
		function Brittle:InitGame(options)
			Brittle.super.InitGame(self, options)
			]] .. (broken and 'return "content is broken"' or "") .. [[

		end
	]]
end

for_each({ "", "?next=wall" }, function(next)
	scenario("R8.7 after a match that nothing can follow, the next is tried again until it can be opened " .. next, function(t)
		t:scripts(brittle(false))
		local s, a = net.start(t, { game = "Brittle", options = "?timelimit=0.02?postmatch=1" .. next }, named("Ann"))
		local old = s:controller(a)
		t:reload(brittle(true))
		t:run(5)
		local state = s:eval("return world.GameState")
		t:eq(state.MatchState, "WaitingPostMatch")
		t:ok(old.alive)
		t:always(20, function() return state.MatchStateEnds > s.time - 0.1 end) -- the players see when
		t:lt(#s:log(), 20)
		t:reload(brittle(false))
		t:within(45, function() return not old.alive and s:controller(a) and a:pawn() end)
		t:eq(s:eval("return world.LevelName"), next == "" and "flat" or "wall")
		t:eq(a.error, nil)
	end)
end)

scenario("R8.7 levels take turns: ?maps=", function(t)
	local _, a = net.start(t, { options = "?timelimit=0.02?postmatch=0.5?maps=flat,wall,steps" }, named("Ann"))
	for _, level in ipairs { "wall", "steps", "flat" } do
		t:within(6, function() return a:eval("return world.LevelName") == level end)
	end
end)

scenario("R8.7 a client that travels cannot make the server do so", function(t)
	local s, a = net.start(t, {}, named("Ann"))
	t:expect_error("only the server travels")
	a:eval("pcall(function() world:Travel('wall') end) world:Travel('wall')")
	t:run(0.5)
	t:eq(s:eval("return world.LevelName"), "flat")
end)

scenario("R8.1 the start URL's scale is the level's on every peer, stays with it, and goes no further", function(t)
	t:error(function() t:server{ options = "?scale=0" } end, "scale=0: expected a number from")
	local s, a = net.start(t, { level = "wall", options = "?scale=2" }, named("Ann"))
	local function wall(peer) -- where the wall begins that stands at 500 map units
		local hit = peer:eval("return (world:ActorsOf('PlayerController')[1]:Trace(vector(0, 0, 100), vector(3000, 0, 100)) or {}).Location")
		return hit and hit.X
	end
	t:eq({ wall(s), wall(a) }, { 1000, 1000 })
	travel(t, s, "wall", a)
	t:eq({ wall(s), wall(a) }, { 1000, 1000 })
	travel(t, s, "wall?scale=0.5", a)
	t:eq({ wall(s), wall(a) }, { 250, 250 })
	travel(t, s, "flat", a)
	travel(t, s, "wall", a)
	t:eq({ wall(s), wall(a) }, { 500, 500 })
end)

-- Odd moments

scenario("R8.7 a player who joins while the others travel gets in", { seeds = 5 }, function(t)
	local s, a = net.start(t, {}, named("Ann", BAD))
	local b = t:client(named("Bob", BAD))
	t:run(0.06)
	s:eval("world:Travel('steps')")
	t:run(0.06)
	local c = t:client(named("Cid", BAD))
	t:within(8, function()
		for _, p in ipairs { a, b, c } do
			if not s:controller(p) or not p:pawn() or p:eval("return world.LevelName") ~= "steps" then return false end
		end
		return true
	end)
	t:eq(s:eval("return world.Game").NumPlayers, 3)
	t:within(3, function() return #players(a) == 3 and #players(b) == 3 and #players(c) == 3 end)
end)

scenario("R8.7 who is silent on the way is gone, and may come back to what he had", { transport = "sim" }, function(t)
	local s, a, b = net.start(t, { config = { idle_time = 2 } }, named("Ann"), named("Bob"))
	local id = s:controller(a).PlayerReplicationInfo.PlayerID
	s:eval("world:Travel('steps')")
	a:kill()
	t:run(4)
	t:eq(players(s), { "Bob" })
	t:eq(s:eval("return world.Game").NumPlayers, 1)
	a:join()
	t:within(5, function() return s:controller(a) and a:pawn() end)
	t:eq(s:controller(a).PlayerReplicationInfo.PlayerID, id)
	t:ok(b:pawn())
end)

scenario("R8.8 who comes back while his old connection is on its way arrives in its place", function(t)
	local s, a = net.start(t, {}, named("Ann"))
	local b = join(t, s, named("Bob"))
	local id = s:controller(a).PlayerReplicationInfo.PlayerID
	s:eval("world:Travel('steps')")
	t:run(0.02)
	a:kill()
	t:run(0.2)
	a:join()
	t:within(5, function() return s:controller(a) and a:pawn() end)
	t:eq(s:controller(a).PlayerReplicationInfo.PlayerID, id)
	t:within(3, function() return #players(b) == 2 end)
	t:eq(s:eval("return world.Game").NumPlayers, 2)
end)

scenario("R8.7 a listen server travels with both of its players", function(t)
	local s, a = net.start(t, { mode = "listen", options = "?name=Host" }, named("Ann"))
	travel(t, s, "steps", a)
	t:within(3, function() return #players(a) == 2 end)
	local list = players(s)
	table.sort(list)
	t:eq(list, { "Ann", "Host" })
	t:ok(s:pawn())
	t:eq(s:eval("return world.Game").NumPlayers, 2)
end)

scenario("R8.8 who left before a travel finds what he had after it", function(t)
	t:scripts [[
		local Cup = class("Cup", "GameInfo")
		Cup.defaults { bKeepScores = true }
	]]
	local s, a, b = net.start(t, { game = "Cup" }, named("Ann"), named("Bob"))
	local p = s:controller(a).PlayerReplicationInfo
	p.Score = 9
	local id = p.PlayerID
	a:leave()
	t:within(2, function() return s:eval("return world.Game").NumPlayers == 1 end)
	travel(t, s, "steps", b)
	a:join()
	t:within(5, function() return s:controller(a) end)
	t:eq({ s:controller(a).PlayerReplicationInfo.Score, s:controller(a).PlayerReplicationInfo.PlayerID }, { 9, id })
end)

-- A game with a player at the server's own machine, and one alone.

for_each({ "standalone", "listen" }, function(mode)
	scenario("R8.7 the player at the server's own machine travels, too: " .. mode, function(t)
		local s = t:server{ mode = mode, options = "?name=Host?bots=1" }
		local p = s:controller().PlayerReplicationInfo
		local id, old = p.PlayerID, s:controller()
		s:input{ forward = 1 }
		s:eval("world:Travel('steps')")
		t:within(3, function() return not old.alive and s:controller() and s:pawn() end)
		t:eq(s:eval("return world.LevelName"), "steps")
		t:eq({ s:controller().PlayerReplicationInfo.PlayerName, s:controller().PlayerReplicationInfo.PlayerID }, { "Host", id })
		t:eq(s:eval("return world.Game").NumPlayers, 1)
		t:eq(s:eval("return world.Game").NumBots, 1)
		t:eq(#s:actors("PlayerController"), 1)
		s:input{ forward = 1, yaw = 0 }
		local from = s:pawn().Location
		t:within(3, function() return s:pawn().Location:Distance(from) > 100 end)
	end)
end)
