-- Section 5 of the rules, R5.7: named conditions.

local net = require("shared.net")
local copy, join = net.copy, net.join

-- R5.7 Named conditions of a chest that belongs to a: what a and b have of a value that is there at the start,
-- and of one that is set later. Both have it as a simulated proxy.
local named = {
	{ "COND_None", { 5, 5 }, { 6, 6 } },
	{ "COND_InitialOnly", { 5, 5 }, { 5, 5 } },
	{ "COND_OwnerOnly", { 5, 0 }, { 6, 0 } },
	{ "COND_SkipOwner", { 0, 5 }, { 0, 6 } },
	{ "COND_SimulatedOnly", { 5, 5 }, { 6, 6 } },
	{ "COND_AutonomousOnly", { 0, 0 }, { 0, 0 } },
	{ "COND_SimulatedOrPhysics", { 5, 5 }, { 6, 6 } },
	{ "COND_InitialOrOwner", { 5, 5 }, { 6, 5 } },
	{ "COND_Custom", { 5, 5 }, { 6, 6 } },
	{ "COND_ReplayOrOwner", { 5, 0 }, { 6, 0 } },
	{ "COND_ReplayOnly", { 0, 0 }, { 0, 0 } },
	{ "COND_SimulatedOnlyNoReplay", { 5, 5 }, { 6, 6 } },
	{ "COND_SimulatedOrPhysicsNoReplay", { 5, 5 }, { 6, 6 } },
	{ "COND_SkipReplay", { 5, 5 }, { 6, 6 } },
	{ "COND_Dynamic", { 5, 5 }, { 6, 6 } },
	{ "COND_Never", { 0, 0 }, { 0, 0 } },
}

local function item(condition)
	return [[
		local Item = class("Item")
		Item.properties { V = int(0), Seen = int(0) }
		Item.defaults { bAlwaysRelevant = true }
		Item.replication { { "V", when = ]] .. condition .. [[ }, { "Seen" } }
	]]
end

-- Sets V to 5 at the start and to 6 later, and holds what a and b have to what is expected.
local function firstAndLater(t, a, b, actor, case)
	local ca, cb = copy(t, a, actor), copy(t, b, actor)
	t:run(0.4)
	t:eq({ ca.V, cb.V }, case[2], "the value of the start at the owner and at the other")
	actor.V, actor.Seen = 6, 1
	t:run(0.4)
	t:eq({ ca.Seen, cb.Seen }, { 1, 1 })
	t:eq({ ca.V, cb.V }, case[3], "the value set later at the owner and at the other")
end

for_each(named, function(case)
	scenario("R5.7 " .. case[1] .. " of an owned actor", function(t)
		t:scripts(item(case[1]))
		local s, a, b = net.start(t, {}, "a", "b")
		local chest = s:spawn("Item", { Owner = s:controller(a), V = 5 })
		firstAndLater(t, a, b, chest, case)
	end)
end)

-- The same of the pawn that a drives: a has it as an autonomous proxy.
for_each({
	{ "COND_None", { 5, 5 }, { 6, 6 } },
	{ "COND_InitialOnly", { 5, 5 }, { 5, 5 } },
	{ "COND_OwnerOnly", { 5, 0 }, { 6, 0 } },
	{ "COND_SkipOwner", { 0, 5 }, { 0, 6 } },
	{ "COND_SimulatedOnly", { 0, 5 }, { 0, 6 } },
	{ "COND_AutonomousOnly", { 5, 0 }, { 6, 0 } },
	{ "COND_SimulatedOrPhysics", { 0, 5 }, { 0, 6 } },
	{ "COND_InitialOrOwner", { 5, 5 }, { 6, 5 } },
	{ "COND_SimulatedOnlyNoReplay", { 0, 5 }, { 0, 6 } },
	{ "COND_SimulatedOrPhysicsNoReplay", { 0, 5 }, { 0, 6 } },
	{ "COND_ReplayOrOwner", { 5, 0 }, { 6, 0 } },
	{ "COND_Never", { 0, 0 }, { 0, 0 } },
}, function(case)
	scenario("R5.7 " .. case[1] .. " of a player's pawn", function(t)
		t:scripts(net.hero(case[1]))
		local s, a, b = net.start(t, { pawn = "Hero" }, "a", "b")
		local pawn = s:spawn("Hero", { Location = vector(500, 0, 100), V = 5 })
		s:controller(a):Possess(pawn)
		firstAndLater(t, a, b, pawn, case)
		t:eq({ a:copy(pawn).Role, b:copy(pawn).Role }, { ROLE_AutonomousProxy, ROLE_SimulatedProxy })
	end)
end)

for_each({ { "COND_AutonomousOnly", { 5, 0 }, { 6, 0 } }, { "COND_SimulatedOnly", { 0, 5 }, { 0, 6 } } }, function(case)
	scenario("R5.7 " .. case[1] .. " of an owned actor whose RemoteRole is AutonomousProxy: its owner's alone is one", function(t)
		t:scripts(item(case[1]))
		local s, a, b = net.start(t, {}, "a", "b")
		local chest = s:spawn("Item", { Owner = s:controller(a), RemoteRole = ROLE_AutonomousProxy, V = 5 })
		firstAndLater(t, a, b, chest, case)
		t:eq({ a:copy(chest).Role, b:copy(chest).Role }, { ROLE_AutonomousProxy, ROLE_SimulatedProxy })
	end)
end)

for_each({ "COND_SimulatedOrPhysics", "COND_SimulatedOrPhysicsNoReplay" }, function(condition)
	scenario("R5.7 " .. condition .. " of a player's pawn that is a rigid body", function(t)
		t:scripts(net.hero(condition))
		local s, a, b = net.start(t, { pawn = "Hero" }, "a", "b")
		local pawn = s:spawn("Hero", { Location = vector(500, 0, 100), V = 5, Physics = PHYS_RigidBody })
		s:controller(a):Possess(pawn)
		pawn.Physics = PHYS_RigidBody
		firstAndLater(t, a, b, pawn, { condition, { 5, 5 }, { 6, 6 } })
		t:eq(pawn.Physics, PHYS_RigidBody)
	end)
end)

for_each({
	{ "COND_OwnerOnly", { 0, 0 }, { 5, 0 }, { 5, 6 } },
	{ "COND_SkipOwner", { 5, 5 }, { 5, 5 }, { 6, 5 } },
	{ "COND_ReplayOrOwner", { 0, 0 }, { 5, 0 }, { 5, 6 } },
}, function(case)
	scenario("R5.7 " .. case[1] .. " without an owner, with one, and when it changes", function(t)
		t:scripts(item(case[1]))
		local s, a, b = net.start(t, {}, "a", "b")
		local chest, ca, cb = net.spawn(t, s, "Item", { V = 5 }, a, b)
		t:run(0.4)
		t:eq({ ca.V, cb.V }, case[2], "without an owner")
		chest.Owner = s:controller(a)
		t:run(0.4)
		t:eq({ ca.V, cb.V }, case[3], "a owns it")
		chest.Owner = s:controller(b)
		chest.V = 6
		t:run(0.4)
		t:eq({ ca.V, cb.V }, case[4], "b owns it")
	end)
end)

scenario("R5.7 COND_Custom is active at first; what changes while it is off is sent when it is on again", function(t)
	t:scripts(item("COND_Custom"))
	local s, a, b = net.start(t, {}, "a", "b")
	local chest, ca, cb = net.spawn(t, s, "Item", { V = 5, Owner = s:controller(a) }, a, b)
	t:within(1, function() return ca.V == 5 and cb.V == 5 end)
	chest:SetCustomIsActive("V", false)
	chest.V, chest.Seen = 6, 1
	t:run(0.4)
	t:eq({ ca.V, cb.V, ca.Seen, cb.Seen }, { 5, 5, 1, 1 })
	chest:SetCustomIsActive("V", true)
	t:within(1, function() return ca.V == 6 and cb.V == 6 end)
	chest.V = 7
	t:within(1, function() return ca.V == 7 and cb.V == 7 end)
end)

scenario("R5.7 COND_Custom is switched per actor, and who joins while it is off does not get it", function(t)
	t:scripts(item("COND_Custom"))
	local s = t:server{}
	local on, off = s:spawn("Item", { V = 5 }), s:spawn("Item", { V = 5 })
	off:SetCustomIsActive("V", false)
	local a = join(t, s, { name = "a" })
	local con, coff = copy(t, a, on), copy(t, a, off)
	t:run(0.4)
	t:eq({ con.V, coff.V }, { 5, 0 })
	off:SetCustomIsActive("V", true)
	t:within(1, function() return coff.V == 5 end)
end)

-- COND_Dynamic becomes another condition at run time: what a, the owner, and b get of the value set then.
for_each({
	{ "COND_OwnerOnly", { 6, 5 } },
	{ "COND_SkipOwner", { 5, 6 } },
	{ "COND_InitialOnly", { 5, 5 } },
	{ "COND_AutonomousOnly", { 5, 5 } },
	{ "COND_SimulatedOnly", { 6, 6 } },
	{ "COND_InitialOrOwner", { 6, 5 } },
	{ "COND_ReplayOnly", { 5, 5 } },
	{ "COND_Never", { 5, 5 } },
	{ "COND_None", { 6, 6 } },
}, function(case)
	scenario("R5.7 COND_Dynamic as " .. case[1] .. ", and back", function(t)
		t:scripts(item("COND_Dynamic"))
		local s, a, b = net.start(t, {}, "a", "b")
		local chest, plain = s:spawn("Item", { Owner = s:controller(a), V = 5 }), s:spawn("Item", { V = 5 })
		local ca, cb, cp = copy(t, a, chest), copy(t, b, chest), copy(t, b, plain)
		t:within(1, function() return ca.V == 5 and cb.V == 5 and cp.V == 5 end)
		t:run(0.2)
		chest:SetDynamicCondition("V", s:eval("return " .. case[1]))
		chest.V, chest.Seen, plain.V = 6, 1, 6
		t:run(0.4)
		t:eq({ ca.V, cb.V }, case[2])
		t:eq({ ca.Seen, cb.Seen, cp.V }, { 1, 1, 6 }, "other variables and other actors go on")
		chest:SetDynamicCondition("V", COND_None)
		t:within(1, function() return ca.V == 6 and cb.V == 6 end)
	end)
end)

scenario("R5.7 COND_NetGroup reaches the members of the group and nobody else", function(t)
	t:scripts(net.thing("Plan", "V = int(0), W = int(0)",
		'{ "V", when = COND_NetGroup, group = "spies" }, { "W", when = COND_NetGroup, group = "cooks" }'))
	local s, a, b, c = net.start(t, {}, "a", "b", "c")
	s:controller(a):JoinNetGroup("spies")
	s:controller(b):JoinNetGroup("cooks")
	local plan = s:spawn("Plan", { Owner = s:controller(c), V = 5, W = 6 })
	local function have(client) return { client:copy(plan).V, client:copy(plan).W } end
	copy(t, a, plan)
	copy(t, b, plan)
	copy(t, c, plan)
	t:run(0.4)
	t:eq({ have(a), have(b), have(c) }, { { 5, 0 }, { 0, 6 }, { 0, 0 } })
	plan.V, plan.W = 7, 8
	t:run(0.4)
	t:eq({ have(a), have(b), have(c) }, { { 7, 0 }, { 0, 8 }, { 0, 0 } })
end)

scenario("R5.7 COND_NetGroup: who enters a group gets what it knows, who leaves hears no more, both may be in several", function(t)
	t:scripts(net.thing("Plan", "V = int(0), W = int(0)",
		'{ "V", when = COND_NetGroup, group = "spies" }, { "W", when = COND_NetGroup, group = "cooks" }'))
	local s, a = net.start(t, {}, "a")
	local pc = s:controller(a)
	local plan, c = net.spawn(t, s, "Plan", { V = 5, W = 6 }, a)
	t:run(0.3)
	t:eq({ c.V, c.W }, { 0, 0 })
	pc:JoinNetGroup("spies")
	t:within(1, function() return c.V == 5 end)
	pc:JoinNetGroup("cooks")
	t:within(1, function() return c.W == 6 end)
	pc:LeaveNetGroup("spies")
	plan.V, plan.W = 7, 8
	t:within(1, function() return c.W == 8 end)
	t:run(0.3)
	t:eq(c.V, 5)
end)

scenario("R5.7 COND_NetGroup: what changed while a client was out of the group is sent when it is in again", function(t)
	t:scripts(net.thing("Plan", "V = int(0)", '{ "V", when = COND_NetGroup, group = "spies" }'))
	local s, a, b = net.start(t, {}, "a", "b")
	local plan, ca, cb = net.spawn(t, s, "Plan", {}, a, b)
	s:controller(a):JoinNetGroup("spies")
	s:controller(b):JoinNetGroup("spies")
	plan.V = 1
	t:within(1, function() return ca.V == 1 and cb.V == 1 end)
	t:run(0.3)
	s:controller(a):LeaveNetGroup("spies")
	plan.V = 2
	t:within(1, function() return cb.V == 2 end)
	t:run(0.2)
	t:eq(ca.V, 1)
	s:controller(a):JoinNetGroup("spies")
	t:within(1, function() return ca.V == 2 end)
	s:controller(a):LeaveNetGroup("spies")
	s:controller(a):LeaveNetGroup("spies")
	plan.V = 3
	t:within(1, function() return cb.V == 3 end)
	t:run(0.2)
	t:eq(ca.V, 2)
end)
