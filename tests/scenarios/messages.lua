-- W4.2: lines of text for players. ClientMessage is for one, GameInfo.Broadcast for all; docs/match.md says it in words.

local net = require("shared.net")

-- A server and clients who are in.
local function stage(t, options, ...) return net.start(t, options, ...) end

-- What the player at a peer's machine was told: kind and text of each line.
local function told(peer)
	return peer:eval [[
		local list = {}
		for i, message in ipairs(world:RecentMessages()) do list[i] = message.Kind .. ": " .. message.Text end
		return list
	]]
end

scenario("W4.2 a message reaches its player and nobody else, with its kind", function(t)
	local s, a, b = stage(t, nil, { name = "Ann" }, { name = "Bob" })
	s:controller(a):ClientMessage("Bring it home", "event")
	s:controller(a):ClientMessage("No kind")
	t:within(1, function() return #told(a) == 2 end)
	t:eq({ told(a), told(b), told(s) }, { { "event: Bring it home", ": No kind" }, {}, {} })
end)

scenario("W4.2 a broadcast reaches every player, who only watches included", function(t)
	local s, a, b = stage(t, { mode = "listen" }, { name = "Ann" }, { name = "Eve", options = "?spectator=1" })
	s:eval([[return world.Game:Broadcast("Overtime", "event")]])
	t:within(1, function() return #told(a) == 1 and #told(b) == 1 end)
	t:eq({ told(a), told(b), told(s) }, { { "event: Overtime" }, { "event: Overtime" }, { "event: Overtime" } })
	local c = t:client{ name = "Late" }
	t:within(5, function() return c:controller() end)
	t:run(0.5)
	t:eq(told(c), {}, "what was said before a player came is not said again")
end)

scenario("W4.2 a player alone in a world is told, too", function(t)
	local s = t:server{ mode = "standalone" }
	s:eval([[world.Game:Broadcast("Hello")]])
	t:eq(told(s), { ": Hello" })
end)

scenario("W4.2 messages arrive once and in order, whatever the network loses", { seeds = 5 }, function(t)
	local s, a = stage(t, nil, { name = "Ann", lag = 0.05, jitter = 0.03, loss = 0.2, dup = 0.1, reorder = 0.2 })
	local want = {}
	for i = 1, 12 do
		s:eval(("world.Game:Broadcast('line %d', 'kill')"):format(i))
		want[i] = "kill: line " .. i
		t:run(0.05)
	end
	t:within(5, function() return #told(a) == 12 end)
	t:eq(told(a), want)
end)

for_each({
	{ "control characters", "one\27[2Jtwo\7", "one[2Jtwo" },
	{ "lines", "one\r\n\ttwo", "one two" },
	{ "what turns the direction of writing", "one\226\128\174two", "onetwo" },
	{ "a long one at a whole character", ("é"):rep(200), ("é"):rep(127) },
}, function(case)
	scenario("W4.2 a broadcast is one clean line: " .. case[1], function(t)
		t:scripts [[
			local Ear = class("Ear", "PlayerController")
			function Ear.client.reliable:ClientMessage(text, kind)
				self.came = text
				Ear.super.ClientMessage(self, text, kind)
			end
			local Ears = class("Ears", "GameInfo")
			Ears.defaults { PlayerControllerClass = "Ear" }
		]]
		local s, a = stage(t, { game = "Ears" }, { name = "Ann" })
		s:eval(("world.Game:Broadcast(%q)"):format(case[2]))
		t:within(1, function() return #told(a) == 1 end)
		t:eq(a:controller().came, case[3], "it crosses clean")
		t:eq(told(a), { ": " .. case[3] })
	end)
end)

scenario("W4.2 a message that the server did not clean is clean where it is shown", function(t)
	local s, a = stage(t, nil, { name = "Ann" })
	s:controller(a):ClientMessage("one\27[2Jtwo\n", "ki\27ll")
	t:within(1, function() return #told(a) == 1 end)
	t:eq(told(a), { "kill: one[2Jtwo" })
	t:expect_error("expected a string of at most 255 bytes, got 256")
	s:controller(a):ClientMessage(("x"):rep(256))
end)

scenario("W4.2 a class may change what its players are shown", function(t)
	t:scripts [[
		local Loud = class("Loud", "PlayerController")
		function Loud.client.reliable:ClientMessage(text, kind)
			if kind ~= "chat" then Loud.super.ClientMessage(self, text:upper(), kind) end
		end
		local Fair = class("Fair", "GameInfo")
		Fair.defaults { PlayerControllerClass = "Loud" }
	]]
	local s, a = stage(t, { game = "Fair", mode = "listen" }, { name = "Ann" })
	s:eval([[world.Game:Broadcast("hidden", "chat") world.Game:Broadcast("shown")]])
	t:within(1, function() return #told(a) == 1 end)
	t:eq({ told(a), told(s) }, { { ": SHOWN" }, { ": SHOWN" } })
end)

scenario("W4.2 many broadcasts in a tick neither flood players nor hold up those of another kind", function(t)
	t:scripts [[
		local Chatty = class("Chatty", "GameInfo")
		Chatty.properties { Kind = "", Count = int(0) }
		function Chatty:BroadcastsDropped(kind, count)
			self.Kind, self.Count = kind, count
			Chatty.super.BroadcastsDropped(self, kind, count)
		end
	]]
	local s, a, b = stage(t, { game = "Chatty" }, { name = "Ann" }, { name = "Bob", lag = 0.2 })
	local before = t:traffic(a).total.bytes
	t:eq(s:eval([[
		local sent = 0
		for i = 1, 500 do
			sent = sent + (world.Game:Broadcast("kill " .. i .. (" "):rep(20) .. ("x"):rep(200), "kill") and 1 or 0)
		end
		return sent
	]]), 16)
	t:ok(s:eval([[return world.Game:Broadcast("the match is over", "event")]]))
	t:within(1, function() return #told(a) == 17 end)
	t:within(1, function() return #told(b) == 17 end)
	t:eq(told(a)[17], "event: the match is over")
	t:lt(t:traffic(a).total.bytes - before, 8000)
	t:run(3)
	local game = s:eval("return world.Game")
	t:eq(game.Count, 0)
	t:ok(s:eval([[return world.Game:Broadcast("later", "kill")]]))
	t:eq({ game.Kind, game.Count }, { "kill", 484 })
end)

scenario("W4.2 broadcasts may go on at their rate", function(t)
	t:scripts [[
		local Terse = class("Terse", "GameInfo")
		Terse.defaults { BroadcastBurst = 2, BroadcastRate = 4 }
	]]
	local s = t:server{ game = "Terse" }
	local sent = 0
	for _ = 1, 100 do -- 5 s
		sent = sent + (s:eval([[return world.Game:Broadcast("x")]]) and 1 or 0)
		t:run(0.05)
	end
	t:ge(sent, 20)
	t:le(sent, 23)
end)

-- Kills one player's pawn by another's.
local function kill(s, killer, victim, kind)
	s:pawn(victim):TakeDamage(1000, s:pawn(killer), vector(), vector(), kind)
end

scenario("W4.2 the sample tells every player who killed whom, and with what", function(t)
	local s, a, b = stage(t, { level = "flat", game = "DeathMatch", mode = "listen" }, { name = "Ann" }, { name = "Ann killed Bob" })
	t:within(2, function() return s:pawn(a) and s:pawn(b) end)
	t:run(1)
	t:match(told(a)[1], "^event: DeathMatch on flat")
	kill(s, a, b, "rocket")
	t:run(0.5)
	local line = 'kill: Ann blew up "Ann killed Bob" (1 : 0)'
	for _, peer in ipairs { a, b, s } do
		local list = told(peer)
		t:eq(list[#list], line)
	end
end)

for_each({
	{ "by nobody", nil, "fell", "the depth took Ann" },
	{ "by themselves", true, "rocket", "Ann stood too near their own rocket" },
	{ "by themselves, of a kind without words", true, "poison", "Ann died by their own hand" },
	{ "by something without a kind", nil, nil, "Ann was killed" },
	{ "of a kind without words", false, "poison", "Bob's poison killed Ann (1 : 0)" },
	{ "by another without a kind", false, nil, "Bob killed Ann (1 : 0)" },
}, function(case)
	scenario("W4.2 the sample has words for a death " .. case[1], function(t)
		local s, a, b = stage(t, { level = "flat", game = "DeathMatch" }, { name = "Ann" }, { name = "Bob" })
		t:within(2, function() return s:pawn(a) and s:pawn(b) end)
		local by
		if case[2] ~= nil then by = s:pawn(case[2] and a or b) end
		s:pawn(a):TakeDamage(1000, by, vector(), vector(), case[3])
		t:run(0.3)
		local list = told(b)
		t:eq(list[#list], "kill: " .. case[4])
	end)
end)

for_each({
	{ "DeathMatch", "the match is over %(test%): Ann wins with 3, then Bob 1%.$" },
	{ "TeamDeathMatch", "the match is over %(test%): flood wins 5 : 2%. Best Ann 3, Bob 1%.$", { 2, 5 } },
	{ "TeamDeathMatch", "the match is over %(test%): a draw, 2 : 2%. Best Ann 3, Bob 1%.$", { 2, 2 } },
}, function(case)
	scenario("W4.2 the sample tells every player how the match ended: " .. case[2], function(t)
		local s, a, b = stage(t, { level = "flat", game = case[1], options = "?postmatch=30" }, { name = "Ann" }, { name = "Bob" })
		t:run(1)
		s:controller(a).PlayerReplicationInfo.Score = 3
		s:controller(b).PlayerReplicationInfo.Score = 1
		for team, score in ipairs(case[3] or {}) do
			s:eval(("world.GameState.TeamScores[%d] = %d"):format(team, score))
		end
		s:eval([[world.Game:EndMatch("test")]])
		t:run(0.5)
		local list = told(b)
		t:match(list[#list], "^event: " .. case[2])
	end)
end)

scenario("W4.1 a dead player knows when the next life comes", function(t)
	local s, a, b = stage(t, { level = "flat", game = "DeathMatch" }, { name = "Ann" }, { name = "Bob" })
	t:within(2, function() return s:pawn(a) and s:pawn(b) end)
	t:eq(a:controller().RespawnTime, 0)
	local died = s:eval("return world.TimeSeconds")
	kill(s, b, a, "rifle")
	t:within(0.5, function() return a:controller().RespawnTime > 0 end)
	t:near(a:controller().RespawnTime, died + 3, 0.05)
	t:eq(b:controller().RespawnTime, 0)
	t:within(4, function() return s:pawn(a) and a:pawn() and a:controller().RespawnTime == 0 end)
end)

scenario("W4.1 players know the names of the teams", function(t)
	local _, a = stage(t, { level = "flat", game = "TeamDeathMatch" }, { name = "Ann" })
	t:eq(a:eval([[
		local names = {}
		for i = 1, 4 do names[i] = world.GameState.TeamNames[i] end
		return names
	]]), { "ebb", "flood", "", "" })
end)
