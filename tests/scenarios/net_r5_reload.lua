-- Section 5 of the rules, R5.23: scripts that are reloaded while clients play.

local net = require("shared.net")
local copy, count, join = net.copy, net.count, net.join

local OLD = net.with [[
	local Chest = class("Chest")
	Chest.properties { Gold = int(0), Wood = int(0), Kind = int(0), Iron = int(0) }
	Chest.defaults { bAlwaysRelevant = true }
	Chest.replication { { "Gold", "Wood", "Kind" } }
	function Chest.simulated:Say() return "old" end
	function Chest.multicast.reliable:Shout(n) self.heard = n end
	Chest.params { Shout = { int(0) } }
]]

local NEW = [[
	local Chest = class("Chest")
	Chest.properties { Silver = int(3), Gold = int(0), Kind = "text", Iron = int(0) }
	Chest.defaults { bAlwaysRelevant = true }
	Chest.replication { { "Silver", "Gold", "Kind", "Iron" } }
	function Chest.simulated:Say() return "new" end
	function Chest.multicast.reliable:Whisper(n) self.whisper = n end
	function Chest.multicast.reliable:Shout(n) self.heard = n * 10 end
	Chest.params { Shout = { int(0) }, Whisper = { int(0) } }
	function Chest.simulated:Reloaded(_) self.told = true end
	local Coffer = class("Coffer", "Chest")
]]

scenario("R5.23 after a reload added variables cross, removed ones are gone, nobody reconnects", function(t)
	local s, a, b = OLD.start(t, {}, "a", "b")
	local chest, ca, cb = net.spawn(t, s, "Chest", { Gold = 5, Wood = 6, Kind = 7, Iron = 8 }, a, b)
	t:run(0.3)
	local pc = a:controller()
	t:reload(NEW)
	t:run(0.3)
	for _, c in ipairs { ca, cb } do
		t:within(1, function() return c:Say() == "new" end)
		t:ok(c.told)
		t:eq({ c.Gold, c.Silver, c.Kind, c.Wood }, { 5, 3, "text", nil })
		t:within(1, function() return c.Iron == 8 end)
	end
	chest.Silver, chest.Gold, chest.Kind = 30, 50, "x"
	t:within(1, function()
		return ca.Silver == 30 and ca.Gold == 50 and ca.Kind == "x" and cb.Silver == 30 and cb.Gold == 50 and cb.Kind == "x"
	end)
	t:ok(pc.alive)
	t:eq({ a.error, b.error }, { nil, nil })
	t:eq(count(t, a, chest, "opened"), 1)
end)

scenario("R5.23 after a reload functions that were added and changed are called on clients, and new classes spawn there", function(t)
	local s, a, chest, c = OLD.actor(t, "Chest", {}, "a")
	chest:Shout(1)
	t:within(1, function() return c.heard == 1 end)
	t:reload(NEW)
	chest:Shout(2)
	chest:Whisper(3)
	t:within(2, function() return c.heard == 20 and c.whisper == 3 end)
	local _, d = net.spawn(t, s, "Coffer", { Silver = 9 }, a)
	t:within(1, function() return d.Silver == 9 end)
	t:eq(d:GetClass(), "Coffer")
end)

scenario("R5.23 after a reload conditions, defaults and notifies of the new scripts hold", function(t)
	t:scripts(net.thing("Chest", "Gold = int(0), Wood = int(0)", '{ "Gold", when = COND_OwnerOnly }, { "Wood" }'))
	local s, a, b = net.start(t, {}, "a", "b")
	local chest, ca, cb = net.spawn(t, s, "Chest", { Owner = s:controller(a), Gold = 5, Wood = 5 }, a, b)
	t:within(1, function() return ca.Gold == 5 and cb.Wood == 5 end)
	t:run(0.3)
	t:eq(cb.Gold, 0)
	t:reload [[
		local Chest = class("Chest")
		Chest.properties { Gold = int(0), Wood = int(0) }
		Chest.defaults { bAlwaysRelevant = true, Gold = 100 }
		Chest.replication { { "Gold", notify = true }, { "Wood", when = COND_OwnerOnly } }
		function Chest:OnRep_Gold(old) self.heard = old end
	]]
	t:within(2, function() return cb.Gold == 5 end)
	chest.Gold, chest.Wood = 6, 6
	t:within(2, function() return ca.Gold == 6 and cb.Gold == 6 and ca.Wood == 6 end)
	t:run(0.3)
	t:eq(cb.Wood, 5)
	t:eq({ ca.heard, cb.heard }, { 5, 5 })
	local fresh = s:spawn("Chest")
	t:eq(copy(t, b, fresh).Gold, 100)
end)

scenario("R5.23 what is under way during a reload is not lost", { seeds = 5 }, function(t)
	local s, a = OLD.start(t, {}, { name = "a", lag = 0.08, jitter = 0.02, loss = 0.15 })
	local list = {}
	for i = 1, 8 do list[i] = s:spawn("Chest", { Gold = i, Iron = i }) end
	copy(t, a, list[8])
	for _, chest in ipairs(list) do chest.Gold = chest.Gold + 100 end
	t:ticks(2)
	t:reload(NEW)
	for _, chest in ipairs(list) do chest.Silver = chest.Gold end
	t:ticks(2)
	for i = 9, 12 do list[i] = s:spawn("Coffer", { Gold = 100 + i, Silver = 100 + i, Iron = i }) end
	t:within(4, function()
		for i, chest in ipairs(list) do
			local c = a:copy(chest)
			if not c or c.Gold ~= 100 + i or c.Silver ~= 100 + i or c.Iron ~= i then return false end
		end
		return true
	end)
	t:eq(a.error, nil)
end)

scenario("R5.23 a reload that does not load changes nothing, on no peer", function(t)
	local _, _, chest, c = OLD.actor(t, "Chest", { Gold = 5 }, "a")
	t:run(0.2)
	t:error(function() t:reload [[ local Chest = class("Chest", "Nobody") ]] end, "Nobody")
	t:run(0.2)
	t:eq({ chest:Say(), c:Say(), c.Gold }, { "old", "old", 5 })
	chest.Gold = 6
	t:within(1, function() return c.Gold == 6 end)
end)

-- A box with some variables, of which V and W cross.
local function version(body, notify)
	return [[
		local Box = class("Box")
		Box.properties { ]] .. body .. [[ }
		Box.defaults { bAlwaysRelevant = true }
		Box.replication { { "V" }, { "W" } }
	]] .. (notify or "")
end

-- A type changes: what the server has then, the clients have.
for_each({
	{ "an enum's order", 'enum("A", "B", "C")', 'enum("C", "B", "A", "D")', "C", "D" },
	{ "an int's range", "int(5, { min = 0, max = 10 })", "int(5, { min = -1000, max = 100000 })", 9, -1000 },
	{ "an int's range to a smaller", "int(5, { min = 0, max = 1000 })", "int(5, { min = 4, max = 8 })", 900, 8 },
	{ "int to float", "int(5)", "float(0.5)", 9, 2.25 },
	{ "int to string and more", "int(5)", '"text"', 9, "x" },
	{ "bool to int", "false", "int(3)", true, 4 },
	{ "vector to quantized", "vector(0, 0, 0)", "quantized(vector(0, 0, 0), 100)", vector(5, 6, 7), vector(1, 2, 3) },
	{ "a string's maximum", '""', 'str("", { max = 4 })', "abcdefgh", "abcd" },
	{ "class of a reference", 'classref("Pawn")', 'classref("Actor")', "Character", "Mover" },
}, function(case)
	scenario("R5.23 a reload changes " .. case[1], function(t)
		t:scripts(version("V = " .. case[2] .. ", W = int(0)"))
		local s, a = net.start(t, {}, { name = "a", lag = 0.03 })
		local box, plain = s:spawn("Box"), s:spawn("Box", { V = case[4], W = 1 })
		local cb, cp = copy(t, a, box), copy(t, a, plain)
		t:within(1, function() return cp.V == plain.V end)
		box.V = case[4]
		t:ticks(1)
		t:reload(version("W = int(0), V = " .. case[3]))
		box.W = 5
		t:within(2, function() return cb.W == 5 and cb.V == box.V and cp.V == plain.V and cp.W == 1 end)
		box.V, plain.V = case[5], case[5]
		t:within(1, function() return cb.V == box.V and cp.V == plain.V and box.V == case[5] end)
		local late = join(t, s, { name = "late" })
		t:eq(copy(t, late, box).W, 5)
		t:within(1, function() return late:copy(box).V == case[5] end)
	end)
end)

scenario("R5.23 a reload changes arrays, structs and fast arrays", function(t)
	local function boxes(arr, st, bag)
		return [[
			local Box = class("Box")
			Box.properties { Arr = ]] .. arr .. ", S = " .. st .. ", Bag = " .. bag .. [[ }
			Box.defaults { bAlwaysRelevant = true }
			Box.replication { { "Arr", "S", "Bag" } }
		]]
	end
	t:scripts(boxes("array(int(0), 3)", "struct { A = int(0), B = int(0) }", "fastarray(struct { K = int(0) })"))
	local s, a = net.start(t, {}, { name = "a", lag = 0.03 })
	local box = s:spawn("Box", { Arr = { 1, 2, 3 }, S = { A = 4, B = 5 } })
	box.Bag:Add { K = 6 }
	local c = copy(t, a, box)
	t:within(1, function() return c.Arr[3] == 3 and c.S.B == 5 and #c.Bag == 1 end)
	t:reload(boxes("array(int(0), 5)", "struct { B = int(0), C = float(0) }", 'fastarray(struct { L = "", K = int(0) })'))
	t:run(0.3)
	local function right()
		if c.S.B ~= box.S.B or c.S.C ~= box.S.C or #c.Arr ~= #box.Arr or #c.Bag ~= #box.Bag then return false end
		for i = 1, #box.Arr do if c.Arr[i] ~= box.Arr[i] then return false end end
		for key, item in box.Bag:Pairs() do
			local x = c.Bag:Get(key)
			if not x or x.K ~= item.K or x.L ~= item.L then return false end
		end
		return true
	end
	t:within(1, right)
	t:eq(#c.Arr, 5)
	box.Arr[5], box.S.C = 9, 0.5
	box.Bag:Add { L = "x", K = 7 }
	t:within(1, right)
	t:eq(c.Arr[5], 9)
end)

scenario("R5.23 a parent's new variable moves those of its children along", function(t)
	local function family(more, names)
		return [[
			local Base = class("Base")
			Base.properties { ]] .. more .. [[ X = int(0) }
			Base.defaults { bAlwaysRelevant = true }
			Base.replication { { ]] .. names .. [[ "X" } }
			local Child = class("Child", "Base")
			Child.properties { Y = int(0), To = ref("Actor") }
			Child.replication { { "Y", "To", notify = true } }
			function Child:OnRep_Y(old) self.heard = old end
			function Child.multicast.reliable:Shout(n) self.shout = n end
			Child.params { Shout = { int(0) } }
		]]
	end
	t:scripts(family("", ""))
	local _, _, x, c = net.actor(t, "Child", { X = 1, Y = 2 }, { name = "a", lag = 0.02 })
	t:within(1, function() return c.X == 1 and c.Y == 2 end)
	x.Y = 3
	t:reload(family("A = int(0), B = vector(0, 0, 0),", '"A", "B",'))
	x.A, x.To = 9, x
	x:Shout(4)
	t:within(2, function() return c.X == 1 and c.Y == 3 and c.A == 9 and c.To == c and c.shout == 4 end)
	t:eq(c.heard, 2)
end)

-- A pointer whose references wait, with more or fewer variables before them.
local function pointer(before)
	return [[
		local Target = class("Target")
		Target.defaults { bOnlyRelevantToOwner = true }
		local Pointer = class("Pointer")
		Pointer.properties {
			]] .. before .. [[ To = ref("Target"), First = ref("Target"), Arr = array(ref("Target"), 3), S = struct { Who = ref("Target") },
			Bag = fastarray(struct { Who = ref("Target") }),
		}
		Pointer.defaults { bAlwaysRelevant = true }
		Pointer.replication { { ]] .. before:gsub(" = int%(0%)", ""):gsub("(%w+)", '"%1"') .. [[ "To", "Arr", "S", "Bag" }, { "First", when = COND_InitialOnly } }
		function Pointer.multicast.reliable:Show(who) self.shown = who end
		Pointer.params { Show = { ref("Target", { wait = true }) } }
		function Pointer.multicast.reliable:Alpha() end
	]]
end

for_each({
	{ "more", "", "A = int(0), B = int(0), " }, { "fewer", "A = int(0), B = int(0), ", "" }, { "the same", "A = int(0), ", "A = int(0), " },
}, function(case)
	scenario("R5.23 references that wait wait on over a reload, with " .. case[1] .. " variables before them", function(t)
		t:scripts(pointer(case[2]))
		local s, a = net.start(t, {}, "a")
		local target = s:spawn("Target")
		local p = s:spawn("Pointer", { To = target, S = { Who = target } })
		p.Arr[2] = target
		local k = p.Bag:Add { Who = target }
		local c = copy(t, a, p)
		t:run(0.4)
		t:reload(pointer(case[3]))
		t:run(0.4)
		t:eq({ c.To, c.Arr[2], c.S.Who }, { nil, nil, nil })
		target.Owner = s:controller(a)
		t:within(1, function() return c.To and c.Arr[2] and c.S.Who and c.Bag:Get(k).Who end)
		local ct = a:copy(target)
		t:eq({ c.To, c.Arr[2], c.S.Who, c.Bag:Get(k).Who }, { ct, ct, ct, ct })
	end)
end)
