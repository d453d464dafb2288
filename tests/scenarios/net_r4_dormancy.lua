-- R4.7, dormancy: what sleeps costs nothing and loses nothing.

local net = require("shared.net")
local joined, present = net.joined, net.copies

local NEAR = vector(600, -1800, 100) -- in sight of both players, a at (0, -2000) and b at (0, -1600), who look along +x

local CHEST = net.with [[
	local Chest = class("Chest")
	Chest.properties { Gold = int(0), Arr = array(int(0), 4), Custom = int(0), Target = ref("Actor"), Ticks = int(0) }
	Chest.replication { { "Gold", "Arr", "Target" }, { "Custom", when = COND_Custom } }
]]

scenario("R4.7 who comes later gets a dormant actor as it is now", function(t)
	local s, a = CHEST.play(t, {}, "a")
	local x = net.spawn(t, s, "Chest", { Location = NEAR, NetDormancy = DORM_DormantAll }, a)
	x.Gold = 8
	t:run(0.6)
	local b = t:client{ name = "b" }
	joined(t, s, b)
	present(t, x, b)
	t:eq(b:copy(x).Gold, 8)
	x.Gold = 9
	t:within(0.3, function() return a:copy(x).Gold == 9 and b:copy(x).Gold == 9 end)
end)

scenario("R4.7 relevancy of a dormant actor is not tested: the client keeps its copy", function(t)
	local s, a = CHEST.play(t, {}, "a")
	local awake = s:spawn("Chest", { Location = NEAR, NetCullDistance = 3000 })
	local x = net.spawn(t, s, "Chest", { Location = NEAR, NetCullDistance = 3000, NetDormancy = DORM_DormantAll }, a)
	present(t, awake, a)
	t:run(0.6)
	s:pawn(a).Location = vector(0, 9000, 88)
	t:within(7.5, function() return a:copy(awake) == nil end)
	t:ok(a:copy(x))
end)

scenario("R4.7 DORM_Never and DORM_Awake do not sleep", function(t)
	local s, a = CHEST.play(t, {}, "a")
	local never = s:spawn("Chest", { Location = NEAR, NetDormancy = DORM_Never })
	local awake = s:spawn("Chest", { Location = NEAR })
	t:eq(awake.NetDormancy, DORM_Awake)
	present(t, never, a)
	present(t, awake, a)
	t:run(1)
	t:ne((t:why(a, never, "Gold")), "dormant")
	t:ne((t:why(a, awake, "Gold")), "dormant")
	never.Gold, awake.Gold = 1, 2
	t:within(0.3, function() return a:copy(never).Gold == 1 and a:copy(awake).Gold == 2 end)
end)

scenario("R4.7 an actor at rest is put to sleep", function(t)
	local s, a = CHEST.play(t, {}, "a")
	local x = net.spawn(t, s, "Chest", { Location = NEAR }, a)
	t:run(1)
	x:SetNetDormancy(DORM_DormantAll)
	t:within(1, function() return t:why(a, x) == "dormant" end)
	x:SetNetDormancy(DORM_Awake)
	t:within(1, function() return t:why(a, x) ~= "dormant" end)
end)

scenario("R4.7 a dormant actor costs no bytes, and a set of a replicated variable wakes it", function(t)
	local s, a, b = CHEST.play(t, {}, "a", "b")
	local x = net.spawn(t, s, "Chest", { Location = NEAR, Gold = 3 }, a, b)
	x:SetNetDormancy(DORM_DormantAll)
	t:run(0.6)
	local copy = a:copy(x)
	t:eq((t:why(a, x, "Gold")), "dormant")
	local bytes = t:traffic(a).by_class.Chest.bytes
	t:run(1)
	t:ok(copy.alive, "the client keeps its copy")
	t:eq(t:traffic(a).by_class.Chest.bytes, bytes)
	x.Gold = 4
	t:within(0.3, function() return copy.Gold == 4 and b:copy(x).Gold == 4 end)
	x.Arr[2] = 9
	t:within(0.3, function() return copy.Arr[2] == 9 and b:copy(x).Arr[2] == 9 end)
	t:run(0.6)
	t:eq((t:why(a, x, "Gold")), "dormant", "it fell asleep again")
	t:eq(a:copy(x), copy, "the same copy all along")
	t:eq(#a:actors("Chest"), 1)
end)

scenario("R4.7 an actor of the level with DORM_Initial costs nothing until something of it is set", function(t)
	local s = t:server{ level = "steps" }
	local lift = s:actors("Mover")[1]
	lift.NetDormancy = DORM_Initial
	local a = t:client{ name = "a" }
	joined(t, s, a)
	t:run(0.5)
	local e = t:traffic(a).by_class.Mover
	t:eq({ e and e.bytes or 0, #a:actors("Mover") }, { 0, 1 })
	lift.DrawScale = 2
	t:within(0.5, function() return a:actors("Mover")[1].DrawScale == 2 end)
	t:eq(#a:actors("Mover"), 1)
end)

scenario("R4.7 a call on a sleeping actor does not reach a client to which it is not relevant any more", function(t)
	t:scripts [[
		local Horn = class("Horn")
		function Horn.multicast.reliable:AllBlow() self.blown = true end
	]]
	local s, a, b = net.play(t, {}, "a", "b")
	local x = net.spawn(t, s, "Horn", { Location = NEAR, Owner = s:pawn(a), bOnlyRelevantToOwner = true, NetDormancy = DORM_DormantAll }, a)
	t:run(0.6)
	local copy = a:copy(x)
	x.Owner = s:pawn(b)
	present(t, x, b)
	x:AllBlow()
	t:within(0.5, function() return b:copy(x).blown end)
	t:run(0.3)
	t:ok(not copy.alive or not copy.blown)
end)
