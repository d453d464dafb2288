-- Dormancy (R4.7) where it meets ownership, references, conditions, bandwidth and the one packet that is lost.

local net = require("shared.net")
local joined = net.joined

local NEAR = vector(600, -1800, 100) -- in sight of a, who stands at (0, -2000), and of b, at (0, -1600)

local CHEST = net.with [[
	local Chest = class("Chest")
	Chest.properties {
		N = int(0), First = int(0), Own = int(0), To = ref("Actor"), S = struct { A = int(0), B = int(0) }, Arr = array(int(0), 5),
		Bag = fastarray(struct { K = int(0) }),
	}
	Chest.defaults { NetDormancy = DORM_DormantAll }
	Chest.replication {
		{ "N", "S", notify = true }, { "To", "Arr", "Bag" }, { "First", when = COND_InitialOnly }, { "Own", when = COND_OwnerOnly },
	}
	function Chest.simulated:PostNetBeginPlay() self.began = self.N end
	function Chest:OnRep_N(old) self.story = (self.story or "") .. old .. ">" .. self.N .. " " end
	function Chest:OnRep_S() self.half = self.half or self.S.A ~= -self.S.B end
	function Chest:TornOff() self.torn = self.N end
]]

-- players makes a server and clients of these names, on lines with this lag.
local function players(t, lag, ...)
	local s = CHEST.server(t, {})
	local list = {}
	for i, name in ipairs { ... } do list[i] = t:client { name = name, lag = lag } end
	joined(t, s, unpack(list))
	return s, unpack(list)
end

local function asleep(t, x, ...)
	for _, c in ipairs { ... } do
		t:within(3, function() return t:why(c, x) == "dormant" end, "it falls asleep")
	end
end

-- sleeper is a chest that sleeps, and the copies of it.
local function sleeper(t, s, props, ...)
	local all = { Location = NEAR }
	for k, v in pairs(props) do all[k] = v end
	local x, copies = s:spawn("Chest", all), {}
	for i, c in ipairs { ... } do copies[i] = t:within(2, function() return c:copy(x) end) end
	asleep(t, x, ...)
	return x, unpack(copies)
end

-- lose loses what crosses in one direction during a net update and a half, some ticks from now.
local function lose(t, c, way, at)
	t:ticks(at)
	c:link { [way] = 1 }
	t:ticks(3)
	c:link { loss = 0 }
end

for_each({ "loss_down", "loss_up" }, function(way)
	for_each({
		{ "an int", function(x, n) x.N = n end, function(c, n) return c.N == n end },
		{ "an element", function(x, n) x.Arr[3] = n end, function(c, n) return c.Arr[3] == n end },
		{ "an item", function(x, n) x.Bag:Add { K = n } end, function(c, n) return #c.Bag == n end },
	}, function(case)
		scenario("R4.7 R5.22 what wakes an actor arrives, and it sleeps again, whichever packet is lost: " .. case[1] .. ", " .. way, { transport = "sim" },
			function(t)
				local s, a = players(t, 0.03, "a")
				local x, c = sleeper(t, s, {}, a)
				for at = 0, 11 do
					case[2](x, at + 1)
					lose(t, a, way, at)
					t:within(1, function() return case[3](c, at + 1) end, "lost at " .. at)
					asleep(t, x, a)
					t:ok(case[3](c, at + 1))
				end
				t:eq(a:copy(x), c)
			end)
	end)
end)

scenario("R4.7 R5.4 what is set and taken back within a tick is neither sent nor notified, and keeps nothing awake", function(t)
	local s, a = players(t, 0.02, "a")
	local x, c = sleeper(t, s, { N = 5 }, a)
	local function sent()
		local n = 0
		for _, name in ipairs { "Chest.N", "Chest.Arr", "Chest.S" } do
			n = n + (t:traffic(a).by_property[name] and t:traffic(a).by_property[name].count or 0)
		end
		return n
	end
	local before = sent()
	for _ = 1, 5 do
		x.N, x.Arr[1], x.S = 6, 7, { A = 1, B = -1 }
		x.N, x.Arr[1], x.S = 5, 0, { A = 0, B = 0 }
		t:run(0.3)
		asleep(t, x, a)
	end
	t:eq({ sent(), c.story }, { before, "0>5 " })
end)

-- A channel that opens again begins again, as in Unreal: bNetInitial holds until that opening is acknowledged.
scenario("R4.7 R5.7 an initial-only value that is set while its actor sleeps comes by the opening that wakes it, one set while it is awake does not",
	{ seeds = 5 }, function(t)
	local s, a = players(t, 0.03, "a")
	local x, c = sleeper(t, s, { First = 1 }, a)
	t:eq(c.First, 1)
	a:link { loss = 0.2 }
	x.First = 2
	t:within(2, function() return c.First == 2 end)
	a:link { loss = 0 }
	asleep(t, x, a)
	x:SetNetDormancy(DORM_Awake)
	t:run(0.5)
	x.First, x.N = 3, 3
	t:within(1, function() return c.N == 3 end)
	local b = t:client { name = "b", lag = 0.03, loss = 0.2 }
	joined(t, s, b)
	local d = t:within(3, function() return b:copy(x) end)
	t:within(2, function() return d.First == 3 and d.N == 3 end)
	x:SetNetDormancy(DORM_DormantAll)
	b:link { loss = 0 }
	asleep(t, x, a, b)
	t:eq({ c.First, d.First }, { 2, 3 })
end)

scenario("R3.4 R4.7 a sleeping chest that gets another owner leaves the one and comes to the other, whichever packet is lost", { transport = "sim" }, function(t)
	local s, a, b = players(t, 0.03, "a", "b")
	local x = s:spawn("Chest", { Location = NEAR, Owner = s:controller(a), bOnlyRelevantToOwner = true })
	t:within(2, function() return a:copy(x) end)
	for at = 0, 11 do
		local to, from = b, a
		if at % 2 == 1 then to, from = a, b end
		asleep(t, x, from)
		x.Owner = s:controller(to)
		x.N, x.Own = at + 1, at + 1
		t:ticks(at)
		a:link { loss = 1 }
		b:link { loss = 1 }
		t:ticks(3)
		a:link { loss = 0 }
		b:link { loss = 0 }
		t:within(1.5, function() return not from:copy(x) and to:copy(x) and to:copy(x).Own == at + 1 end, "lost at " .. at)
	end
	for rest, client in pairs { [1] = b, [0] = a } do
		for _, e in ipairs(t:trace(client)) do
			if e.actor == x and e.event == "set" and (e.name == "N" or e.name == "Own") then t:eq(e.value % 2, rest) end
		end
	end
end)

scenario("R2.2 R4.7 a sleeping pawn that is possessed has its roles on all clients, and loses them again", { seeds = 5 }, function(t)
	local s, a, b = players(t, 0.03, "a", "b")
	local old = s:pawn(a)
	local x = s:spawn("Character", { Location = vector(600, -1800, 88), NetDormancy = DORM_DormantAll })
	local ca, cb = t:within(2, function() return a:copy(x) end), t:within(2, function() return b:copy(x) end)
	asleep(t, x, a, b)
	for _ = 1, 3 do
		a:link { loss = 0.3 }
		b:link { loss = 0.3 }
		s:controller(a):Possess(x)
		t:within(2, function() return ca.Role == ROLE_AutonomousProxy and cb.Role == ROLE_SimulatedProxy and a:pawn() == ca end)
		s:controller(a):Possess(old)
		t:within(2, function() return ca.Role == ROLE_SimulatedProxy and cb.Role == ROLE_SimulatedProxy and a:pawn() == a:copy(old) end)
		a:link { loss = 0 }
		b:link { loss = 0 }
		asleep(t, x, b, a)
	end
	t:eq({ a:copy(x), b:copy(x) }, { ca, cb })
end)

scenario("R4.5 R4.7 an actor that is looked at every two seconds is woken at once by what is set, and told by ForceNetUpdate", { seeds = 5 }, function(t)
	local s, a = players(t, 0.02, "a")
	local x, c = sleeper(t, s, { NetUpdateFrequency = 0.5 }, a)
	t:run(3)
	x.N = 1
	x:ForceNetUpdate()
	t:within(0.3, function() return c.N == 1 end)
	x.N = 2 -- not due before two seconds are over
	t:run(0.2)
	t:ne((t:why(a, x)), "dormant")
	t:within(2.2, function() return c.N == 2 end)
	asleep(t, x, a)
	x.N = 3
	x:SetNetDormancy(DORM_Awake)
	x:ForceNetUpdate()
	t:within(0.3, function() return c.N == 3 end)
end)

scenario("R4.7 R5.15 what a client made of its sleeping copy lasts until the next new value", { seeds = 5 }, function(t)
	local s, a = players(t, 0.03, "a")
	local x, c = sleeper(t, s, { N = 1 }, a)
	c.N = 50
	x.Arr[1] = 3 -- wakes it; N is as it was
	t:within(1, function() return c.Arr[1] == 3 end)
	asleep(t, x, a)
	t:eq(c.N, 50)
	a:link { loss = 0.3 }
	x.N = 2
	t:within(2, function() return c.N == 2 end)
	a:link { loss = 0 }
	asleep(t, x, a)
	t:eq(c.story, "0>1 50>2 ")
end)

for_each({ "loss_down", "loss_up" }, function(way)
	scenario("R4.7 R5.18 a sleeper that is torn off tells what was set last, whichever packet is lost: " .. way, { transport = "sim" }, function(t)
		local s, a = players(t, 0.03, "a")
		for at = 0, 11 do
			local x, c = sleeper(t, s, { N = 1 }, a)
			x.N = 2 + at
			x.bTearOff = true
			lose(t, a, way, at)
			t:within(1.5, function() return c.torn end, "lost at " .. at)
			t:eq({ c.torn, c.Role }, { 2 + at, ROLE_Authority })
			x.N = 99
			t:run(0.2)
			t:eq(c.N, 2 + at)
		end
	end)
end)
