-- Section 6 of the rules over the network: limits, validation and offences, R6.6 to R6.8.

local net = require("shared.net")
local copies, join = net.copies, net.join

-- The first line of a peer's log that has all of some words, or nil.
local function line(peer, ...)
	for _, text in ipairs(peer:log()) do
		local all = true
		for _, word in ipairs { ... } do all = all and text:find(word, 1, true) ~= nil end
		if all then return text end
	end
	return nil
end

local HORN = net.with [[
	local Horn = class("Horn")
	Horn.properties { N = int(0) }
	Horn.defaults { bAlwaysRelevant = true }
	Horn.replication { { "N" } }
	function Horn:Hear(what)
		local list = self.heard or {}
		list[#list + 1] = what
		self.heard = list
	end
	function Horn.multicast:AllBlow(n) self:Hear(n) end
	function Horn.multicast:AllHum(n) self:Hear(n) end
	function Horn.multicast.reliable:AllSay(n) self:Hear(n) end
	function Horn.client:ClientBlow(n) self:Hear(n) end
	Horn.params { AllBlow = { int(0) }, AllHum = { int(0) }, AllSay = { int(0) }, ClientBlow = { int(0) } }
]]

scenario("R6.6 an unreliable multicast goes out twice a net update; the surplus is dropped and counted", function(t)
	local s, a, b = HORN.start(t, {}, "a", "b")
	local x, ca, cb = net.spawn(t, s, "Horn", {}, a, b)
	t:run(0.2)
	for i = 1, 5 do x:AllBlow(i) end
	t:eq(x.heard, { 1, 2, 3, 4, 5 }, "the server runs them all")
	t:run(0.3)
	t:eq({ ca.heard, cb.heard }, { { 1, 2 }, { 1, 2 } })
	for _, client in ipairs { a, b } do
		local e = t:traffic(client).by_function["Horn.AllBlow"]
		t:eq({ e.count, e.dropped }, { 2, 3 })
	end
end)

scenario("R6.6 the limit is one function's on one actor's", function(t)
	local s, a = HORN.start(t, {}, "a")
	local x, y = s:spawn("Horn"), s:spawn("Horn")
	local c, d = copies(t, x, a), copies(t, y, a)
	t:run(0.2)
	for i = 1, 3 do
		x:AllBlow(i)
		x:AllHum(10 + i)
		y:AllBlow(20 + i)
	end
	t:run(0.3)
	table.sort(c.heard)
	local heard = c.heard
	table.sort(heard)
	t:eq({ heard, d.heard }, { { 1, 2, 11, 12 }, { 21, 22 } })
end)

scenario("R6.6 after the next net update there is room again", function(t)
	local _, a, x, c = HORN.actor(t, "Horn", {}, "a")
	t:run(0.2)
	for i = 1, 20 do
		x.N = i
		x:AllBlow(i)
		t:ticks(2)
	end
	t:run(0.3)
	t:eq(#c.heard, 20, "one a net update is never too many")
	local e = t:traffic(a).by_function["Horn.AllBlow"]
	t:eq(e.dropped, 0)
end)

scenario("R6.6 a net update of the actor is meant: a slow actor says less", function(t)
	local _, _, x, c = HORN.actor(t, "Horn", { NetUpdateFrequency = 2 }, "a")
	t:run(0.5)
	for i = 1, 60 do
		x.N = i
		x:AllBlow(i)
		t:ticks(1)
	end
	t:run(0.3)
	t:ge(#c.heard, 2)
	t:le(#c.heard, 8)
end)

for_each({ "AllSay", "ClientBlow" }, function(name)
	scenario("R6.6 others are not limited: " .. name, function(t)
		local s, _, x, c = HORN.owned(t, "Horn", {}, "a")
		t:run(0.2)
		for i = 1, 10 do s:call(x, name, i) end
		t:within(1, function() return #(c.heard or {}) == 10 end)
		t:eq(c.heard, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
	end)
end)

local GATE = net.with [[
	local Gate = class("Gate")
	Gate.defaults { bAlwaysRelevant = true }
	function Gate:Note(what) self.notes = (self.notes or "") .. what .. " " end
	function Gate.server.reliable:ServerPass(n, word) self:Note("pass " .. n .. " " .. word) end
	function Gate.validate:ServerPass(n, word)
		self:Note("judge " .. n .. " " .. word)
		if n == 0 then return nil end
		if n == 77 then error("cannot judge") end
		return n < 10
	end
	function Gate.server:ServerSlip(n) self:Note("slip " .. n) end
	function Gate.validate:ServerSlip(n) return n < 10 end
	function Gate.server.reliable:ServerFail() error("it broke") end
	function Gate.validate:ServerFail() return true end
	Gate.params { ServerPass = { int(0), "" }, ServerSlip = { int(0) }, ServerFail = {} }

	local Door = class("Door", "Gate")
	function Door:ServerPass(n, word) self:Note("door " .. n .. " " .. word) end
	local Hatch = class("Hatch", "Gate")
	function Hatch:ServerPass(n, word) self:Note("hatch " .. n .. " " .. word) end
	function Hatch.validate:ServerPass(n, _) return n == 50 end
]]

-- gate gives a server, a client and its own actor of a class on both.
local function gate(t, class, other)
	local s, a = GATE.start(t, {}, "Ann")
	if other then other = join(t, s, { name = "Bob" }) end
	local x = s:spawn(class or "Gate", { Owner = s:controller(a) })
	local c = copies(t, x, a)
	t:run(0.2)
	return s, a, x, c, other
end

scenario("R6.7 the validator runs first, on the server, with the same arguments", function(t)
	local s, a, x, c = gate(t)
	c:ServerPass(3, "please")
	t:within(1, function() return x.notes end)
	t:run(0.2)
	t:eq(x.notes, "judge 3 please pass 3 please ")
	t:eq(c.notes, nil)
	t:ok(s:controller(a))
	t:eq(#s:log(), 0)
end)

for_each({ { 13, "false" }, { 0, "nothing" } }, function(case)
	scenario("R6.7 a validator that returns " .. case[2] .. ": no call, connection closed, and the log says all", function(t)
		local s, a, x, c, b = gate(t, "Gate", true)
		local who = s:controller(a).PlayerReplicationInfo.PlayerName
		c:ServerPass(case[1], "sesame")
		t:within(1, function() return s:controller(a) == nil end)
		t:eq(x.notes, "judge " .. case[1] .. " sesame ")
		t:ok(line(s, "Gate", "ServerPass", tostring(case[1]), "sesame", who), "class, function, arguments and player")
		t:within(3, function() return a.error end)
		t:ne(a.error, "")
		t:ok(s:controller(b))
		t:eq(b.error, nil)
	end)
end)

-- What is noted of the calls before the one that is refused, and with that one.
for_each({
	{ "an unreliable call is judged, too", "Gate", "ServerSlip", 5, 15, "slip 5 ", "" },
	{ "calls that came before the refused one ran, those behind it do not", "Gate", "ServerPass", 1, 20, "judge 1 x pass 1 x ", "judge 20 x " },
	{ "an override keeps its parent's validator", "Door", "ServerPass", 3, 30, "judge 3 x door 3 x ", "judge 30 x " },
	{ "an override with a validator of its own is judged by that", "Hatch", "ServerPass", 50, 3, "hatch 50 x ", "" },
}, function(case)
	local name, class, func, good, bad, before, after = unpack(case)
	scenario("R6.7 " .. name, function(t)
		local s, a, x, c = gate(t, class)
		local function call(n) return func == "ServerSlip" and c:ServerSlip(n) or func == "ServerPass" and c:ServerPass(n, "x") end
		call(good)
		t:within(1, function() return x.notes == before end)
		call(bad)
		call(good)
		t:within(1, function() return s:controller(a) == nil end)
		t:run(0.3)
		t:eq(x.notes, before .. after)
	end)
end)

scenario("R6.7 a refused call only drops where the host says so", function(t)
	local s, a = GATE.start(t, { config = { validation = "drop" } }, "Ann")
	local x, c = net.spawn(t, s, "Gate", { Owner = s:controller(a) }, a)
	c:ServerPass(13, "sesame")
	t:run(0.4)
	t:ok(line(s, "Gate", "ServerPass", "13", "sesame"), "it is logged all the same")
	c:ServerPass(5, "x")
	t:within(1, function() return x.notes == "judge 13 sesame judge 5 x pass 5 x " end)
	t:ok(s:controller(a))
	t:eq(a.error, nil)
	t:eq(t:traffic(a).by_function["Gate.ServerPass"].dropped, 1)
end)

local TAKER = net.with [[
	local Taker = class("Taker")
	Taker.defaults { bAlwaysRelevant = true }
	function Taker:Keep(...) self.got = { select("#", ...), ... } self.count = (self.count or 0) + 1 end
	function Taker.server.reliable:ServerInt(n) self:Keep(n) end
	function Taker.validate:ServerInt(_) self.judged = true return true end
	function Taker.server.reliable:ServerFloat(n) self:Keep(n) end
	function Taker.validate:ServerFloat(_) self.judged = true return true end
	function Taker.server.reliable:ServerBool(b) self:Keep(b) end
	function Taker.server.reliable:ServerWord(w) self:Keep(w) end
	function Taker.server.reliable:ServerText(w) self:Keep(w) end
	function Taker.server.reliable:ServerMood(m) self:Keep(m) end
	function Taker.server.reliable:ServerPlace(v) self:Keep(v) end
	function Taker.server.reliable:ServerTurn(r) self:Keep(r) end
	function Taker.server.reliable:ServerKind(k) self:Keep(k) end
	function Taker.server.reliable:ServerWho(p) self:Keep(p) end
	function Taker.server.reliable:ServerAny(x) self:Keep(x) end
	Taker.params {
		ServerInt = { int(0, { min = 0, max = 10 }) }, ServerFloat = { float(0, { min = -1, max = 5 }) }, ServerBool = { false },
		ServerWord = { str("", { max = 8 }) }, ServerText = { "" }, ServerMood = { enum("Calm", "Cross") },
		ServerPlace = { vector(0, 0, 0) }, ServerTurn = { rotator(0, 0, 0) }, ServerKind = { classref("Pawn") },
		ServerWho = { ref("Pawn") },
	}
]]

for_each({
	{ "a fraction for an int", "ServerInt", 1.5 },
	{ "an int above its range", "ServerInt", 11 },
	{ "an int below its range", "ServerInt", -1 },
	{ "text for an int", "ServerInt", "5" },
	{ "true for an int", "ServerInt", true },
	{ "NaN for an int", "ServerInt", 0 / 0 },
	{ "infinity for an int", "ServerInt", 1 / 0 },
	{ "NaN for a float", "ServerFloat", 0 / 0 },
	{ "infinity for a float", "ServerFloat", 1 / 0 },
	{ "minus infinity for a float", "ServerFloat", -1 / 0 },
	{ "a float above its range", "ServerFloat", 5.1 },
	{ "a float below its range", "ServerFloat", -1.1 },
	{ "text for a float", "ServerFloat", "1" },
	{ "a number for a bool", "ServerBool", 1 },
	{ "text above its own maximum", "ServerWord", "123456789" },
	{ "text of 256 bytes", "ServerText", ("x"):rep(256) },
	{ "a number for text", "ServerText", 5 },
	{ "a name the enum does not have", "ServerMood", "Glad" },
	{ "a number for a vector", "ServerPlace", 5 },
	{ "a rotator for a vector", "ServerPlace", rotator(1, 2, 3) },
	{ "a vector for a rotator", "ServerTurn", vector(1, 2, 3) },
	{ "a class that is no child", "ServerKind", "PlayerStart" },
	{ "a table for anything", "ServerAny", { 1 } },
	{ "NaN for anything", "ServerAny", 0 / 0 },
	{ "256 bytes for anything", "ServerAny", ("x"):rep(256) },
}, function(case)
	scenario("R6.7 arguments are checked before a script sees them: " .. case[1], function(t)
		local s, a, x, c = TAKER.owned(t, "Taker", {}, "a")
		t:run(0.2)
		t:expect_error(case[2])
		a:call(c, case[2], case[3])
		t:run(0.3)
		t:eq({ x.got, x.judged }, { nil, nil })
		t:ok(s:controller(a))
		c:ServerInt(10)
		t:within(1, function() return x.got end)
		t:eq(x.got, { 1, 10 })
	end)
end)

scenario("R6.7 an actor of a wrong class is no argument", function(t)
	local _, _, x, c = TAKER.owned(t, "Taker", {}, "a")
	t:expect_error("ServerWho")
	c:ServerWho(c)
	t:run(0.3)
	t:eq(x.got, nil)
end)

scenario("R6.7 what fits passes, to the ends of its range, and crosses exactly", function(t)
	local s, a, x, c = TAKER.owned(t, "Taker", {}, "a")
	t:within(2, function() return a:pawn() end)
	local n = 0
	local function pass(name, value, expected)
		n = n + 1
		a:call(c, name, value)
		t:within(1, function() return x.count == n end)
		if expected == nil then expected = value end
		t:eq(x.got[2], expected, name)
	end
	pass("ServerInt", 0)
	pass("ServerInt", 10)
	pass("ServerFloat", -1)
	pass("ServerFloat", 5)
	pass("ServerFloat", 0.5)
	pass("ServerBool", true)
	pass("ServerBool", false)
	pass("ServerWord", "12345678")
	pass("ServerText", ("x"):rep(255))
	pass("ServerText", "zero \0 and \255")
	pass("ServerMood", "Cross")
	pass("ServerPlace", vector(100, -200, 300))
	pass("ServerPlace", vector(1.5, -1.5, 0.4), vector(2, -2, 0))
	pass("ServerPlace", vector(40000, -40000, 0), vector(32767, -32768, 0))
	pass("ServerTurn", rotator(256, 32768, 65280))
	pass("ServerTurn", rotator(511, 0, 0), rotator(256, 0, 0))
	pass("ServerKind", "Character")
	pass("ServerWho", a:pawn(), s:pawn(a))
	pass("ServerAny", 7)
	pass("ServerAny", -0.25)
	pass("ServerAny", true)
	pass("ServerAny", "word")
	pass("ServerAny", ("x"):rep(255))
	pass("ServerAny", vector(1, 2, 3))
	pass("ServerAny", a:pawn(), s:pawn(a))
	c:ServerAny(nil)
	t:within(1, function() return x.count == n + 1 end)
	t:eq({ x.got[2], #s:log() }, { nil, 0 })
end)

local DESK = net.with [[
	local Desk = class("Desk")
	Desk.defaults { bAlwaysRelevant = true }
	function Desk.server.reliable:ServerSign(n) self.signed = (self.signed or 0) + n end
	function Desk.validate:ServerSign(_) self.judged = true return true end
	Desk.params { ServerSign = { int(0) } }
]]

-- offended says what was counted of calls that a client sent and the server would not run.
local function offended(t, client)
	local e = t:traffic(client).by_function["Desk.ServerSign"]
	return e and e.dropped or 0
end

for_each({
	{ "that has passed to another player", function(s, x, b) x.Owner = s:controller(b) end },
	{ "that nobody owns any more", function(_, x, _) x.Owner = nil end },
	{ "that is not replicated any more", function(_, x, _) x.RemoteRole = ROLE_None end },
}, function(case)
	scenario("R6.8 a call on an actor " .. case[1] .. " is dropped and counted", function(t)
		local s, a, b = DESK.start(t, {}, { name = "a", lag = 0.1 }, "b")
		local x, c = net.spawn(t, s, "Desk", { Owner = s:controller(a) }, a)
		t:run(0.4)
		c:ServerSign(1)
		t:ticks(2)
		case[2](s, x, b)
		t:within(2, function() return offended(t, a) >= 1 end)
		t:run(0.2)
		t:eq({ x.signed, x.judged }, { nil, nil })
		t:eq(offended(t, b), 0)
		t:ok(s:controller(a), "one offence is no reason to close")
		t:eq(a.error, nil)
	end)
end)

scenario("R6.8 a call on an actor that is gone meanwhile hurts nobody", function(t)
	local s, a = DESK.start(t, {}, { name = "a", lag = 0.1 })
	local x, y = s:spawn("Desk", { Owner = s:controller(a) }), s:spawn("Desk", { Owner = s:controller(a) })
	local c, d = copies(t, x, a), copies(t, y, a)
	t:run(0.4)
	c:ServerSign(1)
	t:ticks(2)
	x:Destroy()
	t:run(0.4)
	d:ServerSign(2)
	t:within(1, function() return y.signed == 2 end)
	t:ok(s:controller(a))
end)

scenario("R6.8 a client that takes the actor for its own gets nothing by it", function(t)
	local s, a, b = DESK.start(t, {}, "a", "b")
	local x, y = s:spawn("Desk", { Owner = s:controller(b) }), s:spawn("Desk")
	copies(t, x, a)
	copies(t, y, a)
	t:run(0.2)
	for _, c in ipairs { a:copy(x), a:copy(y) } do
		c.Owner = a:controller()
		c:ServerSign(1)
	end
	t:run(0.4)
	t:eq({ x.signed, x.judged, y.signed, y.judged }, { nil, nil, nil, nil })
	t:eq(x.Owner, s:controller(b))
	t:ok(s:controller(b))
end)

scenario("R6.8 who goes on with what he may not is closed, and nobody else", function(t)
	local s, a, b = DESK.start(t, { config = { offences = 12 } }, { name = "a", lag = 0.1 }, "b")
	local x, y = s:spawn("Desk", { Owner = s:controller(a) }), s:spawn("Desk", { Owner = s:controller(b) })
	local c, d = copies(t, x, a), copies(t, y, b)
	t:run(0.4)
	for _ = 1, 20 do c:ServerSign(1) end
	t:ticks(2)
	x.Owner = s:controller(b)
	t:within(1, function() return s:controller(a) == nil end)
	t:eq({ x.signed, x.judged }, { nil, nil })
	t:within(2, function() return a.error end)
	d:ServerSign(1)
	t:within(1, function() return y.signed == 1 end)
	t:eq(b.error, nil)
end)

scenario("R6.8 a flood of calls is throttled, and hurts nobody else", function(t)
	local s, a, b = DESK.start(t, { config = { calls_per_second = 20 } }, "a", "b")
	local x, y = s:spawn("Desk", { Owner = s:controller(a) }), s:spawn("Desk", { Owner = s:controller(b) })
	local c, d = copies(t, x, a), copies(t, y, b)
	t:run(1)
	for _ = 1, 60 do c:ServerSign(1) end
	t:run(0.5)
	t:ge(x.signed, 10)
	t:le(x.signed, 35)
	t:ge(offended(t, a), 25)
	d:ServerSign(1)
	t:within(1, function() return y.signed == 1 end)
end)
