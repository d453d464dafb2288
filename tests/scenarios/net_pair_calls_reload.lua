-- Pairs of rules: replicated calls (R6), simulated functions and states (R7), where a reload (R5.23) overtakes them.

local net = require("shared.net")
local begin = net.begin

-- own spawns an actor of a client's and gives it with that client's copy.
local function own(t, s, a, class)
	local x = s:spawn(class, { Owner = s:controller(a) })
	local c = t:within(3, function() return a:copy(x) end)
	t:run(0.5)
	return x, c
end

-- hears waits until what an actor noted is this, and that nothing comes after.
local function hears(t, x, want)
	t:within(5, function() return #(x.notes or "") >= #want end, "expected " .. want)
	t:run(0.5)
	t:eq(x.notes, want)
end

local BAD = { lag = 0.04, jitter = 0.03, loss = 0.2, dup = 0.1, reorder = 0.2 }

-- Radio notes what it is told. What a case puts in place of the marks is the reload.
local RADIO = [[
	local Radio = class("Radio")
	Radio.properties { Kind = int(1) }
	Radio.defaults { bAlwaysRelevant = true }
	Radio.replication { { "Kind" } }
	Radio.components { Part = "RadioPart" }
	function Radio:Note(what) self.notes = (self.notes or "") .. what .. " " end
	function Radio.server.reliable:ServerTell(n) self:Note("t" .. n) end
	function Radio.validate:ServerTell(_) return true end
	function Radio.server.reliable:ServerPick(class, n) self:Note((class and self:IsA(class) and "p" or "q") .. n) end
	function Radio.validate:ServerPick(_, _) return true end
	function Radio.client.reliable:ClientTell(n) self:Note("c" .. n) end
	function Radio.multicast.reliable:AllTell(n) self:Note("m" .. n) end
	Radio.params {
		ServerTell = { int(0) }, ServerPick = { classref("Actor"), int(0) }, ClientTell = { int(0) }, AllTell = { int(0) }, --params
	}
	--body
	local RadioPart = class("RadioPart", "ActorComponent")
	function RadioPart.server.reliable:ServerTell(n) self:GetOwner():Note("r" .. n) end
	function RadioPart.validate:ServerTell(_) return true end
	RadioPart.params { ServerTell = { int(0) } } --part
]]

-- with is the Radio after a reload that adds this.
local function with(body, params, part)
	local text = RADIO:gsub("%-%-body", function() return body or "" end)
	text = text:gsub("%-%-params", function() return params or "" end)
	return (text:gsub("%-%-part", function() return part or "" end))
end

-- A call to a function that comes with the reload, from Reloaded: the first moment at which a script can make it.
local NEW = with([[
	function Radio.server.reliable:ServerFresh(n) self:Note("f" .. n) end
	function Radio.validate:ServerFresh(_) return true end
	function Radio.server.reliable:ServerAfter(n) self:Note("a" .. n) end
	function Radio.validate:ServerAfter(_) return true end
	function Radio.simulated:Reloaded(_)
		if world.NetMode ~= NM_Client then return end
		self:ServerFresh(1)
		self:ServerTell(2)
		self.Part:ServerTell(3)
		self:ServerAfter(4)
	end
]], "ServerFresh = { int(0) }, ServerAfter = { int(0) },")

for_each({ { "a good line", {} }, { "a bad line", BAD } }, function(case)
	scenario("R6.4 R5.23 reliable calls from Reloaded arrive once and in order, of functions that came with it, too: " .. case[1],
		{ seeds = 5 }, function(t)
			local s, a = begin(t, RADIO, case[2], "a")
			local x, c = own(t, s, a, "Radio")
			c:ServerTell(1) -- under way when the scripts change
			t:reload(NEW)
			hears(t, x, "t1 f1 t2 r3 a4 ")
			c:ServerFresh(5)
			hears(t, x, "t1 f1 t2 r3 a4 f5 ")
		end)
end)

-- The files, the client's ready and what it calls are some packets each way: each of them is lost once.
for_each({ { "up", 1 }, { "up", 2 }, { "up", 3 }, { "down", 1 }, { "down", 2 }, { "down", 3 } }, function(case)
	local way, n = case[1], case[2]
	scenario(("R6.4 R5.23 R5.22 what is called while scripts change arrives though packet %d %s is lost"):format(n, way),
		{ seeds = 5, transport = "sim" }, function(t)
			local s, a = begin(t, RADIO, { lag = 0.03 }, "a")
			local x, c = own(t, s, a, "Radio")
			a:lose(way, n, n + 1)
			x:AllTell(8)
			t:reload(NEW)
			x:ClientTell(9)
			hears(t, x, "m8 f1 t2 r3 a4 ")
			t:eq(c.notes, "m8 c9 ")
		end)
end)

scenario("R6.7 R5.23 a call from Reloaded whose parameters changed crosses by the new ones", { seeds = 5 }, function(t)
	local s, a = begin(t, RADIO, BAD, "a")
	local x, c = own(t, s, a, "Radio")
	local text = with([[
		function Radio.simulated:Reloaded(_) if world.NetMode == NM_Client then self:ServerTell("one") end end
	]]):gsub("ServerTell = { int%(0%) }, ServerPick", 'ServerTell = { "" }, ServerPick')
	t:reload(text)
	hears(t, x, "tone ")
	c:ServerTell("two")
	hears(t, x, "tone ttwo ")
	t:eq(a.error, nil)
end)

-- Classes have other numbers after a reload that adds some.
for_each({
	{ "is there", "Radio", "p1 ", "" },
	{ "is there, and many more that sort before", "Radio", "p1 ", [[
		local Aardvark = class("Aardvark") local Abacus = class("Abacus") local Acorn = class("Acorn")
	]] },
}, function(case)
	scenario("R6.4 R5.23 R5.9 a call under way with a class that " .. case[1] .. " names the same after a reload", { seeds = 5 }, function(t)
		local s, a = begin(t, RADIO, { lag = 0.1 }, "a")
		local x, c = own(t, s, a, "Radio")
		x.notes = ""
		c:ServerPick(case[2], 1)
		t:reload(with("function Radio:Extra() end", nil, case[4]))
		hears(t, x, case[3])
		c:ServerPick("Pawn", 2)
		hears(t, x, case[3] .. "q2 ")
		t:eq(a.error, nil)
	end)
end)

scenario("R6.3 R5.23 a call that a reload leaves nobody to run is told of, and costs its player nothing", { seeds = 5 }, function(t)
	local s, a = begin(t, RADIO .. [[ local Spare = class("Spare") ]], { lag = 0.1 }, "a")
	local x, c = own(t, s, a, "Radio")
	c:ServerTell(1)
	c:ServerPick("Spare", 2)
	c:ServerPick("Radio", 3)
	local text = RADIO:gsub("ServerTell = { int%(0%) }, ServerPick", 'ServerTell = { "" }, ServerPick')
	t:reload(text)
	hears(t, x, "p3 ")
	local log = table.concat(s:log(), "\n")
	t:match(log, "Radio:ServerTell was called by a client before it had the reloaded scripts")
	t:match(log, "Radio:ServerPick was called by a client before it had the reloaded scripts.*class that is gone")
	t:ok(a:pawn())
end)

local LAMP = [[
	local Lamp = class("Lamp")
	Lamp.properties { Lit = int(0) }
	Lamp.defaults { bAlwaysRelevant = true, bUpdateSimulatedPosition = true }
	Lamp.replication { { "Lit", notify = true } }
	function Lamp.simulated:PostNetBeginPlay() self:SetTimer(0.05, true, "Blink") end
	function Lamp.KIND:Blink() self.blinks = (self.blinks or 0) + 1 end
	function Lamp:OnRep_Lit(_) self.lits = (self.lits or "") .. self.Lit .. " " end
	Lamp.state("On", { simulated = true })
	function Lamp.state.On.simulated:BeginState(_) self.begun = (self.begun or 0) + 1 end
	function Lamp.state.On:Code()
		while true do
			Sleep(0.05)
			self.turns = (self.turns or 0) + STEP
		end
	end
	Lamp.auto_state = "On"
]]
local function lamp(simulated, step)
	local text = simulated and LAMP:gsub("Lamp%.KIND", "Lamp.simulated") or LAMP:gsub("Lamp%.KIND", "Lamp")
	return (text:gsub("STEP", tostring(step)))
end

for_each({ { "becomes simulated", false, true }, { "is simulated no more", true, false } }, function(case)
	scenario("R7.1 R5.23 a timer of a proxy runs from the reload on, or no more, when its function " .. case[1], { seeds = 5 }, function(t)
		local s, a = begin(t, lamp(case[2], 1), { lag = 0.03, loss = 0.1 }, "a")
		local x = s:spawn("Lamp")
		local c = t:within(2, function() return a:copy(x) end)
		t:run(0.5)
		t:eq((c.blinks or 0) > 0, case[2])
		t:reload(lamp(case[3], 2)) -- the step tells the new classes from the old
		t:within(2, function() c.turns = 0 t:run(0.06) return (c.turns or 0) == 2 end)
		c.blinks, x.blinks = 0, 0
		t:run(0.5)
		t:eq(c.blinks > 0, case[3])
		t:gt(x.blinks, 5, "the server's runs either way")
	end)
end)

scenario("R7.2 R7.3 R5.23 code of a state that a reload changes begins again on the proxy, once, and its notifies go on",
	{ seeds = 5 }, function(t)
		local s, a = begin(t, lamp(true, 1), { lag = 0.03, jitter = 0.02, loss = 0.15, reorder = 0.1 }, "a")
		local x = s:spawn("Lamp")
		local c = t:within(2, function() return a:copy(x) end)
		t:within(2, function() return (c.turns or 0) > 2 end)
		t:eq(c.begun, 1)
		x.Lit = 1
		t:reload(lamp(true, 100))
		x.Lit = 2
		t:within(3, function() return (c.turns or 0) > 100 end)
		t:within(2, function() return c.Lit == 2 end)
		t:eq(c.begun, 1, "the state is the same")
		t:eq({ c.lits:sub(-2), c:IsInState("On") }, { "2 ", true })
	end)
