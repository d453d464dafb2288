-- The types of docs/lua-api.md: what each holds, what it refuses, how it rounds.

local net = require("shared.net")
local holds = net.holds

local TYPES = net.with [[
	local Box = class("Box")
	Box.properties {
		I = int(1), IR = int(5, { min = 0, max = 10 }), F = float(0.5), FR = float(1, { min = 0, max = 2 }),
		bB = true, S = "text", SL = str("ab", { max = 4 }),
		V = vector(1, 2, 3), R = rotator(1, 2, 3), Q = quantized(vector(0, 0, 0), 10), N = normal(0, 0, 1),
		E = enum("Idle", "Firing", "Done"),
		P = ref("Pawn"), A = ref("Actor"), C = classref("Pawn"),
		Ints = array(int(0), 4), Refs = array(ref("Actor"), 2), Vecs = array(vector(0, 0, 0), 2), Strs = array("", 2),
		St = struct { X = int(1), Y = float(2), Name = "n", Where = vector(0, 0, 0), Who = ref("Actor"), Mine = local_(int(3)), Kind = enum("A", "B") },
		Grid = array(struct { X = int(0), Y = int(0) }, 2),
		Bag = fastarray(struct { Kind = int(0), Since = float(0) }),
	}
	Box.replication { { "I", "Ints", "St", "Bag" } }
	function Box:Put(name, value) self[name] = value end
	function Box:Get(name) return self[name] end
]]

scenario("lua-api types: defaults are as declared, or the type's zero", function(t)
	local _, b = TYPES.alone(t, "Box")
	holds(t, b, {
		I = 1, IR = 5, F = 0.5, bB = true, S = "text", SL = "ab", V = vector(1, 2, 3), R = rotator(1, 2, 3), Q = vector(), N = vector(0, 0, 1),
	})
	t:eq(b.E, "Idle", "the first name")
	t:eq({ b.P, b.C, b.Refs[1] }, { nil, nil, nil })
	t:eq(b.Ints, { 0, 0, 0, 0 })
	t:eq(b.Strs, { "", "" })
	holds(t, b.St, { X = 1, Mine = 3, Kind = "A" })
	t:eq({ b.St.Who, #b.Bag }, { nil, 0 })
end)

-- What fits, by name of the variable: set and got.
for_each({
	{ "I", 42, 42 }, { "I", -2147483648, -2147483648 }, { "I", 2147483647, 2147483647 },
	{ "IR", 0, 0 }, { "IR", 10, 10 }, { "F", 2, 2 }, { "FR", 2, 2 }, { "bB", false, false },
	{ "S", "", "" }, { "SL", "abcd", "abcd" }, { "V", vector(4, 5, 6), vector(4, 5, 6) }, { "R", rotator(70000, -1, 0), rotator(4464, 65535, 0) },
	{ "Q", vector(0.5, 0, 0), vector(0.5, 0, 0) }, { "E", "Done", "Done" }, { "C", "Character", "Character" },
	{ "Ints", { 1, 2, 3, 4 }, { 1, 2, 3, 4 } }, { "Vecs", { vector(1, 0, 0), vector(0, 1, 0) }, { vector(1, 0, 0), vector(0, 1, 0) } },
	{ "Grid", { { X = 1, Y = 2 }, { X = 3, Y = 4 } }, { { X = 1, Y = 2 }, { X = 3, Y = 4 } } },
}, function(case, i)
	scenario("lua-api types: " .. case[1] .. " takes what fits (" .. i .. ")", function(t)
		local s, b = TYPES.alone(t, "Box")
		b:Put(case[1], case[2])
		t:eq(b[case[1]], case[3], "set by a script")
		local c = s:spawn("Box", { [case[1]] = case[2] })
		t:eq(c[case[1]], case[3], "given to Spawn")
	end)
end)

-- What does not fit: refused at the assignment, and the old value stays (R5.8a).
for_each({
	{ "I", 1.5, "expected .*int" }, { "I", "1", "expected int" }, { "I", true, "expected int" }, { "I", 2147483648, "int" },
	{ "I", 0 / 0, "int" }, { "I", 1 / 0, "int" },
	{ "IR", 11, "0.*10" }, { "IR", -1, "0.*10" }, { "F", "x", "expected float" }, { "F", 0 / 0, "float" }, { "F", -1 / 0, "float" }, { "F", 1e300, "float" },
	{ "FR", 2.1, "0.*2" }, { "bB", 1, "expected bool" }, { "bB", "true", "expected bool" }, { "S", 5, "expected string" },
	{ "S", string.rep("x", 256), "255" }, { "SL", "abcde", "4" }, { "V", 3, "expected vector" }, { "V", rotator(), "expected vector" },
	{ "V", vector(0 / 0, 0, 0), "vector" }, { "R", vector(), "expected rotator" }, { "E", "Jumping", "Idle.*Firing.*Done" }, { "E", 1, "expected" },
	{ "C", "Actor", "Pawn" }, { "C", "Nonsense", "Nonsense" }, { "Ints", { 1, 2, 3 }, "4" }, { "Ints", { 1, 2, 3, 4, 5 }, "4" },
	{ "Ints", { 1, 2, 3, "x" }, "element 4" }, { "Ints", 5, "expected array" }, { "St", { X = "x" }, "X" }, { "St", { Z = 1 }, "Z" }, { "St", 5, "struct" },
	{ "V", false, "expected vector" }, { "I", {}, "expected int" },
}, function(case, i)
	scenario("lua-api types: " .. case[1] .. " refuses what does not fit (" .. i .. ")", function(t)
		local s, b = TYPES.alone(t, "Box")
		local before = s:spawn("Box")
		t:expect_error("^Box:Put: scripts:%d+: .*" .. case[1] .. ".*" .. case[3])
		b:Put(case[1], case[2])
		t:eq(b[case[1]], before[case[1]], "the old value stays")
		t:error(function() s:spawn("Box", { [case[1]] = case[2] }) end, case[1])
	end)
end)

scenario("lua-api types: a float is rounded to 32 bits when it is set", function(t)
	local _, b = TYPES.alone(t, "Box")
	b:Put("F", 0.1)
	t:ne(b.F, 0.1)
	t:near(b.F, 0.1, 1e-8)
	b.St.Y = 0.1
	t:eq(b.St.Y, b.F)
	b:Put("F", 16777217)
	t:eq(b.F, 16777216)
end)

scenario("lua-api types: nil is no value but for references", function(t)
	local s, b = TYPES.alone(t, "Box")
	b.P = s:spawn("Character")
	b.C, b.P = "Character", nil
	b.C = nil
	t:eq({ b.P, b.C }, { nil, nil })
	t:expect_error("I.*expected int, got nil")
	b.I = nil
	t:eq(b.I, 1)
end)

scenario("lua-api types: a reference holds its class and children, and nothing else", function(t)
	local s, b = TYPES.alone(t, "Box")
	local pawn = s:spawn("Character")
	b.P = pawn
	t:eq(b.P, pawn)
	b.A = b
	t:eq(b.A, b)
	t:expect_error("P.*ref%(Pawn%)")
	b.P = b
	t:eq(b.P, pawn)
	t:expect_error("A.*ref%(Actor%)")
	b.A = "Box_0"
	t:eq(b.A, b)
end)

scenario("lua-api types: a class reference takes a name or the class", function(t)
	t:scripts(TYPES.classes .. [[
		local Maker = class("Maker")
		Maker.properties { Kind = classref("Actor") }
		local Made = class("Made")
		function Maker:ByClass() self.Kind = Made return self:Spawn(Made) end
		function Maker:ByName() self.Kind = "Made" return self:Spawn("Made") end
		function Maker:ByVariable() return self:Spawn(self.Kind) end
		function Maker:Test(other) return other:IsA(Made), other:IsA("Made"), #self:ActorsOf(Made) end
	]])
	local _, m = net.alone(t, "Maker")
	t:eq({ m:ByClass():GetClass(), m.Kind, m:ByName():GetClass() }, { "Made", "Made", "Made" })
	t:eq(m:ByVariable():GetClass(), "Made")
	local a, b, n = m:Test(m:ByName())
	t:ok(a)
	t:ok(b)
	t:eq(n, 4)
end)

scenario("lua-api types: arrays are 1-based, elements set through self, an index outside is an error", function(t)
	t:scripts(TYPES.classes .. [[
		local List = class("List", "Box")
		function List:Fill()
			for i = 1, #self.Ints do self.Ints[i] = i * i end
			self.Grid[2].Y = 8
			self.Vecs[1] = vector(7, 0, 0)
		end
		function List:Low() return self.Ints[0] end
		function List:High() self.Ints[5] = 1 end
		function List:Named() return self.Ints.x end
		function List:Half() return self.Ints[1.5] end
		function List:Bad() self.Ints[1] = "x" end
		function List:Sum()
			local sum = 0
			for i = 1, #self.Ints do sum = sum + self.Ints[i] end
			return sum
		end
	]])
	local _, l = net.alone(t, "List")
	l:Fill()
	holds(t, l, { Ints = { 1, 4, 9, 16 }, Grid = { { X = 0, Y = 0 }, { X = 0, Y = 8 } } })
	t:eq({ l.Vecs[1], l:Sum(), #l.Ints }, { vector(7, 0, 0), 30, 4 })
	for _, case in ipairs { "Low", "High", "Named", "Half" } do
		t:run(6) -- three faults in ten seconds would quarantine the class
		t:expect_error("List:" .. case .. ": scripts:%d+: .*Ints")
		l[case](l)
	end
	t:run(6)
	t:expect_error("List:Bad: scripts:%d+: .*Ints.*expected int")
	l:Bad()
	t:eq(l.Ints[1], 1)
end)

scenario("lua-api types: struct members by name; a whole struct from a plain table", function(t)
	t:scripts(TYPES.classes .. [[
		local Pack = class("Pack", "Box")
		function Pack:Fill()
			self.St.X = 5
			self.St.Where = vector(1, 1, 1)
			self.St.Kind = "B"
		end
		function Pack:Whole() self.St = { X = 9, Name = "whole" } end
		function Pack:Typo() self.St.Namr = "x" end
		function Pack:Copy(other) self.St = other.St end
	]])
	local s, p = net.alone(t, "Pack")
	p:Fill()
	holds(t, p.St, { X = 5, Where = vector(1, 1, 1), Kind = "B" })
	p:Whole()
	holds(t, p.St, { X = 9, Name = "whole" })
	t:eq(p.St.Where, vector(), "members left out have their defaults")
	t:expect_error("Pack:Typo: scripts:%d+: .*Namr.*Name")
	p:Typo()
	local q = s:spawn("Pack")
	q:Copy(p)
	t:eq(q.St.X, 9)
	p.St.X = 1
	t:eq(q.St.X, 9, "a copy is a copy")
end)

scenario("lua-api types: fast arrays add, set, remove and walk by key", function(t)
	t:scripts(TYPES.classes .. [[
		local Bagger = class("Bagger", "Box")
		function Bagger:Run()
			local a = self.Bag:Add { Kind = 1 }
			local b = self.Bag:Add { Kind = 2, Since = 5 }
			local c = self.Bag:Add { Kind = 3 }
			self.Bag:Remove(b)
			self.Bag:Set(c, { Kind = 30 })
			local out = {}
			for key, item in self.Bag:Pairs() do out[#out + 1] = key .. "=" .. item.Kind end
			return a, b, c, table.concat(out, " ")
		end
		function Bagger:Bad() self.Bag:Add { Kind = "x" } end
		function Bagger:Unknown() self.Bag:Set(99, { Kind = 1 }) end
		function Bagger:Gone() self.Bag:Remove(99) end
	]])
	local _, x = net.alone(t, "Bagger")
	local a, b, c, text = x:Run()
	t:eq({ a, b, c }, { 1, 2, 3 })
	t:eq(text, "1=1 3=30")
	t:eq(x.Bag:Add { Kind = 4 }, 4, "keys are never used twice")
	t:eq(#x.Bag, 3)
	local keys = {}
	for key, item in x.Bag:Pairs() do keys[#keys + 1] = { key, item.Kind } end
	t:eq(keys, { { 1, 1 }, { 3, 30 }, { 4, 4 } })
	t:expect_error("Bagger:Bad: scripts:%d+: .*Kind.*expected int")
	x:Bad()
	t:expect_error("Bagger:Unknown: scripts:%d+: .*99")
	x:Unknown()
	t:expect_error("Bagger:Gone: scripts:%d+: .*99")
	x:Gone()
	t:eq(#x.Bag, 3)
end)

scenario("lua-api types: a walk over a fast array may remove what it finds", function(t)
	t:scripts(TYPES.classes .. [[
		local Bagger = class("Bagger", "Box")
		function Bagger:WalkAndRemove()
			for i = 1, 5 do self.Bag:Add { Kind = i } end
			for key in self.Bag:Pairs() do self.Bag:Remove(key) end
			return #self.Bag
		end
	]])
	local s = t:server{}
	t:eq(s:spawn("Bagger"):WalkAndRemove(), 0)
end)

scenario("lua-api types: enums read and compare as their strings", function(t)
	t:scripts(TYPES.classes .. [[
		local Sw = class("Sw", "Box")
		function Sw:IsIdle() return self.E == "Idle", self.E ~= "Done", self.E .. "!" end
	]])
	local _, x = net.alone(t, "Sw")
	local a, b, c = x:IsIdle()
	t:eq({ a, b, c }, { true, true, "Idle!" })
end)

scenario("lua-api types: params of a function take their declared defaults and types", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Seen = "" }
		function A.server.reliable:ServerGo(n, name, where, who)
			self.Seen = string.format("%s %s %s %s", tostring(n), tostring(name), tostring(where), tostring(who))
		end
		A.params { ServerGo = { int(0, { min = 0, max = 9 }), "", vector(0, 0, 0), ref("Actor", { wait = true }) } }
	]]
	local _, a = net.alone(t, "A")
	a:ServerGo(3, "x", vector(1, 2, 3), a)
	t:eq(a.Seen, "3 x vector(1, 2, 3) A_0")
end)
