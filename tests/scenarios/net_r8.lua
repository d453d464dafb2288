-- Section 8 of the rules with clients: how players come in, are refused and leave, R8.1 to R8.5. What all know
-- of each other is in net_r8_state.lua.

local net = require("shared.net")
local join, players, holds, named = net.join, net.players, net.holds, net.named

-- One peer's PlayerReplicationInfo of a player by name.
local function info(peer, name)
	for _, p in ipairs(peer:actors("PlayerReplicationInfo")) do
		if p.PlayerName == name then return p end
	end
	return nil
end

-- A game that notes in which order it is asked. Options of the client: no=pre or no=login refuse.
local DUEL = net.with [[
	local Mind = class("Mind", "PlayerController")
	function Mind.client.reliable:ClientWelcome(text) self.welcome = (self.welcome or "") .. text end
	Mind.params { ClientWelcome = { "" } }

	local Duel = class("Duel", "GameInfo")
	Duel.defaults { PlayerControllerClass = "Mind" }
	function Duel:Note(what) self.notes = (self.notes or "") .. what .. " " end
	function Duel:PreLogin(options, address)
		self:Note("PreLogin")
		self.options, self.address, self.there = options, address, #self:ActorsOf("Actor")
		if self:ParseOption(options, "no") == "pre" then return "not today", "closed_today" end
		return Duel.super.PreLogin(self, options, address)
	end
	function Duel:Login(portal, options)
		self:Note("Login")
		self.login = options
		if self:ParseOption(options, "no") == "login" then return nil, "members only" end
		return Duel.super.Login(self, portal, options)
	end
	function Duel:PostLogin(pc)
		self:Note("PostLogin")
		Duel.super.PostLogin(self, pc)
		pc:ClientWelcome("hello")
	end
	function Duel:Logout(pc)
		self:Note("Logout" .. (pc.Role == ROLE_Authority and pc.PlayerReplicationInfo and "" or "?"))
		Duel.super.Logout(self, pc)
	end
]]

local function duel(t, options)
	t:scripts(DUEL.classes)
	local o = { game = "Duel" }
	for k, v in pairs(options or {}) do o[k] = v end
	local s = t:server(o)
	return s, s:eval("return world.Game")
end

for_each({ "dedicated", "listen" }, function(mode)
	scenario("R8.1 GameInfo is on the server only; on a client world.Game is nil: " .. mode, function(t)
		local s, game = duel(t, { mode = mode })
		local a = join(t, s, { name = "a" })
		t:run(0.3)
		t:eq(game:GetClass(), "Duel")
		t:ok(a:eval("return world.Game == nil"))
		t:eq({ #a:actors("GameInfo"), a:copy(game) }, { 0, nil })
	end)
end)

scenario("R8.3 PreLogin is asked first, with the client's options and address, before anything is spawned", function(t)
	local s, game = duel(t)
	local before = #s:actors("Actor")
	join(t, s, { name = "a", options = "?team=1?hat=red" })
	t:run(0.2)
	t:eq(game.notes, "PreLogin Login PostLogin ")
	t:match(game.options, "team=1%?hat=red")
	t:match(game.login, "team=1%?hat=red")
	t:eq(game.there, before)
	t:ok(type(game.address) == "string" and game.address ~= "")
	t:gt(#s:actors("Actor"), before)
end)

scenario("R8.3 who PreLogin refuses is shown error and code, and nothing was spawned for him", function(t)
	local s, game = duel(t)
	local a = join(t, s, { name = "a" })
	t:run(0.2)
	local before = #s:actors("Actor")
	local b = t:client{ name = "b", options = "?no=pre" }
	t:within(3, function() return b.error end)
	t:match(b.error, "not today")
	t:eq(b.error_code, "closed_today")
	t:run(0.5)
	t:eq(#s:actors("Actor"), before)
	t:eq(game.notes, "PreLogin Login PostLogin PreLogin ")
	t:eq({ s:controller(b), b:controller() }, { nil, nil })
	t:eq({ a.error, a.error_code }, { nil, nil })
	t:eq(game.NumPlayers, 1)
end)

scenario("R8.3 the player limit is checked here, and a place that is free again is given", function(t)
	local s, game = duel(t, { options = "?maxplayers=2" })
	local a = join(t, s, named("Ann"), named("Bob"))
	local c = t:client(named("Cid"))
	t:within(3, function() return c.error end)
	t:match(c.error, "full")
	t:eq(c.error_code, "full")
	t:eq(game.notes, "PreLogin Login PostLogin PreLogin Login PostLogin PreLogin ")
	a:leave()
	t:within(2, function() return game.NumPlayers == 1 end)
	c:join()
	t:within(3, function() return s:controller(c) and c:controller() end)
	t:eq({ c.error, game.NumPlayers }, { nil, 2 })
end)

scenario("R8.3 the password is checked here", function(t)
	local s, a = net.start(t, { options = "?password=sesame" }, { name = "a", options = "?password=sesame" })
	local b, c = t:client{ name = "b" }, t:client{ name = "c", options = "?password=open" }
	t:within(3, function() return b.error and c.error end)
	t:match(b.error, "password")
	t:match(c.error, "password")
	t:eq(b.error_code, "password")
	t:eq({ s:controller(b), s:controller(c) }, {})
	t:ok(s:controller(a))
end)

scenario("R8.3 the ban list is checked here; who is in stays", function(t)
	local s, game = duel(t)
	local a = join(t, s, { name = "a" })
	game:BanAddress(game.address)
	local b = t:client{ name = "b" }
	t:within(3, function() return b.error end)
	t:match(b.error, "banned")
	t:eq({ b.error_code, s:controller(b) }, { "banned", nil })
	t:ok(s:controller(a))
end)

scenario("R8.4 Login makes the controller; nil with an error refuses, and the client is shown it", function(t)
	local s, game = duel(t)
	local a = join(t, s, { name = "a" })
	t:eq(s:controller(a):GetClass(), "Mind")
	t:run(0.2)
	local before = #s:actors("Actor")
	local b = t:client{ name = "b", options = "?no=login" }
	t:within(3, function() return b.error end)
	t:match(b.error, "members only")
	t:run(0.3)
	t:eq(#s:actors("Actor"), before)
	t:eq(game.notes, "PreLogin Login PostLogin PreLogin Login ", "neither PostLogin nor Logout")
	t:eq(s:controller(b), nil)
	t:ok(s:controller(a))
end)

-- Logged out: once, and nothing of the player is left on any peer.
local function gone(t, s, game, b, name)
	t:run(0.5)
	holds(t, game, { notes = "PreLogin Login PostLogin PreLogin Login PostLogin Logout ", NumPlayers = 1 })
	t:eq({ #s:actors("PlayerController"), #s:actors("Character"), players(s) }, { 1, 1, { "Bob" } })
	t:eq({ players(b), info(b, name), #b:actors("Character") }, { { "Bob" }, nil, 1 })
end

for_each({
	{ "it leaves", function(_, _, a) a:leave() end },
	{ "its controller is destroyed", function(_, s, a) s:controller(a):Destroy() end },
	{ "it leaves under loss", function(_, _, a) a:link{ loss = 0.3 } a:leave() end },
}, function(case)
	scenario("R8.5 Logout is called once when a player is gone: " .. case[1], function(t)
		local s, game = duel(t)
		local a = join(t, s, named("Ann"))
		local b = join(t, s, named("Bob"))
		t:within(2, function() return #players(b) == 2 and #b:actors("Character") == 2 end)
		case[2](t, s, a)
		t:within(3, function() return s:controller(a) == nil end)
		gone(t, s, game, b, "Ann")
	end)
end)

scenario("R8.5 Logout is called for all when the server restarts, and they may come back", function(t)
	local s = duel(t)
	local a = join(t, s, named("Ann"))
	t:run(0.2)
	t:restart()
	t:within(3, function() return a.error end)
	t:eq(s:controller(a), nil)
	a:join()
	t:within(5, function() return s:controller(a) and a:controller() end)
	t:run(0.3)
	t:eq(s:eval("return world.Game").notes, "PreLogin Login PostLogin ")
	t:eq({ players(s), players(a) }, { { "Ann" }, { "Ann" } })
end)

scenario("R8.5 who is gone before he was in is never logged out", { transport = "sim" }, function(t)
	local s, game = duel(t)
	local a = t:client{ name = "a", lag = 0.2 }
	t:run(0.3)
	a:kill()
	t:run(13)
	local _, logins = (game.notes or ""):gsub("PostLogin", "")
	local _, logouts = (game.notes or ""):gsub("Logout", "")
	t:eq({ logouts, game.NumPlayers, #s:actors("PlayerController") }, { logins, 0, 0 })
end)
