-- Chat (W4.2): SayToAll, SayToTeam, Mute, and how much a player may say; docs/hud.md says it in words.

local function enter(t, s, name)
	local c = t:client { name = name, options = "?name=" .. name }
	t:within(5, function() return s:controller(c) and c:controller() and c:controller().PlayerReplicationInfo ~= nil end)
	return c
end

-- What the player at a peer's machine was told by players: kind, name and text of each line.
local function heard(peer)
	return peer:eval [[
		local list = {}
		for _, message in ipairs(world:RecentMessages()) do
			if message.Kind == "chat" or message.Kind == "team" or message.Kind == "" then
				table.insert(list, message.Kind .. " " .. message.From .. ": " .. message.Text)
			end
		end
		return list
	]]
end

scenario("W4.2 what a player says reaches everybody with the name, and the HUD of each", function(t)
	local s = t:server { mode = "listen" }
	local a, b = enter(t, s, "Ann"), enter(t, s, "Bob")
	a:controller():SayToAll("hello all")
	t:within(1, function() return #heard(b) == 1 and #heard(a) == 1 end)
	t:eq({ heard(a), heard(b), heard(s) }, { { "chat Ann: hello all" }, { "chat Ann: hello all" }, { "chat Ann: hello all" } })
	local found = false
	for _, call in ipairs(b:canvas()) do found = found or call.text == "Ann: hello all" end
	t:ok(found)
	s:controller():SayToAll("from the host")
	t:within(1, function() return #heard(b) == 2 end)
end)

scenario("W4.2 what is said to the team stays in the team", function(t)
	local s = t:server { game = "TeamDeathMatch", level = "flat" }
	local a, b, c = enter(t, s, "Ann"), enter(t, s, "Bob"), enter(t, s, "Cleo")
	local team = s:controller(a).PlayerReplicationInfo.Team
	local mate = s:controller(b).PlayerReplicationInfo.Team == team and b or c
	local enemy = mate == b and c or b
	t:ne(s:controller(enemy).PlayerReplicationInfo.Team, team)
	a:controller():SayToTeam("flank left")
	t:within(1, function() return #heard(mate) == 1 end)
	t:run(0.3)
	t:eq({ heard(a), heard(mate), heard(enemy) }, { { "team Ann: flank left" }, { "team Ann: flank left" }, {} })
end)

scenario("W4.2 in a game without teams all hear what is said to the team", function(t)
	local s = t:server {}
	local a, b = enter(t, s, "Ann"), enter(t, s, "Bob")
	a:controller():SayToTeam("anybody?")
	t:within(1, function() return #heard(b) == 1 end)
	t:eq(heard(b), { "chat Ann: anybody?" })
end)

scenario("W4.2 who is muted is not heard by who muted, by others all the same, and again when unmuted", function(t)
	local s = t:server {}
	local a, b, c = enter(t, s, "Ann"), enter(t, s, "Bob"), enter(t, s, "Cleo")
	local ann = "for _, p in ipairs(world.GameState.PlayerArray) do if p.PlayerName == 'Ann' then world:ActorsOf('PlayerController')[1]:Mute(p, %s) end end"
	b:eval(ann:format("true"))
	t:run(0.2)
	a:controller():SayToAll("one")
	t:within(1, function() return #heard(c) == 1 end)
	t:run(0.2)
	t:eq(heard(b), {})
	b:eval(ann:format("false"))
	t:run(0.2)
	a:controller():SayToAll("two")
	t:within(1, function() return #heard(b) == 1 end)
	t:eq(heard(b), { "chat Ann: two" })
end)

scenario("W4.2 /mute and /unmute are not said but done, by the start of a name", function(t)
	local s = t:server {}
	local a, b, c = enter(t, s, "Ann"), enter(t, s, "Bob"), enter(t, s, "Bert")
	a:controller():SayToAll("/mute b")
	a:controller():SayToAll("/mute Ann")
	a:controller():SayToTeam("/mute bO")
	t:run(0.3)
	t:eq(heard(a), {
		' : /mute: there is no other player called "b"', ' : /mute: there is no other player called "Ann"',
		" : You hear no more of Bob; /unmute takes that back",
	})
	b:controller():SayToAll("one")
	t:within(1, function() return #heard(c) == 1 end)
	t:run(0.2)
	t:eq({ #heard(a), heard(c) }, { 3, { "chat Bob: one" } })
	a:controller():SayToAll("/unmute bob")
	t:run(0.2)
	b:controller():SayToAll("two")
	t:within(1, function() return heard(a)[5] == "chat Bob: two" end)
	a:controller():SayToAll("/dance")
	b:controller():SayToAll("three")
	t:within(1, function() return heard(c)[3] == "chat Bob: three" end)
	t:run(0.3)
	t:eq(#heard(b), 3, "other lines that begin with / are commands of the host, and not said")
end)

scenario("W4.2 who is muted stays so over travel, and where one comes back", function(t)
	local s = t:server { level = "flat" }
	local a, b = enter(t, s, "Ann"), enter(t, s, "Bob")
	a:controller():SayToAll("/mute Bob")
	t:run(0.3)
	s:eval("world:Travel('arena')")
	t:within(20, function() return a:controller() and b:controller() and #s:actors("PlayerController") == 2 and s:eval("return world.LevelName") == "arena" end)
	t:run(1)
	b:controller():SayToAll("one")
	t:within(1, function() return heard(b)[1] == "chat Bob: one" end)
	t:run(0.3)
	t:eq(heard(a), {})
	a:leave()
	t:run(0.3)
	a:join()
	t:within(5, function() return a:controller() and a:controller().PlayerReplicationInfo ~= nil end)
	b:controller():SayToAll("two")
	t:within(1, function() return heard(b)[2] == "chat Bob: two" end)
	t:run(0.3)
	t:eq(heard(a), {})
end)

scenario("W4.2 who says too much is told so once, and may speak again after a while", function(t)
	local s = t:server {}
	local a, b = enter(t, s, "Ann"), enter(t, s, "Bob")
	for i = 1, 9 do a:controller():SayToAll("line " .. i) end
	t:run(0.5)
	t:eq(#heard(b), 5)
	local own = heard(a)
	t:eq({ #own, own[6] }, { 6, " : You say too much. Wait 2 s." })
	t:run(2)
	a:controller():SayToAll("again")
	t:within(1, function() return #heard(b) == 6 end)
	t:eq(heard(b)[6], "chat Ann: again")
end)

for_each({
	{ "control characters are taken out", "a\27[31mb\nc", "a[31mb c" },
	{ "a long line is cut", ("x"):rep(240), ("x"):rep(200) },
}, function(case)
	scenario("W4.2 chat is one clean line: " .. case[1], function(t)
		local s = t:server {}
		local a, b = enter(t, s, "Ann"), enter(t, s, "Bob")
		a:controller():ServerSay(case[2], false) -- as a machine would that does not clean
		t:within(1, function() return #heard(b) == 1 end)
		t:eq(heard(b), { "chat Ann: " .. case[3] })
		a:controller():ServerSay(" \n\7 ", false)
		t:run(0.3)
		t:eq(#heard(b), 1, "nothing is nothing said")
	end)
end)

scenario("W4.2 a HUD may show messages in its own way", function(t)
	t:scripts [[
		local Own = class("Own", "HUD")
		function Own:Message(text, kind, from)
			self.came = kind .. "/" .. text .. "/" .. (from and from.PlayerName or "nobody")
		end
		local OwnGame = class("OwnGame", "GameInfo")
		OwnGame.defaults { HUDType = "Own" }
	]]
	local s = t:server { game = "OwnGame" }
	local a, b = enter(t, s, "Ann"), enter(t, s, "Bob")
	a:controller():SayToAll("hi")
	t:within(1, function() return b:controller().myHUD.came == "chat/hi/Ann" end)
	s:eval("world.Game:Broadcast('over', 'event')")
	t:within(1, function() return b:controller().myHUD.came == "event/over/nobody" end)
end)
