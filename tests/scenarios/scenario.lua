-- Scenarios about scenarios: what docs/scenarios.md says of t, peers and handles, as far as one peer shows it.

local net = require("shared.net")

local CHEST = net.with [[
	local Chest = class("Chest")
	Chest.properties { Gold = int(0), Arr = array(int(0), 3), S = struct { X = int(0) }, Who = ref("Actor"), Ticks = int(0), Rate = float(0) }
	function Chest:Tick(dt) self.Ticks, self.Rate = self.Ticks + 1, dt end
	function Chest:Give(n, t) self.Gold = self.Gold + n return self.Gold, t, self end
	function Chest:Fail() error("no") end
	function Chest:Same(other) return self == other end
]]

scenario("scenario t:server defaults: flat, GameInfo, 60 ticks a second, dedicated", function(t)
	local s = CHEST.server(t, {})
	t:eq(s:eval("return world.LevelName"), "flat")
	t:eq(s:eval("return world.Game"):GetClass(), "GameInfo")
	t:eq(s:eval("return world.NetMode"), NM_DedicatedServer)
	local c = s:spawn("Chest")
	t:run(1)
	t:eq({ c.Ticks, s.name }, { 60, "server" })
end)

scenario("scenario t:run is in seconds, t:ticks in ticks of the server; peer.time is the world's", function(t)
	local s = CHEST.server(t, { tick = 50, net = 25 })
	local c = s:spawn("Chest")
	t:eq(s.time, 0)
	t:run(0.1)
	t:eq(c.Ticks, 5)
	t:ticks(3)
	t:eq(c.Ticks, 8)
	t:near(s.time, 0.16, 1e-9)
	for _ = 1, 10 do t:run(0.01) end
	t:eq(c.Ticks, 13, "parts of a tick add up")
	t:run(0)
	t:eq(c.Ticks, 13)
end)

scenario("scenario handles: fields, elements and members read and write through", function(t)
	local s, c = CHEST.alone(t, "Chest")
	c.Gold = 5
	c.Arr[2] = 6
	c.S.X = 7
	c.Who = c
	c.Location = vector(1, 2, 3)
	c.extra = { a = { 1 } }
	local gold, e, x, me, at, extra = s:eval("local c = world:ActorsOf('Chest')[1] return c.Gold, c.Arr[2], c.S.X, c.Who == c, c.Location, c.extra.a[1]")
	t:eq({ gold, e, x, me, at, extra }, { 5, 6, 7, true, vector(1, 2, 3), 1 })
	t:eq(c.Arr, { 0, 6, 0 })
	t:eq(#c.Arr, 3)
	c.Arr = { 7, 8, 9 }
	t:eq({ c.Arr[3], c.nothing }, { 9, nil })
end)

scenario("scenario handles: == is the same actor of the same peer, Is the same across peers, alive tells", function(t)
	local s, a, b = CHEST.actors(t, "Chest", "Chest")
	t:ok(a == s:actors("Chest")[1])
	t:ok(a ~= b)
	t:ok(a:Is(a))
	t:no(a:Is(b))
	t:no(a:Is(nil))
	t:eq(s:copy(a), a)
	t:ok(a.alive)
	local book = { [a] = "a", [b] = "b" }
	t:eq(book[s:actors("Chest")[2]], "b", "handles are good as keys")
	a:Destroy()
	t:no(a.alive)
	t:error(function() return a.Gold end, "Chest_0.*destroyed")
end)

scenario("scenario calls give back results: plain values, tables, actors", function(t)
	local s, c = CHEST.alone(t, "Chest")
	local gold, tab, me = c:Give(3, { 1, { x = vector(1, 2, 3) } })
	t:eq({ gold, tab, me }, { 3, { 1, { x = vector(1, 2, 3) } }, c })
	gold = s:call(c, "Give", 4)
	t:eq(gold, 7)
	t:ok(c:Same(c))
	t:error(function() c.Give(1) end, "colon")
	t:error(function() c:Give(1, function() end) end, "function")
end)

scenario("scenario an error in a call or an assignment is a script error of the peer, not raised here", function(t)
	local s, c = CHEST.alone(t, "Chest")
	t:expect_error("Chest:Fail: scripts:5: no %(Chest_0, server%)")
	t:eq(c:Fail(), nil)
	t:expect_error("Chest.*Gold.*expected int")
	c.Gold = "x"
	t:expect_error("Chest.*Nope")
	t:eq({ s:call(c, "Nope"), #s:log() }, { nil, 3 })
end)

scenario("scenario one expectation is met by one message, however often", function(t)
	local _, c = CHEST.alone(t, "Chest")
	t:expect_error("no %(Chest_0")
	for _ = 1, 2 do
		c:Fail()
		t:run(11)
	end
end)

scenario("scenario quarantine notices are no script errors", function(t)
	local s, c = CHEST.alone(t, "Chest")
	t:expect_error("Chest:Fail")
	for _ = 1, 3 do c:Fail() end
	t:match(s:log()[#s:log()], "quarantined")
end)

scenario("scenario a load error makes t:server raise, and t:server may be tried again", function(t)
	t:scripts [[
		local Bad = class("Bad", "Nobody")
	]]
	t:error(function() t:server{} end, "scripts:1:%d+: error: .*Nobody")
	t:error(function() t:server{} end, "Nobody")
end)

scenario("scenario several chunks: each is called scripts and counts its own lines", function(t)
	t:scripts [[
		local One = class("One")
		function One:Go() error("one") end
	]]
	t:scripts [[
		local Two = class("Two", "One")

		function Two:Come() error("two") end
	]]
	local s = t:server{}
	t:error(function() t:scripts [[ local X = class("X") ]] end, "before t:server")
	t:expect_error("^One:Go: scripts:2: one %(Two_0")
	t:expect_error("^Two:Come: scripts:3: two %(Two_0")
	local two = s:spawn("Two")
	two:Go()
	two:Come()
end)

scenario("scenario eval gives plain values, vectors, rotators and handles; its errors are raised here", function(t)
	local s = t:server{}
	local a, b, c, d, e = s:eval("return 1, 'x', vector(1, 2, 3), rotator(1, 2, 3), { true, { 2 } }")
	t:eq({ a, b, c, d, e }, { 1, "x", vector(1, 2, 3), rotator(1, 2, 3), { true, { 2 } } })
	local h = s:eval("return world:Spawn('Actor')")
	t:ok(h.alive)
	t:eq(s:eval("return nil"), nil)
	t:error(function() s:eval("return +") end, "eval:1:")
	t:error(function() s:eval("\nerror('boom')") end, "eval:2: boom")
	t:error(function() s:eval("return function() end") end, "function")
	t:error(function() s:eval("while true do end") end, "budget")
	t:expect_error("eval:1: waited for")
	t:eq(s:eval("error('waited for')"), nil)
end)

scenario("scenario within runs until, always watches all along", function(t)
	local s = t:server{ tick = 10, net = 10 }
	t:within(2, function() return s.time > 0.95 end)
	t:near(s.time, 1, 1e-6)
	local asked = 0
	t:always(1, function() asked = asked + 1 return s.time < 2.05 end)
	t:eq(asked, 11)
	t:near(s.time, 2, 1e-6)
end)

for_each({ { "a", 1 }, { "b", 2 } }, function(case, i)
	scenario("scenario for_each: case " .. case[1], function(t) t:eq(case[2], i) end)
end)

scenario("scenario options of t:client that there are not are named", function(t)
	t:server{}
	t:error(function() t:client{ namr = "a" } end, "namr.*name")
	t:error(function() t:client{ preset = "pigeon" } end, "pigeon")
end)

scenario("scenario peers and t name what they do not have", function(t)
	local s = t:server{}
	t:error(function() s:spwan("Actor") end, "spwan.*spawn")
	t:error(function() t:eqq(1, 1) end, "eqq.*eq")
	t:error(function() s:leave() end, "client")
	t:error(function() s:spawn("Acto") end, "Acto.*Actor")
	t:error(function() s:actors("Acto") end, "Acto.*Actor")
	t:error(function() s:spawn("Actor", { Locaton = vector() }) end, "Locaton.*Location")
	t:error(function() s.time = 5 end, "time")
end)
