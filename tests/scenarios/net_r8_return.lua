-- Section 8 of the rules: who falls silent is gone, and who comes back within the grace time has what they had, R8.8.

local net = require("shared.net")
local join, players = net.join, net.players

-- A client that goes by a name in the game, too.
local function named(name, more)
	local o = { name = name, options = "?name=" .. name }
	for k, v in pairs(more or {}) do o[k] = v end
	return o
end

-- The PlayerState of a client, on the server.
local function state(s, c) return s:controller(c).PlayerReplicationInfo end

-- Comes back, and is in.
local function back(t, s, c)
	c:join()
	t:within(8, function() return s:controller(c) and c:controller() end)
	return state(s, c)
end

scenario("R8.8 a connection silent for 10 s is closed, and its player leaves PlayerArray at once", { transport = "sim" }, function(t)
	local s, a, b = net.start(t, {}, named("Ann"), named("Bob"))
	t:within(2, function() return #players(b) == 2 end)
	a:kill()
	t:run(9)
	t:eq(players(s), { "Ann", "Bob" })
	t:within(2, function() return #players(s) == 1 end)
	t:eq(s:controller(a), nil)
	t:within(0.2, function() return #players(b) == 1 end)
	t:eq(players(b), { "Bob" })
	t:eq(#s:actors("PlayerReplicationInfo"), 1, "what is kept of Ann is no actor")
end)

scenario("R8.8 how long a silence may last is configurable", function(t)
	local s, a, b = net.start(t, { config = { idle_time = 2 } }, named("Ann"), named("Bob"))
	t:within(2, function() return #players(b) == 2 end)
	a:kill()
	t:within(3.5, function() return #players(b) == 1 end)
	t:eq(players(s), { "Bob" })
end)

for_each({
	{ "he left", function(_, _, a) a:leave() end },
	{ "his connection broke", function(t, s, a) a:kill() t:within(4, function() return not s:controller(a) end) end },
	{ "he comes back before anybody has noticed that he was gone", function(_, _, a) a:kill() end },
}, function(case)
	scenario("R8.8 a player that reconnects within the grace time gets its PlayerState back: " .. case[1], function(t)
		local s, b = net.start(t, { game = "TeamGame", config = { idle_time = 2 } }, named("Bob"))
		local a = join(t, s, named("Ann"))
		t:within(2, function() return #players(a) == 2 end)
		local p = state(s, a)
		p.Score, p.Deaths, p.bAdmin = 7, 3, true
		p:SetTeam(1)
		local had = { p.PlayerID, p.UniqueId, p.StartTime, p.PlayerName }
		t:run(0.2)
		case[2](t, s, a)
		t:run(0.3)
		local now = back(t, s, a)
		t:eq({ now.Score, now.Deaths, now.Team, now.bAdmin }, { 7, 3, 1, true })
		t:eq({ now.PlayerID, now.UniqueId, now.StartTime, now.PlayerName }, had)
		t:within(3, function() return b:copy(now) and b:copy(now).Score == 7 and #players(b) == 2 end)
		t:eq({ b:copy(now).PlayerID, b:copy(now).Team }, { had[1], 1 })
		t:eq(players(b), { "Bob", "Ann" }, "the list goes by PlayerID")
		t:eq(s:eval("return world.Game").NumPlayers, 2)
		t:within(2, function() return s:pawn(a) end)
	end)
end)

scenario("R8.8 after the grace time he is a new player; the time is configurable", function(t)
	local s = t:server{ options = "?grace=1" }
	t:eq(s:eval("return world.Game").ReconnectGrace, 1)
	local a = join(t, s, named("Ann"))
	local p = state(s, a)
	p.Score = 7
	local id = p.PlayerID
	a:leave()
	t:run(1.5)
	local now = back(t, s, a)
	t:eq(now.Score, 0)
	t:ne(now.PlayerID, id)
end)

scenario("R8.8 the game says who may return while it drains: those it remembers, for as long", function(t)
	local s, a = net.start(t, { options = "?grace=1" }, named("Ann"))
	local id = state(s, a).UniqueId
	local function may(who) return s:eval("return world.Game"):MayReturn(who) end
	t:eq({ may(id), may("") }, { false, false }, "nobody has left")
	a:leave()
	t:run(0.2)
	t:eq({ may(id), may(""), may("key-of-nobody") }, { true, true, false })
	t:run(1)
	t:eq({ may(id), may("") }, { false, false }, "the time is over")
end)

scenario("R8.8 a grace time that is none stops the host", function(t)
	t:error(function() t:server{ options = "?grace=soon" } end, "grace=soon: expected a number")
end)

scenario("R8.8 a grace time of 0 remembers nobody", function(t)
	local s, a = net.start(t, { options = "?grace=0" }, named("Ann"))
	state(s, a).Score = 7
	a:leave()
	t:run(0.2)
	t:eq(back(t, s, a).Score, 0)
end)

scenario("R8.8 nobody else can claim it: not by the name, not by saying who he is", function(t)
	local s, a = net.start(t, {}, named("Ann"))
	local p = state(s, a)
	p.Score, p.bAdmin = 7, true
	local id = p.UniqueId
	a:leave()
	t:run(0.3)
	local thief = join(t, s, { name = "thief", options = "?name=Ann?uniqueid=" .. id .. "?UniqueId=" .. id .. "?playerid=0" })
	t:eq({ state(s, thief).Score, state(s, thief).bAdmin }, { 0, false })
	t:ne(state(s, thief).UniqueId, id)
	t:eq({ back(t, s, a).Score, state(s, a).UniqueId }, { 7, id })
	t:ok(s:controller(thief))
end)

scenario("R8.8 a player who is in keeps what he has, whoever takes his name", function(t)
	local s, a = net.start(t, {}, named("Ann"))
	state(s, a).Score = 7
	local other = join(t, s, { name = "other", options = "?name=Ann" })
	t:run(0.3)
	t:eq({ state(s, a).Score, state(s, other).Score }, { 7, 0 })
	t:eq({ a.error, other.error }, {})
end)

scenario("R8.8 how many are remembered is bounded: the oldest are forgotten first", function(t)
	t:scripts [[
		local Short = class("Short", "GameInfo")
		Short.defaults { MaxInactive = 2 }
	]]
	local s = t:server{ game = "Short" }
	local list = { join(t, s, named("A"), named("B"), named("C")) }
	for i, c in ipairs(list) do
		state(s, c).Score = i
		t:run(0.1)
		c:leave()
		t:run(0.3)
	end
	t:eq({ back(t, s, list[1]).Score, back(t, s, list[2]).Score, back(t, s, list[3]).Score }, { 0, 2, 3 })
end)

scenario("R8.8 what is kept is told to nobody", function(t)
	local s, a, b = net.start(t, {}, named("Ann"), named("Bob"))
	t:within(2, function() return #b:actors("PlayerReplicationInfo") == 2 end)
	a:leave()
	t:within(1, function() return #b:actors("PlayerReplicationInfo") == 1 end)
	t:run(0.5)
	local before = #t:trace(b)
	local function about()
		local list = t:trace(b)
		for i = before + 1, #list do
			if list[i].class == "PlayerReplicationInfo" and list[i].event == "opened" then return true end
		end
		return false
	end
	t:run(1)
	t:no(about())
	local c = join(t, s, named("Cid"))
	t:within(2, function() return #players(c) == 2 end)
	t:eq(players(c), { "Bob", "Cid" })
end)

scenario("R8.8 a game of one's own keeps more: SaveState", function(t)
	t:scripts [[
		local Ledger = class("Ledger", "PlayerState")
		Ledger.properties { Gold = int(0) }
		function Ledger:SaveState(travelling)
			local state = Ledger.super.SaveState(self, travelling)
			state.Gold = self.Gold
			return state
		end
		local Bank = class("Bank", "GameInfo")
		Bank.defaults { PlayerStateClass = "Ledger" }
	]]
	local s, a = net.start(t, { game = "Bank" }, named("Ann"))
	state(s, a).Gold = 40
	a:leave()
	t:run(0.3)
	t:eq(back(t, s, a).Gold, 40)
end)
