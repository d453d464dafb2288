-- Scenarios about scenarios: what docs/scenarios.md says of clients, links, traces and handles across peers.

local net = require("shared.net")
local copies, join = net.copies, net.join

local CHEST = net.with [[
	local Chest = class("Chest")
	Chest.properties { Gold = int(0), Open = false, Who = ref("Actor"), Ticks = int(0) }
	Chest.defaults { bAlwaysRelevant = true }
	Chest.replication { { "Gold", when = COND_OwnerOnly, notify = true }, { "Open", "Who" } }
	function Chest.simulated:Tick(_) self.Ticks = self.Ticks + 1 end
	function Chest:Give(n) self.given = (self.given or 0) + n return self.given, self end
	function Chest:Same(other) return self == other end
	function Chest:Hold(other) self.held = other return other end
	function Chest:Fail() error("no") end
	function Chest.multicast.reliable:AllCreak(n) self.creaked = n end
	function Chest.server.reliable:ServerOpen() self.Open = true end
	Chest.params { AllCreak = { int(0) }, ServerOpen = {} }
]]

-- Joining

scenario("scenario join = false holds a client back until it joins", function(t)
	local s = t:server{}
	local a = t:client{ name = "a", join = false }
	t:run(1)
	t:eq({ s:controller(a), #s:actors("PlayerController") }, { nil, 0 })
	a:join()
	t:eq(s:controller(a), nil)
	t:within(5, function() return s:controller(a) and a:controller() end)
	t:eq(a.error, nil)
end)

scenario("scenario options of a client are its string at Login", function(t)
	t:scripts [[
		local Duel = class("Duel", "GameInfo")
		function Duel:Login(portal, options)
			self.team = self:ParseOption(options, "team")
			return Duel.super.Login(self, portal, options)
		end
	]]
	local s = t:server{ game = "Duel" }
	join(t, s, { name = "a", options = "?team=1" })
	t:eq(s:eval("return world.Game.team"), "1")
end)

scenario("scenario name is what the game calls a client, where his options say nothing else", function(t)
	local s = t:server{}
	local list = { join(t, s, { name = "ann" }, { name = "b", options = "?team=1?Name=Bob" }, { name = "c", options = "?name=" }, {}) }
	for i, want in ipairs { "^ann$", "^Bob$", "^Player%d$", "^Player%d$" } do
		t:match(s:controller(list[i]).PlayerReplicationInfo.PlayerName, want)
	end
	t:error(function() t:client{ name = "a?b" } end, "goes into a URL")
end)

scenario("scenario a client's world starts at 0 when it joins, and ticks at its own rate", function(t)
	local s, chest = CHEST.alone(t, "Chest")
	t:run(2)
	local a, b = join(t, s, { name = "a", tick = 30 }, { name = "b" })
	t:lt(a.time, 1)
	t:gt(s.time, 2)
	local ca, cb = copies(t, chest, a, b)
	t:run(0.1)
	local from, na, nb = a.time, ca.Ticks, cb.Ticks
	t:run(1)
	t:near(a.time, from + 1, 0.05)
	t:near(ca.Ticks - na, 30, 2)
	t:near(cb.Ticks - nb, 60, 3)
end)

scenario("scenario timescale is the speed of the client's own clock", function(t)
	local s, a, b = net.start(t, {}, { name = "a", timescale = 1.5 }, { name = "b", timescale = 0.5 })
	local ta, tb = a.time, b.time
	t:run(1)
	t:near(a.time - ta, 1.5, 0.1)
	t:near(b.time - tb, 0.5, 0.1)
	t:ok(s:controller(a) and s:controller(b))
end)

scenario("scenario leave says goodbye: the server knows at once, and what the client had is gone", function(t)
	local s, a, b = CHEST.start(t, {}, "a", "b")
	local chest = net.spawn(t, s, "Chest", {}, a, b)
	a:leave()
	t:within(0.5, function() return s:controller(a) == nil end)
	t:eq(a:copy(chest), nil)
	t:eq(a.error, nil, "who leaves has no error")
	t:ok(s:controller(b))
	t:ok(b:copy(chest))
end)

scenario("scenario a client joins again after it left; old handles of its are dead", function(t)
	local s, a = CHEST.start(t, {}, "a")
	local chest = s:spawn("Chest")
	local old, pc = copies(t, chest, a), a:controller()
	a:leave()
	t:within(1, function() return s:controller(a) == nil end)
	a:join()
	t:within(5, function() return s:controller(a) and a:controller() end)
	local new = copies(t, chest, a)
	t:no(old.alive)
	t:no(pc.alive)
	t:ok(new.alive)
	t:ne(new, old)
	t:lt(a.time, 5)
end)

scenario("scenario cold clients fetch the scripts", function(t)
	local s = CHEST.server(t, {})
	local a = t:client{ name = "a", cold = true }
	t:within(20, function() return s:controller(a) and a:controller() end)
	local chest, c = net.spawn(t, s, "Chest", { Owner = s:controller(a), Gold = 3 }, a)
	t:within(1, function() return c.Gold == 3 end)
	t:eq(c:Give(4), 4)
	c:ServerOpen()
	t:within(1, function() return chest.Open end)
end)

-- Links

-- echo measures how long a call takes to the client and back.
local ECHO = net.with [[
	local Echo = class("Echo")
	Echo.defaults { bAlwaysRelevant = true }
	function Echo.client:ClientPing(n) self:ServerPong(n) end
	function Echo.server:ServerPong(n) self.back = n self.count = (self.count or 0) + 1 end
	Echo.params { ClientPing = { int(0) }, ServerPong = { int(0) } }
]]

local function echo(t, s, client)
	local x = net.spawn(t, s, "Echo", { Owner = s:controller(client) }, client)
	t:run(0.3)
	return function(n)
		local from = s.time
		x:ClientPing(n)
		t:within(3, function() return x.back == n end)
		return s.time - from
	end, x
end

scenario("scenario lag is one-way seconds, in both directions", function(t)
	local s, a, b = ECHO.start(t, {}, { name = "a", lag = 0.2 }, "b")
	local far, near = echo(t, s, a), echo(t, s, b)
	local slow, quick = 9, 9
	for i = 1, 4 do slow, quick = math.min(slow, far(i)), math.min(quick, near(i)) end
	t:near(slow, 0.43, 0.08)
	t:lt(quick, 0.15)
end)

scenario("scenario link changes impairments while the game runs", function(t)
	local s, a = ECHO.start(t, {}, "a")
	local ping, x = echo(t, s, a)
	t:lt(ping(1), 0.15)
	a:link{ lag = 0.15 }
	t:ge(ping(2), 0.29)
	a:link{ lag = 0 }
	t:run(0.3)
	t:lt(ping(3), 0.15)
	a:link{ loss = 1 }
	x:ClientPing(4)
	t:run(0.5)
	t:ne(x.back, 4)
	a:link{ loss = 0 }
	t:run(0.5)
	t:lt(ping(5), 0.2)
	t:error(function() a:link{ lagg = 1 } end, "lagg.*lag")
end)

for_each({
	{ "lan", 0.001, 0.05 }, { "broadband", 0.045, 0.12 }, { "internet", 0.13, 0.24 }, { "modem", 0.25, 0.6 },
}, function(case)
	scenario("scenario preset " .. case[1] .. " takes as long as it says", function(t)
		local s, a = ECHO.start(t, {}, { name = "a", preset = case[1] })
		local _, x = echo(t, s, a)
		t:run(1)
		local best = 10
		for i = 1, 8 do
			local from = s.time
			x:ClientPing(i)
			for _ = 1, 60 do
				t:ticks(1)
				if x.back == i then
					best = math.min(best, s.time - from)
					break
				end
			end
		end
		t:ge(best, case[2])
		t:le(best, case[3] + 0.06)
	end)
end)

-- Copies and handles

scenario("scenario a handle given to another peer means that peer's copy; a returned one is of the peer that returned it", function(t)
	local s, a = CHEST.start(t, {}, "a")
	local x, y = s:spawn("Chest"), s:spawn("Chest")
	local ax, ay = copies(t, x, a), copies(t, y, a)
	t:ok(ax:Same(x), "an argument")
	t:ok(x:Same(ax))
	t:no(ax:Same(y))
	ax.Who = y
	t:eq(ax.Who, ay, "an assigned value")
	t:eq(a:call(x, "Hold", y), ay, "peer:call takes any peer's handle")
	t:eq(s:call(ax, "Hold", ay), y)
	t:eq({ ax.held, x.held }, { ay, y })
	local n, me = ax:Give(5)
	t:eq({ n, me }, { 5, ax })
	t:eq(x.given, nil, "it ran on the handle's peer")
	t:eq(a:eval("return world:ActorsOf('Chest')[1]"), a:actors("Chest")[1])
end)

scenario("scenario a handle of an actor the peer does not have cannot be given to it", function(t)
	local s, a, x, ax = CHEST.actor(t, "Chest", {}, "a")
	local own = a:spawn("Chest")
	t:error(function() s:call(own, "Give", 1) end, "copy")
	x:Destroy()
	t:within(1, function() return not ax.alive end)
	t:eq(a:copy(x), nil)
	t:error(function() return ax.Gold end, "destroyed")
end)

scenario("scenario what is set through a client's handle stays on that client", function(t)
	local s, a, b = CHEST.start(t, {}, "a", "b")
	local x, ax, bx = net.spawn(t, s, "Chest", {}, a, b)
	ax.Open = true
	t:run(0.3)
	t:eq({ ax.Open, x.Open, bx.Open }, { true, false, false })
end)

scenario("scenario input is held until it is changed", function(t)
	local s, a = net.start(t, {}, "a")
	t:within(2, function() return a:pawn() and s:pawn(a) end)
	t:run(0.3)
	local from = s:pawn(a).Location
	net.hold(t, a, { forward = 1 }, 1)
	t:gt((s:pawn(a).Location - from):Size2D(), 200)
	net.hold(t, a, { yaw = 16384 }, 0.7)
	local turned = s:pawn(a).Location
	t:gt(turned.Y, from.Y + 100, "still forward, another way")
	net.hold(t, a, { forward = 0 }, 0.7)
	local stopped = s:pawn(a).Location
	t:run(0.4)
	t:near(s:pawn(a).Location, stopped, 5)
	t:error(function() a:input{ forwrd = 1 } end, "forwrd.*forward")
end)

-- Trace and traffic

scenario("scenario traffic is a snapshot", function(t)
	local _, a, x, c = CHEST.owned(t, "Chest", {}, "a")
	local before = t:traffic(a)
	local bytes = before.total.bytes
	x.Gold = 5
	t:within(1, function() return c.Gold == 5 end)
	t:eq(before.total.bytes, bytes)
	t:gt(t:traffic(a).total.bytes, bytes)
end)

scenario("scenario methods of clients are refused for the server", function(t)
	local s, a = net.start(t, {}, "a")
	for _, name in ipairs { "leave", "kill", "join", "link", "corrections" } do
		t:error(function() s[name](s) end, "client")
	end
	t:error(function() t:trace(s) end, "client")
	t:error(function() t:traffic(s) end, "client")
	t:error(function() s:controller() end, "dedicated")
	t:error(function() a.nothing = 1 end, "nothing")
	t:eq({ a:corrections(), #a:log(), a.error_code }, { {}, 0, nil })
end)
