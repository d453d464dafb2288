-- R4.7 where it meets R5.20, R5.17, R5.18 and R3.12: actors with components fall asleep, wake and lose nothing.

local net = require("shared.net")

local NEAR = vector(600, -1800, 100) -- in sight of both players, a at (0, -2000) and b at (0, -1600), who look along +x
local START = vector(0, -2000, 88) -- where a stands at first
local AWAY = vector(0, 9000, 88) -- farther from NEAR than CULL
local CULL = 3000

local CHEST = net.with [[
	local Lock = class("Lock", "ActorComponent")
	Lock.properties { Pins = int(0), Arr = array(int(0), 4), Who = ref("Actor"), Custom = int(0), Mine = int(0) }
	Lock.replication { { "Pins", "Arr", "Who" }, { "Custom", when = COND_Custom }, { "Mine", when = COND_OwnerOnly } }
	function Lock.multicast.reliable:AllTurn(n) self.turned = (self.turned or "") .. n .. ":" .. self.Pins .. " " end
	Lock.params { AllTurn = { int(0) } }

	local Chest = class("Chest")
	Chest.properties { Gold = int(0) }
	Chest.components { Lock = "Lock" }
	Chest.replication { { "Gold" } }

	local Double = class("Double", "Chest")
	Double.components { Bolt = "Lock" }
	function Double:TornOff() self.torn = self.Lock.Pins .. " " .. self.Bolt.Pins end
]]

-- players makes a server and clients of these names, and waits until all are in.
local function players(t, ...) return CHEST.play(t, {}, ...) end

local function chest(s, class, props)
	local all = { Location = NEAR, NetCullDistance = CULL }
	for k, v in pairs(props or {}) do all[k] = v end
	return s:spawn(class or "Chest", all)
end

local function asleep(t, x, ...)
	for _, c in ipairs { ... } do
		t:within(2, function() return t:why(c, x) == "dormant" end, "it falls asleep")
	end
end

-- sleeper is a chest that sleeps and which a client has.
local function sleeper(t, s, c, class, props)
	local x = chest(s, class, props)
	x.NetDormancy = DORM_DormantAll
	t:within(1.5, function() return c:copy(x) end)
	asleep(t, x, c)
	return x, c:copy(x)
end

-- Falling asleep

for_each({ "Chest", "Double" }, function(class)
	scenario("R4.7 R5.20 an actor with components is spawned dormant, and sleeps: " .. class, function(t)
		local s, a = players(t, "a")
		local x = chest(s, class, { NetDormancy = DORM_DormantAll })
		t:within(1.5, function() return a:copy(x) end)
		asleep(t, x, a)
	end)

	scenario("R4.7 R5.20 it falls asleep again, whichever of its variables were set: " .. class, function(t)
		local s, a = players(t, "a")
		local x, c = sleeper(t, s, a, class)
		for n, part in ipairs { x.Lock, x.Bolt or x.Lock } do
			part.Pins = n * 5
			part.Arr[2] = n
			t:within(0.5, function() return c.Lock.Pins == x.Lock.Pins and (not x.Bolt or c.Bolt.Pins == x.Bolt.Pins) end)
			asleep(t, x, a)
		end
		x.Gold, x.Lock.Pins = 1, 7
		t:within(0.5, function() return c.Gold == 1 and c.Lock.Pins == 7 end)
		asleep(t, x, a)
		t:eq(a:copy(x), c, "the same copy all along")
	end)

	scenario("R4.7 R5.20 what happens while it sleeps costs nothing: " .. class, function(t)
		local s, a = players(t, "a")
		local x = sleeper(t, s, a, class)
		x.Lock.Pins = 3
		t:run(0.1)
		asleep(t, x, a)
		local function bytes()
			local by = t:traffic(a).by_class
			return by[class].bytes + by.Lock.bytes
		end
		local before = bytes()
		t:run(2)
		t:eq(bytes(), before)
	end)

	scenario("R4.7 R5.20 the copy stays when its client goes out of range: " .. class, function(t)
		local s, a = players(t, "a")
		local x, c = sleeper(t, s, a, class)
		x.Lock.Pins = 3
		t:within(0.5, function() return c.Lock.Pins == 3 end)
		asleep(t, x, a)
		s:pawn(a).Location = AWAY
		t:always(8, function() return c.alive end)
		t:eq(c.Lock.Pins, 3)
	end)
end)

scenario("R4.7 R5.20 it falls asleep only when what was sent of its components is acknowledged", { seeds = 5 }, function(t)
	local s, a = players(t, "a")
	local x = chest(s)
	local c = t:within(1.5, function() return a:copy(x) end)
	t:run(0.5)
	a:link { lag = 0.05, loss = 1 }
	x.Lock.Pins = 7
	x.NetDormancy = DORM_DormantAll
	t:always(0.8, function() return t:why(a, x) ~= "dormant" end)
	a:link { loss = 0.2 }
	t:within(3, function() return c.Lock.Pins == 7 end)
	a:link { loss = 0 }
	asleep(t, x, a)
end)

scenario("R4.7 R5.20 no change of a component is lost by sleeping, waking and loss", { seeds = 5 }, function(t)
	local s, a = players(t, "a")
	a:link { lag = 0.04, jitter = 0.03, loss = 0.3, dup = 0.1, reorder = 0.1 }
	local list = {}
	for i = 1, 8 do list[i] = chest(s, i % 2 == 0 and "Double" or "Chest", { NetDormancy = DORM_DormantAll }) end
	for round = 1, 6 do
		for i, x in ipairs(list) do
			if i % 3 == 0 then x:SetNetDormancy(DORM_Awake) end
			x.Lock.Pins = round * 100 + i
			if x.Bolt and round % 2 == 0 then x.Bolt.Arr[round % 4 + 1] = round * i end
			if round == 3 and i % 4 == 0 then x:AddComponent("Lock", "Extra") end
			if x.Extra then x.Extra.Pins = round end
			x:SetNetDormancy(DORM_DormantAll)
		end
		t:run(round * 0.1)
	end
	t:within(4, function()
		for _, x in ipairs(list) do
			local c = a:copy(x)
			if not c or c.Lock.Pins ~= x.Lock.Pins then return false end
			if x.Bolt and (c.Bolt.Arr[3] ~= x.Bolt.Arr[3] or c.Bolt.Arr[1] ~= x.Bolt.Arr[1]) then return false end
			if x.Extra and (not c.Extra or c.Extra.Pins ~= x.Extra.Pins) then return false end
		end
		return true
	end)
	a:link { loss = 0 }
	for _, x in ipairs(list) do asleep(t, x, a) end
end)

scenario("R4.5 R4.7 a change that was taken back before it was due does not keep an actor awake", function(t)
	local s, a = players(t, "a")
	local x = chest(s, "Chest", { NetUpdateFrequency = 1 })
	local c = t:within(1.5, function() return a:copy(x) end)
	t:run(1.5)
	x.Gold, x.Lock.Pins = 1, 1
	t:within(1, function() return c.Gold == 1 and c.Lock.Pins == 1 end)
	x.Gold, x.Lock.Pins = 2, 2 -- not due yet
	x.NetDormancy = DORM_DormantAll
	t:run(0.3)
	x.Gold, x.Lock.Pins = 1, 1
	asleep(t, x, a)
	t:eq({ c.Gold, c.Lock.Pins }, { 1, 1 })
end)

scenario("R4.7 what was set since the last net update keeps an actor awake", function(t)
	local s, a = CHEST.play(t, { tick = 60, net = 2 }, { name = "a", lag = 0.05 })
	for n = 1, 12 do -- so that confirmations come between two net updates
		local x = chest(s, "Chest", { Gold = n })
		t:within(2, function() return a:copy(x) end)
		t:ticks(n)
		x.NetDormancy = DORM_DormantAll
		x.Gold, x.Lock.Pins = 100, 101
		t:always(3, function()
			return t:why(a, x) ~= "dormant" or a:copy(x).Gold == 100 and a:copy(x).Lock.Pins == 101
		end)
		asleep(t, x, a)
	end
end)

-- Waking

scenario("R4.7 R5.20 each kind of a component's variables wakes", function(t)
	local s, a, b = players(t, "a", "b")
	local x, c = sleeper(t, s, a, "Chest", { Owner = s:pawn(a) })
	local d = b:copy(x)
	x.Lock.Arr[3] = 4
	t:within(0.3, function() return c.Lock.Arr[3] == 4 and d.Lock.Arr[3] == 4 end)
	asleep(t, x, a, b)
	x.Lock.Who = x
	t:within(0.3, function() return c.Lock.Who == c and d.Lock.Who == d end)
	asleep(t, x, a, b)
	x.Lock.Mine = 5
	t:within(0.3, function() return c.Lock.Mine == 5 end)
	asleep(t, x, a, b)
	t:eq(d.Lock.Mine, 0)
end)

scenario("R5.13 R4.7 a component's reference that is pending is not lost by sleeping", function(t)
	local s, a = players(t, "a")
	local target = s:spawn("Actor", { Location = NEAR, bHidden = true })
	local x, c = sleeper(t, s, a)
	x.Lock.Who = target
	t:run(0.3)
	asleep(t, x, a)
	t:eq(c.Lock.Who, nil)
	target.bHidden = false
	t:within(1.5, function() return a:copy(target) and c.Lock.Who == a:copy(target) end)
	asleep(t, x, a)
end)

for_each({ "the actor's", "the component's" }, function(whose)
	scenario("R4.7 R5.20 FlushNetDormancy sends what a component's switched condition lets through: " .. whose, function(t)
		local s, a = players(t, "a")
		local x = chest(s)
		local c = t:within(1.5, function() return a:copy(x) end)
		x.Lock:SetCustomIsActive("Custom", false)
		x.Lock.Custom = 5
		x:SetNetDormancy(DORM_DormantAll)
		asleep(t, x, a)
		t:eq({ c.Lock.Custom, (t:why(a, x.Lock, "Custom")) }, { 0, "condition_false" })
		x.Lock:SetCustomIsActive("Custom", true)
		if whose == "the actor's" then x:FlushNetDormancy() else x.Lock:FlushNetDormancy() end
		t:within(0.3, function() return c.Lock.Custom == 5 end)
		asleep(t, x, a)
	end)
end)

scenario("R6.4 R4.7 a call on a sleeping actor's component opens both, and they sleep again", function(t)
	local s, a = players(t, "a")
	local x, c = sleeper(t, s, a)
	x.Lock.Pins = 3
	x.Lock:AllTurn(1)
	x.Lock:AllTurn(2)
	t:within(0.5, function() return c.Lock.turned == "1:3 2:3 " end)
	asleep(t, x, a)
	t:eq(a:copy(x), c)
end)

scenario("R2.2 R4.7 a sleeping actor whose owner's owner is another wakes with its role", function(t)
	local s, a, b = players(t, "a", "b")
	local hand = s:spawn("Actor", { Location = NEAR, Owner = s:pawn(a), bReplicates = false })
	local x = chest(s, "Chest", { Owner = hand, RemoteRole = ROLE_AutonomousProxy, bAlwaysRelevant = true, NetDormancy = DORM_DormantAll })
	local c = t:within(1.5, function() return a:copy(x) end)
	asleep(t, x, a, b)
	t:eq({ c.Role, b:copy(x).Role }, { ROLE_AutonomousProxy, ROLE_SimulatedProxy })
	hand.Owner = s:pawn(b)
	t:within(0.5, function() return c.Role == ROLE_SimulatedProxy and b:copy(x).Role == ROLE_AutonomousProxy end)
	asleep(t, x, a, b)
end)

-- Components that come and go

scenario("R4.7 R5.20 a component added to a sleeping actor arrives, and the actor sleeps again", function(t)
	local s, a = players(t, "a")
	local x, c = sleeper(t, s, a)
	x:AddComponent("Lock", "Extra")
	x.Extra.Pins = 4
	t:within(0.5, function() return c.Extra and c.Extra.Pins == 4 end)
	asleep(t, x, a)
	x.Extra.Pins = 5
	t:within(0.5, function() return c.Extra.Pins == 5 end)
	asleep(t, x, a)
	t:eq(a:copy(x), c)
	x:AddComponent("Lock", "Plain") -- at its defaults
	t:within(0.5, function() return c.Plain end)
	asleep(t, x, a)
end)

scenario("R4.7 R5.20 a component destroyed while something of it is under way does not keep its actor awake", function(t)
	local s, a = players(t, "a")
	a:link { lag = 0.05 }
	for ticks = 1, 12, 2 do
		local x = chest(s)
		local c = t:within(1.5, function() return a:copy(x) end)
		t:run(0.5)
		x:AddComponent("Lock", "Extra")
		x.Extra.Pins = 7
		x.NetDormancy = DORM_DormantAll
		t:ticks(ticks)
		x.Extra:Destroy()
		asleep(t, x, a)
		t:within(1, function() return c.Extra == nil end)
	end
end)

scenario("R4.7 R5.20 a sleeping actor with components that is destroyed goes with all of them", function(t)
	local s, a = players(t, "a")
	local x, c = sleeper(t, s, a, "Double")
	local lock, bolt = c.Lock, c.Bolt
	x:Destroy()
	t:within(0.3, function() return not c.alive and not lock.alive and not bolt.alive end)
	local y = chest(s, "Double", { Gold = 1 }) -- may have the numbers of the old one
	y.Bolt.Pins = 2
	t:within(1.5, function() return a:copy(y) and a:copy(y).Bolt.Pins == 2 end)
end)

-- Out of range: relevancy of what sleeps is not tested, but what wakes is told to nobody who may not know it (R3.12).

local function out(t, s, a)
	s:pawn(a).Location = AWAY
	t:run(7)
end

local function back(t, s, a, x)
	s:pawn(a).Location = START
	return t:within(2, function() return a:copy(x) end)
end

for_each({
	{ "a variable of it is set", function(x) x.Gold = 2 end },
	{ "a variable of its component is set", function(x) x.Lock.Pins = 2 end },
	{ "it is woken", function(x) x.NetDormancy = DORM_Awake end },
	{ "it gets a component", function(x) x:AddComponent("Lock", "Extra") end },
	{ "it loses a component", function(x) x.Late:Destroy() end },
}, function(case)
	scenario("R3.12 R4.7 the copy of a sleeping actor goes where it is out of range and " .. case[1], function(t)
		local s, a, b = players(t, "a", "b")
		local x, c = sleeper(t, s, a, "Double", { Gold = 1 })
		asleep(t, x, b)
		x.Bolt.Pins = 9
		x:AddComponent("Lock", "Late")
		t:within(0.5, function() return c.Bolt.Pins == 9 and c.Late end)
		asleep(t, x, a, b)
		out(t, s, a)
		t:ok(c.alive)
		local before = #t:trace(a)
		case[2](x)
		t:within(1, function() return not c.alive end, "the sleeping copy is closed")
		t:ok(b:copy(x))
		for i, e in ipairs(t:trace(a)) do
			if i > before and e.actor == x then t:eq({ e.event, e.value }, { "closed", "irrelevant" }) end
		end
		local d = back(t, s, a, x)
		t:run(0.3)
		t:eq({ d.Gold, d.Lock.Pins, d.Bolt.Pins }, { x.Gold, x.Lock.Pins, 9 })
		t:eq({ d.Extra ~= nil, d.Late ~= nil }, { x.Extra ~= nil, x.Late ~= nil })
	end)
end)

scenario("R3.12 R4.7 who does not have a sleeping actor any more does not hear of its component, either", function(t)
	local s, a = players(t, "a")
	local x, c = sleeper(t, s, a)
	out(t, s, a)
	x.Gold = 2
	t:within(1, function() return not c.alive end)
	local before = t:traffic(a).by_class
	local chests, locks = before.Chest.bytes, before.Lock.bytes
	x.Lock.Pins = 5
	x.Lock:AllTurn(1)
	x:AddComponent("Lock", "Extra")
	t:run(1)
	local now = t:traffic(a).by_class
	t:eq({ now.Chest.bytes, now.Lock.bytes }, { chests, locks })
	local d = back(t, s, a, x)
	t:within(0.5, function() return d.Lock.Pins == 5 and d.Extra end)
	t:eq(d.Lock.turned, nil)
end)

-- Other ends

scenario("R5.18 R4.7 a sleeping actor that is torn off tells what was set last, of its components too", function(t)
	local s, a = players(t, "a")
	local x, c = sleeper(t, s, a, "Double")
	x.Gold, x.Lock.Pins = 1, 2
	x.Bolt.Pins, x.bTearOff = 3, true
	t:within(1, function() return c.torn end)
	t:eq({ c.torn, c.Gold }, { "2 3", 1 })
	t:eq(c.Role, ROLE_Authority)
	x.Lock.Pins = 9
	t:run(0.5)
	t:eq(c.Lock.Pins, 2)
end)

scenario("R5.18 R3.12 a sleeping actor torn off out of range is told to nobody, nor are its components", function(t)
	local s, a = players(t, "a")
	local x, c = sleeper(t, s, a, "Double")
	out(t, s, a)
	x.Lock.Pins, x.bTearOff = 2, true
	t:within(1, function() return not c.alive end)
	for _, e in ipairs(t:trace(a)) do
		if e.actor == x then t:ne(e.event, "torn_off") end
	end
	s:pawn(a).Location = START
	t:run(2)
	t:eq(a:copy(x), nil, "who comes later never gets it")
end)

scenario("R5.23 R4.7 a sleeping actor's component gets a new variable by a reload, and both sleep again", function(t)
	local s, a = players(t, "a")
	local x, c = sleeper(t, s, a)
	t:reload((CHEST.classes:gsub("Lock.properties {", "Lock.properties { Weight = int(0),"):gsub('{ "Pins", ', '{ "Weight", "Pins", ')))
	x.Lock.Weight = 3
	t:within(2, function() return c.Lock.Weight == 3 end)
	asleep(t, x, a)
end)

-- Of the level

-- lift is the Mover of a level, which the client has from there.
local function lift(t)
	local s = CHEST.server(t, { level = "steps" })
	local x = s:actors("Mover")[1]
	x.NetDormancy = DORM_Initial
	return s, x
end

local function enter(t, s)
	local a = t:client { name = "a" }
	t:within(5, function() return s:pawn(a) and a:pawn() end)
	t:run(0.5)
	return a, a:actors("Mover")[1]
end

scenario("R4.7 R5.20 a component that was added to an actor with DORM_Initial arrives with it", function(t)
	local s, x = lift(t)
	x:AddComponent("Lock", "Extra")
	t:run(0.2)
	local a, c = enter(t, s)
	t:within(0.5, function() return c.Extra end)
	asleep(t, x, a)
	x.Extra.Pins = 5
	t:within(0.5, function() return c.Extra.Pins == 5 end)
	asleep(t, x, a)
	t:eq(#a:actors("Mover"), #s:actors("Mover"))
end)

scenario("R3.10 R4.7 what a component of the level's own gets while its actor is out of range arrives later", function(t)
	local s, x = lift(t)
	x:AddComponent("Lock", "Extra")
	x.bAlwaysRelevant = false
	x.NetCullDistance = CULL
	x.NetDormancy = DORM_DormantAll
	local a, c = enter(t, s)
	local near = x.Location + vector(600, 600, 200)
	s:pawn(a).Location = near
	t:within(3, function() return c.Extra end)
	asleep(t, x, a)
	s:pawn(a).Location = near + vector(0, 9000, 0)
	t:run(7)
	x.Extra.Pins = 5
	t:run(1)
	t:eq(c.Extra.Pins, 0)
	s:pawn(a).Location = near
	t:within(2, function() return c.Extra.Pins == 5 end)
end)
