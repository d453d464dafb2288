-- Scenarios about scenarios: what docs/scenarios.md says of clients, links, traces and handles across peers.

-- Joins a client for each table of options and waits until all are in.
local function join(t, s, ...)
	local list = {}
	for i, options in ipairs { ... } do
		list[i] = t:client(options)
	end
	t:within(5, function()
		for _, c in ipairs(list) do
			if not s:controller(c) or not c:controller() then
				return false
			end
		end
		return true
	end)
	return unpack(list)
end

-- Waits until each client has a copy of an actor and gives the copies.
local function copies(t, actor, ...)
	local list = {}
	for i, client in ipairs { ... } do
		list[i] = t:within(3, function() return client:copy(actor) end)
	end
	return unpack(list)
end

-- What a client saw of one actor, as words.
local function story(t, client, actor)
	local words = {}
	for _, e in ipairs(t:trace(client)) do
		if e.actor == actor then
			words[#words + 1] = e.event .. (e.name and e.name ~= "" and " " .. e.name or "")
		end
	end
	return words
end

local CHEST = [[
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

-- In real time a second is short for a handshake that loses a packet.
scenario("scenario the example of the page", { transport = "sim" }, function(t)
	t:scripts [[                                     -- classes of this scenario only (optional)
		local Chest = class("Chest", "Actor")
		Chest.properties { Gold = int(0), Open = false }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication { { "Gold", when = COND_OwnerOnly }, { "Open" } }
	]]
	local s = t:server { level = "flat", game = "GameInfo", tick = 60, net = 30 }
	local a = t:client { name = "a", lag = 0.05, jitter = 0.01, loss = 0.02, dup = 0, reorder = 0,
		down = 20000, up = 20000, timescale = 1 }
	local b = t:client { name = "b" }
	t:run(1)
	local chest = s:spawn("Chest", { Location = vector(100, 0, 0), Owner = s:controller(a) })
	chest.Gold = 7
	t:run(1)
	t:eq(a:copy(chest).Gold, 7)
	t:eq(b:copy(chest).Gold, 0)
	t:eq(b:copy(chest).Role, ROLE_SimulatedProxy)
end)

-- Joining

scenario("scenario t:client and join return at once; the controller is nil before the client is in", function(t)
	local s = t:server{}
	local now = s.time
	local a = t:client{ name = "a", lag = 0.05 }
	t:eq(s.time, now)
	t:eq(s:controller(a), nil)
	t:eq(a:controller(), nil)
	t:eq(a:pawn(), nil)
	t:within(5, function() return s:controller(a) and a:controller() and a:pawn() end)
	t:gt(s.time, now + 0.1)
	t:eq(a:copy(s:controller(a)), a:controller())
	t:eq(a:copy(s:pawn(a)), a:pawn())
	t:eq(a:controller(a), a:controller())
	t:eq(s:pawn(a):GetClass(), "Character")
end)

scenario("scenario join = false holds a client back until it joins", function(t)
	local s = t:server{}
	local a = t:client{ name = "a", join = false }
	t:run(1)
	t:eq(s:controller(a), nil)
	t:eq(#s:actors("PlayerController"), 0)
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
	t:scripts(CHEST)
	local s = t:server{}
	local chest = s:spawn("Chest")
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
	local s = t:server{}
	local a, b = join(t, s, { name = "a", timescale = 1.5 }, { name = "b", timescale = 0.5 })
	local ta, tb = a.time, b.time
	t:run(1)
	t:near(a.time - ta, 1.5, 0.1)
	t:near(b.time - tb, 0.5, 0.1)
	t:ok(s:controller(a) and s:controller(b))
end)

scenario("scenario leave says goodbye: the server knows at once, and what the client had is gone", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local chest = s:spawn("Chest")
	copies(t, chest, a, b)
	a:leave()
	t:within(0.5, function() return s:controller(a) == nil end)
	t:eq(a:copy(chest), nil)
	t:eq(a.error, nil, "who leaves has no error")
	t:ok(s:controller(b))
	t:ok(b:copy(chest))
end)

scenario("scenario kill is silence: the server does not know yet", function(t)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	a:kill()
	t:run(1.5)
	t:ok(s:controller(a))
	t:eq(#s:actors("PlayerController"), 1)
end)

scenario("scenario a client joins again after it left; old handles of its are dead", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
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

scenario("scenario t:restart: clients are told, their world ends, they may join the new one", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local chest = s:spawn("Chest")
	copies(t, chest, a)
	t:restart()
	t:within(3, function() return a.error end)
	t:no(chest.alive)
	t:eq(s:controller(a), nil)
	a:join()
	t:within(5, function() return s:controller(a) and a:controller() end)
	t:eq(a.error, nil)
	local other = s:spawn("Chest")
	copies(t, other, a)
	t:eq(#a:actors("Chest"), 1)
end)

scenario("scenario cold clients fetch the scripts", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = t:client{ name = "a", cold = true }
	t:within(20, function() return s:controller(a) and a:controller() end)
	local chest = s:spawn("Chest", { Owner = s:controller(a), Gold = 3 })
	local c = copies(t, chest, a)
	t:within(1, function() return c.Gold == 3 end)
	t:eq(c:Give(4), 4)
	c:ServerOpen()
	t:within(1, function() return chest.Open end)
end)

scenario("scenario cold clients cost more bytes than warm ones", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a, b = t:client{ name = "a", cold = true }, t:client{ name = "b" }
	t:within(20, function() return a:controller() and b:controller() end)
	t:gt(t:traffic(a).total.bytes, t:traffic(b).total.bytes + 2000)
	t:ok(s:controller(a))
end)

-- Links

-- echo measures how long a call takes to the client and back.
local ECHO = [[
	local Echo = class("Echo")
	Echo.defaults { bAlwaysRelevant = true }
	function Echo.client:ClientPing(n) self:ServerPong(n) end
	function Echo.server:ServerPong(n) self.back = n self.count = (self.count or 0) + 1 end
	Echo.params { ClientPing = { int(0) }, ServerPong = { int(0) } }
]]

local function echo(t, s, client)
	local x = s:spawn("Echo", { Owner = s:controller(client) })
	copies(t, x, client)
	t:run(0.3)
	return function(n)
		local from = s.time
		x:ClientPing(n)
		t:within(3, function() return x.back == n end)
		return s.time - from
	end, x
end

scenario("scenario lag is one-way seconds, in both directions", function(t)
	t:scripts(ECHO)
	local s = t:server{}
	local a, b = join(t, s, { name = "a", lag = 0.2 }, { name = "b" })
	local far, near = echo(t, s, a), echo(t, s, b)
	local slow, quick = 9, 9
	for i = 1, 4 do
		slow, quick = math.min(slow, far(i)), math.min(quick, near(i))
	end
	t:near(slow, 0.43, 0.08)
	t:lt(quick, 0.15)
end)

scenario("scenario link changes impairments while the game runs", function(t)
	t:scripts(ECHO)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
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
		t:scripts(ECHO)
		local s = t:server{}
		local a = t:client{ name = "a", preset = case[1] }
		t:within(15, function() return s:controller(a) and a:controller() end)
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

scenario("scenario loss, dup and reorder hurt, and the game goes on", { seeds = 5 }, function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.03, jitter = 0.03, loss = 0.25, dup = 0.25, reorder = 0.25 })
	local chest = s:spawn("Chest", { Owner = s:controller(a) })
	local c = copies(t, chest, a)
	for i = 1, 30 do
		chest.Gold = i
		t:ticks(2)
	end
	t:within(3, function() return c.Gold == 30 end)
	local last = 0
	for _, e in ipairs(t:trace(a)) do
		if e.event == "set" and e.name == "Gold" and e.actor == chest then
			t:gt(e.value, last, "an older value came after a newer one")
			last = e.value
		end
	end
end)

scenario("scenario down bounds what the server sends a client", function(t)
	t:scripts [[
		local Noise = class("Noise")
		Noise.properties { Text = "" }
		Noise.defaults { bAlwaysRelevant = true }
		Noise.replication { { "Text" } }
	]]
	local s = t:server{}
	local a, b = join(t, s, { name = "a", down = 4000 }, { name = "b" })
	local list = {}
	for i = 1, 15 do list[i] = s:spawn("Noise") end
	t:run(1)
	local from = { t:traffic(a).total.bytes, t:traffic(b).total.bytes }
	for i = 1, 60 do
		for k, n in ipairs(list) do n.Text = ("noise"):rep(10) .. k .. i end
		t:ticks(1)
	end
	t:le(t:traffic(a).total.bytes - from[1], 4000 + 1500)
	t:gt(t:traffic(b).total.bytes - from[2], 10000)
	t:le(t:traffic(b).total.bytes - from[2], 20000 + 1500, "20 000 is the default")
end)

-- Copies and handles

scenario("scenario copy is that peer's copy of the same actor, or nil", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local chest = s:spawn("Chest")
	t:eq(a:copy(chest), nil, "not yet")
	local ca, cb = copies(t, chest, a, b)
	t:eq(s:copy(ca), chest)
	t:eq(a:copy(cb), ca)
	t:eq(b:copy(ca), cb)
	t:eq(a:copy(ca), ca)
	t:eq(s:copy(chest), chest)
	local own = a:spawn("Chest")
	t:eq(s:copy(own), nil)
	t:eq(b:copy(own), nil)
	t:eq(#a:actors("Chest"), 2)
	t:eq(#s:actors("Chest"), 1)
end)

scenario("scenario handles are equal on one peer, Is the same across peers", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local x, y = s:spawn("Chest"), s:spawn("Chest")
	local ax, bx = copies(t, x, a, b)
	local ay = copies(t, y, a)
	t:ok(ax == a:copy(x))
	t:ok(ax ~= x)
	t:ok(ax ~= ay)
	t:ok(ax:Is(x) and x:Is(ax) and ax:Is(bx) and bx:Is(ax))
	t:no(ax:Is(y))
	t:no(x:Is(ay))
	t:no(a:spawn("Chest"):Is(x))
end)

scenario("scenario a handle given to another peer means that peer's copy; a returned one is of the peer that returned it", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
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
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Chest")
	local ax = copies(t, x, a)
	local own = a:spawn("Chest")
	t:error(function() s:call(own, "Give", 1) end, "copy")
	x:Destroy()
	t:within(1, function() return not ax.alive end)
	t:eq(a:copy(x), nil)
	t:error(function() return ax.Gold end, "destroyed")
end)

scenario("scenario what is set through a client's handle stays on that client", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local x = s:spawn("Chest")
	local ax, bx = copies(t, x, a, b)
	ax.Open = true
	t:run(0.3)
	t:eq({ ax.Open, x.Open, bx.Open }, { true, false, false })
end)

scenario("scenario errors of a client's scripts are errors of that peer", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Chest")
	local c = copies(t, x, a)
	t:expect_error("Chest:Fail: scripts:9: no %(Chest.*a%)")
	c:Fail()
	t:eq(#a:log(), 1)
	t:eq(#s:log(), 0)
	t:match(a:log()[1], "Chest:Fail")
end)

scenario("scenario input is held until it is changed", function(t)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	t:within(2, function() return a:pawn() and s:pawn(a) end)
	t:run(0.3)
	local from = s:pawn(a).Location
	a:input{ forward = 1 }
	t:run(1)
	t:gt((s:pawn(a).Location - from):Size2D(), 200)
	a:input{ yaw = 16384 }
	t:run(0.7)
	local turned = s:pawn(a).Location
	t:gt(turned.Y, from.Y + 100, "still forward, another way")
	a:input{ forward = 0 }
	t:run(0.7)
	local stopped = s:pawn(a).Location
	t:run(0.4)
	t:near(s:pawn(a).Location, stopped, 5)
	t:error(function() a:input{ forwrd = 1 } end, "forwrd.*forward")
end)

-- Trace and traffic

scenario("scenario trace: opened, set, notified, called, closed, in order, with the server's handles", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local x = s:spawn("Chest", { Owner = s:controller(a) })
	local c = copies(t, x, a)
	copies(t, x, b)
	t:run(0.2)
	x.Gold = 5
	t:within(1, function() return c.Gold == 5 end)
	x:AllCreak(3)
	t:within(1, function() return c.creaked == 3 end)
	x:Destroy()
	t:within(1, function() return not c.alive end)
	local words = table.concat(story(t, a, x), ", ")
	t:match(words, "^opened")
	t:match(words, "set Gold, notified Gold, called AllCreak, closed$")
	t:no(table.concat(story(t, b, x), ", "):find("Gold"), "the other client saw nothing of it")
	local last = 0
	for _, e in ipairs(t:trace(a)) do
		t:ge(e.time, last)
		last = e.time
		if e.event == "set" and e.name == "Gold" then
			t:eq({ e.class, e.value, e.actor }, { "Chest", 5, x })
		end
	end
end)

scenario("scenario trace: torn_off", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Chest")
	local c = copies(t, x, a)
	x.bTearOff = true
	t:within(1, function() return c.Role == ROLE_Authority end)
	t:run(0.2)
	t:match(table.concat(story(t, a, x), ", "), "torn_off")
end)

scenario("scenario trace of references has the server's handles", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x, y = s:spawn("Chest"), s:spawn("Chest")
	local c = copies(t, x, a)
	copies(t, y, a)
	x.Who = y
	t:within(1, function() return c.Who end)
	local seen
	for _, e in ipairs(t:trace(a)) do
		if e.event == "set" and e.name == "Who" and e.actor == x then seen = e.value end
	end
	t:eq(seen, y)
end)

scenario("scenario traffic is a snapshot", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Chest", { Owner = s:controller(a) })
	local c = copies(t, x, a)
	local before = t:traffic(a)
	local bytes = before.total.bytes
	x.Gold = 5
	t:within(1, function() return c.Gold == 5 end)
	t:eq(before.total.bytes, bytes)
	t:gt(t:traffic(a).total.bytes, bytes)
end)

scenario("scenario methods of clients are refused for the server", function(t)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	for _, name in ipairs { "leave", "kill", "join", "link", "corrections" } do
		t:error(function() s[name](s) end, "client")
	end
	t:error(function() t:trace(s) end, "client")
	t:error(function() t:traffic(s) end, "client")
	t:error(function() s:controller() end, "dedicated")
	t:error(function() a.nothing = 1 end, "nothing")
	t:eq(a:corrections(), {})
	t:eq(#a:log(), 0)
	t:eq(a.error_code, nil)
end)

scenario("scenario t:reload replaces the scripts of server and clients", function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Chest", { Owner = s:controller(a) })
	local c = copies(t, x, a)
	x.Gold = 5
	t:within(1, function() return c.Gold == 5 end)
	t:reload((CHEST:gsub("given or 0%) %+ n", "given or 0) + n * 100")))
	t:run(1)
	t:eq(x:Give(1), 100)
	t:eq(c:Give(1), 100)
	t:eq({ x.Gold, c.Gold }, { 5, 5 })
	x.Gold = 6
	t:within(1, function() return c.Gold == 6 end)
end)

scenario("scenario two runs of one seed are the same to the last byte", { seeds = 2, transport = "sim" }, function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a = join(t, s, { name = "a", preset = "internet" })
	local x = s:spawn("Chest", { Owner = s:controller(a) })
	local c = copies(t, x, a)
	for i = 1, 20 do
		x.Gold = i
		t:ticks(2)
	end
	t:within(2, function() return c.Gold == 20 end)
	t:match(a:hash(), "^%x+$")
	t:eq(a:hash(), a:hash())
end)

scenario("scenario kcp: the same over real sockets", { transport = "kcp" }, function(t)
	t:scripts(CHEST)
	local s = t:server{}
	local a, b = join(t, s, { name = "a", lag = 0.02, loss = 0.02 }, { name = "b" })
	local x = s:spawn("Chest", { Owner = s:controller(a) })
	local ca, cb = copies(t, x, a, b)
	x.Gold, x.Open = 7, true
	x:AllCreak(3)
	ca:ServerOpen()
	t:within(2, function() return ca.Gold == 7 and cb.Open and ca.creaked == 3 and cb.creaked == 3 end)
	t:eq(cb.Gold, 0)
	a:leave()
	t:within(2, function() return s:controller(a) == nil end)
	t:ok(s:controller(b))
end)
