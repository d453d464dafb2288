-- Section 5 of the rules, R5.5 to R5.7: under which conditions a variable crosses, and to whom.

-- Joins a client for each table of options and waits until all are in.
local function join(t, s, ...)
	local list = {}
	for i, options in ipairs { ... } do
		list[i] = t:client(options)
	end
	t:within(10, function()
		for _, c in ipairs(list) do
			if not s:controller(c) or not c:controller() then
				return false
			end
		end
		return true
	end)
	return unpack(list)
end

-- Waits for a client's copy of an actor and gives it.
local function copy(t, client, actor)
	return t:within(5, function() return client:copy(actor) end)
end

-- Bytes that a client was sent for Class.Name so far.
local function bytes(t, client, key)
	local entry = t:traffic(client).by_property[key]
	return entry and entry.bytes or 0
end

-- The values a client was seen to receive for a variable of the server's actor, in order.
local function received(t, client, actor, name)
	local list = {}
	for _, e in ipairs(t:trace(client)) do
		if e.event == "set" and e.actor == actor and e.name == name then
			list[#list + 1] = e.value
		end
	end
	return list
end

-- R5.5 Conditions. The chest belongs to a; V is set to 5 from the start. What a has, what b has.
for_each({
	{ "self.Role == ROLE_Authority", 5, 5 },
	{ "self.Role < ROLE_Authority", 0, 0 },
	{ "self.RemoteRole == ROLE_SimulatedProxy", 5, 5 },
	{ "self.RemoteRole == ROLE_AutonomousProxy", 0, 0 },
	{ "self.bNetInitial", 5, 5 },
	{ "self.bNetOwner", 5, 0 },
	{ "not self.bNetOwner", 0, 5 },
	{ "self.bIsPlayer", 0, 0 },
	{ "not self.bIsPlayer", 5, 5 },
	{ "self.bOpen", 5, 5 },
	{ "not self.bOpen", 0, 0 },
	{ "self.bOpen and self.bNetOwner", 5, 0 },
	{ "not self.bOpen or self.bNetOwner", 5, 0 },
	{ "not (self.bOpen and self.bNetOwner)", 0, 5 },
	{ "self.Level > 2", 5, 5 },
	{ "self.Level >= 4", 0, 0 },
	{ "self.Level < 3", 0, 0 },
	{ "self.Level <= 3", 5, 5 },
	{ "self.Level ~= 3", 0, 0 },
	{ "self.Level * 2 + 1 == 7", 5, 5 },
	{ "(self.Level - 1) / 4 == 0.5", 5, 5 },
	{ "-self.Level > 0", 0, 0 },
	{ "self.Share > 0.5", 0, 0 },
	{ "self.Share == 0.25", 5, 5 },
	{ "self.Kind == 'Rich'", 5, 5 },
	{ "self.Kind ~= 'Rich'", 0, 0 },
	{ "self.Owner ~= nil", 5, 5 },
	{ "self.Label == 'mine' and not self.bNetOwner", 0, 5 },
	{ "self.Level > LIMIT", 5, 5 },
	{ "self:IsRich()", 5, 5 },
	{ "not self:IsRich()", 0, 0 },
	{ "self:IsRich() and self.bNetOwner", 5, 0 },
}, function(case)
	scenario("R5.5 when " .. case[1], function(t)
		t:scripts([[
			local LIMIT = 2
			local Chest = class("Chest")
			Chest.properties {
				V = int(0), bOpen = true, Level = int(3), Share = float(0.25), Kind = enum("Rich", "Poor"), Label = "mine", Seen = int(0),
			}
			Chest.defaults { bAlwaysRelevant = true }
			Chest.replication { { "V", when = function(self) return ]] .. case[1] .. [[ end }, { "Seen" } }
			function Chest:IsRich() return self.Level > LIMIT end
		]])
		local s = t:server{}
		local a, b = join(t, s, { name = "a" }, { name = "b" })
		local chest = s:spawn("Chest", { Owner = s:controller(a), V = 5, Seen = 1 })
		local ca, cb = copy(t, a, chest), copy(t, b, chest)
		t:run(0.4)
		t:eq({ ca.Seen, cb.Seen }, { 1, 1 })
		t:eq(ca.V, case[2], "at the owner")
		t:eq(cb.V, case[3], "at the other")
	end)
end)

-- A hero that its player drives: V under a condition.
local function hero(condition)
	return [[
		local Hero = class("Hero", "Character")
		Hero.properties { V = int(0), Seen = int(0) }
		Hero.defaults { bAlwaysRelevant = true }
		Hero.replication { { "V", when = ]] .. condition .. [[ }, { "Seen" } }
		local HeroGame = class("HeroGame", "GameInfo")
		HeroGame.defaults { DefaultPawnClass = "Hero" }
	]]
end

for_each({
	{ "self.RemoteRole == ROLE_AutonomousProxy", 5, 0 },
	{ "self.RemoteRole == ROLE_SimulatedProxy", 0, 5 },
	{ "self.RemoteRole >= ROLE_SimulatedProxy", 5, 5 },
	{ "self.bIsPlayer", 5, 5 },
	{ "self.bIsPlayer and self.bNetOwner", 5, 0 },
	{ "not self.bIsPlayer", 0, 0 },
}, function(case)
	scenario("R5.5 of a player's pawn, when " .. case[1], function(t)
		t:scripts(hero("function(self) return " .. case[1] .. " end"))
		local s = t:server{ game = "HeroGame" }
		local a, b = join(t, s, { name = "a" }, { name = "b" })
		local pawn = s:pawn(a)
		local ca, cb = copy(t, a, pawn), copy(t, b, pawn)
		t:run(0.2)
		pawn.V, pawn.Seen = 5, 1
		t:run(0.4)
		t:eq({ ca.Seen, cb.Seen }, { 1, 1 })
		t:eq(ca.V, case[2], "at the owner")
		t:eq(cb.V, case[3], "at the other")
	end)
end)

scenario("R5.5 bNetInitial holds until the client has acknowledged, and no longer", function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { V = int(0) }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication { { "V", when = function(self) return self.bNetInitial end } }
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.2 })
	local chest = s:spawn("Chest", { V = 5 })
	t:run(0.15)
	chest.V = 6 -- on its way, and nobody can have acknowledged
	local c = copy(t, a, chest)
	t:within(1, function() return c.V == 6 end)
	t:run(1)
	chest.V = 7
	t:run(0.8)
	t:eq(c.V, 6)
end)

scenario("R5.5 bNetInitial holds again for every client that comes, for it alone", function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { V = int(0), W = int(0) }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication {
			{ "V", when = function(self) return self.bNetInitial end },
			{ "W", when = function(self) return not self.bNetInitial end },
		}
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local chest = s:spawn("Chest", { V = 5, W = 1 })
	local ca = copy(t, a, chest)
	t:within(1, function() return ca.V == 5 and ca.W == 1 end)
	chest.V, chest.W = 6, 2
	t:run(0.5)
	t:eq({ ca.V, ca.W }, { 5, 2 })
	local b = join(t, s, { name = "b" })
	local cb = copy(t, b, chest)
	t:run(0.5)
	t:eq({ cb.V, cb.W }, { 6, 2 })
	t:eq(ca.V, 5)
end)

scenario("R5.5 what only crosses at first crosses at first, whatever is lost", { seeds = 5 }, function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { V = int(0) }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication { { "V", when = function(self) return self.bNetInitial end } }
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.03, loss = 0.25, reorder = 0.1 })
	local list = {}
	for i = 1, 15 do
		list[i] = s:spawn("Chest", { V = i })
		t:ticks(2)
	end
	t:within(4, function()
		for i, chest in ipairs(list) do
			if not a:copy(chest) or a:copy(chest).V ~= i then
				return false
			end
		end
		return true
	end)
end)

scenario("R5.5 bNetOwner follows the chain of owners to its top, also when it changes", function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { V = int(0) }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication { { "V", when = function(self) return self.bNetOwner end } }
	]]
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local outer = s:spawn("Chest", { Owner = s:controller(a) })
	local middle = s:spawn("Chest", { Owner = outer })
	local inner = s:spawn("Chest", { Owner = middle, V = 5 })
	local ca, cb = copy(t, a, inner), copy(t, b, inner)
	t:within(1, function() return ca.V == 5 end)
	t:run(0.3)
	t:eq(cb.V, 0)
	outer.Owner = s:controller(b)
	t:within(1, function() return cb.V == 5 end)
	inner.V = 6
	t:within(1, function() return cb.V == 6 end)
	t:run(0.3)
	t:eq(ca.V, 5, "the former owner keeps what he has and hears no more")
	outer.Owner = nil
	inner.V = 7
	t:run(0.3)
	t:eq({ ca.V, cb.V }, { 5, 6 })
end)

scenario("R5.5 when a condition comes true, what changed meanwhile is sent; when it ends, no more is", function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { V = int(0), bOpen = false }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication { { "V", when = function(self) return self.bOpen end } }
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local chest = s:spawn("Chest", { V = 5 })
	local c = copy(t, a, chest)
	t:run(0.4)
	t:eq(c.V, 0)
	chest.bOpen = true
	t:within(1, function() return c.V == 5 end)
	chest.bOpen = false
	chest.V = 6
	t:run(0.4)
	t:eq(c.V, 5)
	t:eq(c.bOpen, false, "it is named in a condition, not in the list")
end)

scenario("R5.5 bNetDirty: changed by script since this client was last served", function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { V = int(0), Late = int(0), bOpen = false }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication { { "V" }, { "Late", when = function(self) return self.bNetDirty and self.bOpen end } }
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local chest = s:spawn("Chest")
	local c = copy(t, a, chest)
	t:run(0.3)
	chest.bOpen = true
	chest.Late = 1
	t:within(1, function() return c.Late == 1 end)
	chest.bOpen = false
	chest.Late, chest.V = 2, 1
	t:within(1, function() return c.V == 1 end)
	t:run(0.3)
	chest.bOpen = true -- no replicated variable, so nothing is dirty
	t:run(0.4)
	t:eq(c.Late, 1)
	chest.V = 2
	t:within(1, function() return c.Late == 2 end)
end)

for_each({
	{ "assigns a variable of self", "self.V = 2 return true" },
	{ "assigns what is not declared", "self.x = 2 return true" },
	{ "spawns", "return self:Spawn('Chest') ~= nil" },
	{ "destroys", "return self:Destroy()" },
	{ "sets a timer", "self:SetTimer(1, false, 'Go') return true" },
	{ "calls a method with effects", "return self:Take() > 0" },
	{ "calls a replicated function", "self:ServerTake() return true" },
}, function(case)
	scenario("R5.5 a condition that " .. case[1] .. " does not load", function(t)
		t:scripts([[
			local Chest = class("Chest")
			Chest.properties { V = int(0) }
			Chest.replication { { "V", when = function(self) ]] .. case[2] .. [[ end } }
			function Chest:Take() self.V = self.V - 1 return self.V end
			function Chest:Go() end
			function Chest.server.reliable:ServerTake() end
		]])
		t:error(function() t:server{} end, "scripts:3:%d+: error: ")
	end)
end)

-- R5.6

scenario("R5.6 what depends on the connection is asked of each connection, what depends on the actor of the actor", function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { V = int(0), W = int(0), X = int(0), Level = int(0) }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication {
			{ "V", when = function(self) return self.Level > 1 and self.bNetOwner end },
			{ "W", when = function(self) return self.Level > 1 and not self.bNetOwner end },
			{ "X", when = function(self) return self:IsHigh() and (self.bNetOwner or self.Level > 5) end },
		}
		function Chest:IsHigh() return self.Level > 1 end
	]]
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local mine = s:spawn("Chest", { Owner = s:controller(a), V = 1, W = 2, X = 3 })
	local other = s:spawn("Chest", { Owner = s:controller(b), V = 1, W = 2, X = 3, Level = 9 })
	local function have(client, chest)
		local c = client:copy(chest)
		return { c.V, c.W, c.X }
	end
	copy(t, a, other)
	copy(t, b, mine)
	t:run(0.4)
	t:eq(have(a, mine), { 0, 0, 0 })
	t:eq(have(b, mine), { 0, 0, 0 })
	t:eq(have(a, other), { 0, 2, 3 })
	t:eq(have(b, other), { 1, 0, 3 })
	mine.Level = 2
	t:run(0.4)
	t:eq(have(a, mine), { 1, 0, 3 })
	t:eq(have(b, mine), { 0, 2, 0 })
end)

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
		local s = t:server{}
		local a, b = join(t, s, { name = "a" }, { name = "b" })
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
		t:scripts(hero(case[1]))
		local s = t:server{ game = "HeroGame" }
		local a, b = join(t, s, { name = "a" }, { name = "b" })
		local pawn = s:spawn("Hero", { Location = vector(500, 0, 100), V = 5 })
		s:controller(a):Possess(pawn)
		firstAndLater(t, a, b, pawn, case)
		t:eq(a:copy(pawn).Role, ROLE_AutonomousProxy)
		t:eq(b:copy(pawn).Role, ROLE_SimulatedProxy)
	end)
end)

for_each({ { "COND_AutonomousOnly", { 5, 0 }, { 6, 0 } }, { "COND_SimulatedOnly", { 0, 5 }, { 0, 6 } } }, function(case)
	scenario("R5.7 " .. case[1] .. " of an owned actor whose RemoteRole is AutonomousProxy: its owner's alone is one", function(t)
		t:scripts(item(case[1]))
		local s = t:server{}
		local a, b = join(t, s, { name = "a" }, { name = "b" })
		local chest = s:spawn("Item", { Owner = s:controller(a), RemoteRole = ROLE_AutonomousProxy, V = 5 })
		firstAndLater(t, a, b, chest, case)
		t:eq({ a:copy(chest).Role, b:copy(chest).Role }, { ROLE_AutonomousProxy, ROLE_SimulatedProxy })
	end)
end)

for_each({ "COND_SimulatedOrPhysics", "COND_SimulatedOrPhysicsNoReplay" }, function(condition)
	scenario("R5.7 " .. condition .. " of a player's pawn that is a rigid body", function(t)
		t:scripts(hero(condition))
		local s = t:server{ game = "HeroGame" }
		local a, b = join(t, s, { name = "a" }, { name = "b" })
		local pawn = s:spawn("Hero", { Location = vector(500, 0, 100), V = 5, Physics = PHYS_RigidBody })
		s:controller(a):Possess(pawn)
		pawn.Physics = PHYS_RigidBody
		firstAndLater(t, a, b, pawn, { condition, { 5, 5 }, { 6, 6 } })
		t:eq(pawn.Physics, PHYS_RigidBody)
	end)
end)

for_each({ { "COND_InitialOnly", 6, 6 }, { "COND_InitialOrOwner", 6, 7 } }, function(case)
	scenario("R5.7 " .. case[1] .. ": who joins later begins with the value of now", function(t)
		t:scripts(item(case[1]))
		local s = t:server{}
		local chest = s:spawn("Item", { V = 5 })
		t:run(0.2)
		chest.V = 6
		local a = join(t, s, { name = "a" })
		local c = copy(t, a, chest)
		t:within(1, function() return c.V == 6 end)
		t:run(0.5)
		chest.Owner = s:controller(a)
		chest.V = 7
		t:run(0.4)
		t:eq(c.V, case[3])
	end)
end)

for_each({
	{ "COND_OwnerOnly", { 0, 0 }, { 5, 0 }, { 5, 6 } },
	{ "COND_SkipOwner", { 5, 5 }, { 5, 5 }, { 6, 5 } },
	{ "COND_ReplayOrOwner", { 0, 0 }, { 5, 0 }, { 5, 6 } },
}, function(case)
	scenario("R5.7 " .. case[1] .. " without an owner, with one, and when it changes", function(t)
		t:scripts(item(case[1]))
		local s = t:server{}
		local a, b = join(t, s, { name = "a" }, { name = "b" })
		local chest = s:spawn("Item", { V = 5 })
		local ca, cb = copy(t, a, chest), copy(t, b, chest)
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

scenario("R5.7 the owner may be the pawn of a player: its controller is the top", function(t)
	t:scripts(item("COND_OwnerOnly"))
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local chest = s:spawn("Item", { Owner = s:pawn(b), V = 5 })
	local ca, cb = copy(t, a, chest), copy(t, b, chest)
	t:within(1, function() return cb.V == 5 end)
	t:run(0.3)
	t:eq(ca.V, 0)
end)

scenario("R5.7 what belongs to the player at the server is no client's", function(t)
	t:scripts [[
		local Item = class("Item")
		Item.properties { V = int(0), W = int(0) }
		Item.defaults { bAlwaysRelevant = true }
		Item.replication { { "V", when = COND_OwnerOnly }, { "W", when = COND_SkipOwner } }
	]]
	local s = t:server{ mode = "listen" }
	local a = join(t, s, { name = "a" })
	local chest = s:spawn("Item", { Owner = s:controller(), V = 5, W = 6 })
	local c = copy(t, a, chest)
	t:run(0.4)
	t:eq({ c.V, c.W }, { 0, 6 })
end)

scenario("R5.7 COND_Custom is active at first; what changes while it is off is sent when it is on again", function(t)
	t:scripts(item("COND_Custom"))
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local chest = s:spawn("Item", { V = 5, Owner = s:controller(a) })
	local ca, cb = copy(t, a, chest), copy(t, b, chest)
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
		local s = t:server{}
		local a, b = join(t, s, { name = "a" }, { name = "b" })
		local chest = s:spawn("Item", { Owner = s:controller(a), V = 5 })
		local plain = s:spawn("Item", { V = 5 })
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
	t:scripts [[
		local Plan = class("Plan")
		Plan.properties { V = int(0), W = int(0) }
		Plan.defaults { bAlwaysRelevant = true }
		Plan.replication { { "V", when = COND_NetGroup, group = "spies" }, { "W", when = COND_NetGroup, group = "cooks" } }
	]]
	local s = t:server{}
	local a, b, c = join(t, s, { name = "a" }, { name = "b" }, { name = "c" })
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
	t:scripts [[
		local Plan = class("Plan")
		Plan.properties { V = int(0), W = int(0) }
		Plan.defaults { bAlwaysRelevant = true }
		Plan.replication { { "V", when = COND_NetGroup, group = "spies" }, { "W", when = COND_NetGroup, group = "cooks" } }
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local pc = s:controller(a)
	local plan = s:spawn("Plan", { V = 5, W = 6 })
	local c = copy(t, a, plan)
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

scenario("R5.7 owner-only values do not leak by notify or trace either", function(t)
	t:scripts [[
		local Item = class("Item")
		Item.properties { V = int(0) }
		Item.defaults { bAlwaysRelevant = true }
		Item.replication { { "V", when = COND_OwnerOnly, notify = true } }
		function Item:OnRep_V(old) self.heard = old end
	]]
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local chest = s:spawn("Item", { Owner = s:controller(a) })
	local ca, cb = copy(t, a, chest), copy(t, b, chest)
	t:run(0.2)
	chest.V = 6
	t:within(1, function() return ca.heard == 0 end)
	t:run(0.2)
	t:eq(cb.heard, nil)
	t:eq(received(t, b, chest, "V"), {})
	t:eq(bytes(t, b, "Item.V"), 0)
	t:gt(bytes(t, a, "Item.V"), 0)
end)
