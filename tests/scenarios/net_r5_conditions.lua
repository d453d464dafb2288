-- Section 5 of the rules, R5.5 and R5.6: under which conditions a variable crosses. Named conditions are in
-- net_r5_named.lua.

local net = require("shared.net")
local copy, join, holds = net.copy, net.join, net.holds

-- R5.5 Conditions. The chest belongs to a; each variable is set to 5 from the start. What a has, what b has.
local CONDITIONS = {
	{ "self.Role == ROLE_Authority", 5, 5 }, { "self.Role < ROLE_Authority", 0, 0 }, { "self.RemoteRole == ROLE_SimulatedProxy", 5, 5 },
	{ "self.RemoteRole == ROLE_AutonomousProxy", 0, 0 }, { "self.bNetInitial", 5, 5 }, { "self.bNetOwner", 5, 0 },
	{ "not self.bNetOwner", 0, 5 }, { "self.bIsPlayer", 0, 0 }, { "not self.bIsPlayer", 5, 5 }, { "self.bOpen", 5, 5 },
	{ "not self.bOpen", 0, 0 }, { "self.bOpen and self.bNetOwner", 5, 0 }, { "not self.bOpen or self.bNetOwner", 5, 0 },
	{ "not (self.bOpen and self.bNetOwner)", 0, 5 }, { "self.Level > 2", 5, 5 }, { "self.Level >= 4", 0, 0 }, { "self.Level < 3", 0, 0 },
	{ "self.Level <= 3", 5, 5 }, { "self.Level ~= 3", 0, 0 }, { "self.Level * 2 + 1 == 7", 5, 5 }, { "(self.Level - 1) / 4 == 0.5", 5, 5 },
	{ "-self.Level > 0", 0, 0 }, { "self.Share > 0.5", 0, 0 }, { "self.Share == 0.25", 5, 5 }, { "self.Kind == 'Rich'", 5, 5 },
	{ "self.Kind ~= 'Rich'", 0, 0 }, { "self.Owner ~= nil", 5, 5 }, { "self.Label == 'mine' and not self.bNetOwner", 0, 5 },
	{ "self.Level > LIMIT", 5, 5 }, { "self:IsRich()", 5, 5 }, { "not self:IsRich()", 0, 0 }, { "self:IsRich() and self.bNetOwner", 5, 0 },
}

scenario("R5.5 conditions of every form", function(t)
	local vars, rules, set = {}, {}, { Seen = 1 }
	for i, case in ipairs(CONDITIONS) do
		vars[i] = "V" .. i .. " = int(0),"
		rules[i] = ('{ "V%d", when = function(self) return %s end },'):format(i, case[1])
		set["V" .. i] = 5
	end
	t:scripts([[
		local LIMIT = 2
		local Chest = class("Chest")
		Chest.properties {
			bOpen = true, Level = int(3), Share = float(0.25), Kind = enum("Rich", "Poor"), Label = "mine", Seen = int(0),
	]] .. table.concat(vars) .. [[ }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication { { "Seen" }, ]] .. table.concat(rules, "\n") .. [[ }
		function Chest:IsRich() return self.Level > LIMIT end
	]])
	local s, a, b = net.start(t, {}, "a", "b")
	set.Owner = s:controller(a)
	local _, ca, cb = net.spawn(t, s, "Chest", set, a, b)
	t:run(0.4)
	t:eq({ ca.Seen, cb.Seen }, { 1, 1 })
	for i, case in ipairs(CONDITIONS) do t:eq({ ca["V" .. i], cb["V" .. i] }, { case[2], case[3] }, case[1]) end
end)

for_each({
	{ "self.RemoteRole == ROLE_AutonomousProxy", 5, 0 },
	{ "self.RemoteRole == ROLE_SimulatedProxy", 0, 5 },
	{ "self.RemoteRole >= ROLE_SimulatedProxy", 5, 5 },
	{ "self.bIsPlayer", 5, 5 },
	{ "self.bIsPlayer and self.bNetOwner", 5, 0 },
	{ "not self.bIsPlayer", 0, 0 },
}, function(case)
	scenario("R5.5 of a player's pawn, when " .. case[1], function(t)
		t:scripts(net.hero("function(self) return " .. case[1] .. " end"))
		local _, _, _, pawn, ca, cb = net.pawn(t, { pawn = "Hero" }, "a", "b")
		t:run(0.2)
		pawn.V, pawn.Seen = 5, 1
		t:run(0.4)
		t:eq({ ca.Seen, cb.Seen }, { 1, 1 })
		t:eq(ca.V, case[2], "at the owner")
		t:eq(cb.V, case[3], "at the other")
	end)
end)

for_each({
	{ "self.S.A == 1", true }, { "self.S.A ~= 1", false }, { "self.Arr[2] == 4", true }, { "self.Arr[1] == 4", false }, { "self.Where.X > 10", true },
	{ "self.Where.Z > 10", false }, { "self.Turn.Yaw == 16384", true }, { "self.Health <= self.Most / 2", true }, { "self.Physics == PHYS_None", true },
	{ "self.Role == ROLE_Authority and self.RemoteRole ~= ROLE_None and self.bNetInitial", true }, { "self.bHidden", false }, { "not self.bHidden and true", true },
	{ "self.Who == self", true }, { "self.Who ~= nil and self.Who == self.Owner", false }, { "self:Half() < 3", true }, { "self:Both(1)", true },
}, function(case)
	scenario("R5.5 when " .. case[1] .. ": members, elements, parts and methods", function(t)
		t:scripts([[
			local Chest = class("Chest")
			Chest.properties {
				V = int(0), Seen = int(0), S = struct { A = int(1) }, Arr = array(int(4), 3), Where = vector(20, 0, 0), Turn = rotator(0, 16384, 0),
				Health = int(4), Most = int(10), Who = ref("Actor"),
			}
			Chest.defaults { bAlwaysRelevant = true }
			Chest.replication { { "V", when = function(self) return ]] .. case[1] .. [[ end }, { "Seen" } }
			function Chest:BeginPlay() self.Arr[1] = 5 self.Who = self end
			function Chest:Half() return self.Health / 2 end
			function Chest:Both(n) return self:Half() > n and self.Most > n end
		]])
		local _, _, _, c = net.actor(t, "Chest", { V = 5, Seen = 1 }, "a")
		t:run(0.4)
		holds(t, c, { Seen = 1, V = case[2] and 5 or 0 })
	end)
end)

scenario("R5.5 a condition is asked when its variable changes in the same tick as what it guards", function(t)
	t:scripts(net.thing("Chest", "V = int(0), bOpen = true, W = int(0)",
		'{ "V", when = function(self) return self.bOpen end }, { "W" }'))
	local _, _, chest, c = net.actor(t, "Chest", {}, "a")
	t:run(0.3)
	chest.V, chest.bOpen, chest.W = 5, false, 1
	t:within(1, function() return c.W == 1 end)
	t:run(0.3)
	t:eq(c.V, 0, "it was not to be sent when the net update came")
	chest.bOpen, chest.V = true, 6
	t:within(1, function() return c.V == 6 end)
end)

scenario("R5.5 bNetInitial holds until the client has acknowledged, and no longer", function(t)
	t:scripts(net.thing("Chest", "V = int(0)", '{ "V", when = function(self) return self.bNetInitial end }'))
	local s, a = net.start(t, {}, { name = "a", lag = 0.2 })
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
	local s, _, chest, ca = net.actor(t, "Chest", { V = 5, W = 1 }, "a")
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

scenario("R5.5 when a condition comes true, what changed meanwhile is sent; when it ends, no more is", function(t)
	t:scripts(net.thing("Chest", "V = int(0), bOpen = false", '{ "V", when = function(self) return self.bOpen end }'))
	local _, _, chest, c = net.actor(t, "Chest", { V = 5 }, "a")
	t:run(0.4)
	t:eq(c.V, 0)
	chest.bOpen = true
	t:within(1, function() return c.V == 5 end)
	chest.bOpen, chest.V = false, 6
	t:run(0.4)
	t:eq(c.V, 5)
	t:eq(c.bOpen, false, "it is named in a condition, not in the list")
end)

scenario("R5.5 bNetDirty: changed by script since this client was last served", function(t)
	t:scripts(net.thing("Chest", "V = int(0), Late = int(0), bOpen = false",
		'{ "V" }, { "Late", when = function(self) return self.bNetDirty and self.bOpen end }'))
	local _, _, chest, c = net.actor(t, "Chest", {}, "a")
	t:run(0.3)
	chest.bOpen, chest.Late = true, 1
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
	local s, a, b = net.start(t, {}, "a", "b")
	local mine = s:spawn("Chest", { Owner = s:controller(a), V = 1, W = 2, X = 3 })
	local other = s:spawn("Chest", { Owner = s:controller(b), V = 1, W = 2, X = 3, Level = 9 })
	local function have(client, chest)
		local c = client:copy(chest)
		return { c.V, c.W, c.X }
	end
	copy(t, a, other)
	copy(t, b, mine)
	t:run(0.4)
	t:eq({ have(a, mine), have(b, mine), have(a, other) }, { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 2, 3 } })
	t:eq(have(b, other), { 1, 0, 3 })
	mine.Level = 2
	t:run(0.4)
	t:eq({ have(a, mine), have(b, mine) }, { { 1, 0, 3 }, { 0, 2, 0 } })
end)
