-- Section 5 of the rules, R5.9 to R5.12: how each type crosses, with its rounding and its bounds; structs and
-- arrays. Fast arrays and references are in net_r5_refs.lua.

local net = require("shared.net")
local bytes, copy, holds = net.bytes, net.copy, net.holds

-- A class Box with a variable for each case, { type, value, what arrives (default: what the server holds), tolerance };
-- one actor has the values from the start, the other gets them later. Holds the copies of both to the cases.
local function cross(t, cases)
	local types, names, values = {}, {}, {}
	for i, case in ipairs(cases) do
		types[i] = "V" .. i .. " = " .. case[1]
		names[i] = '"V' .. i .. '"'
		values["V" .. i] = case[2]
	end
	t:scripts('local Box = class("Box")\n' .. "Box.properties { " .. table.concat(types, ",\n") .. " }\n"
		.. "Box.defaults { bAlwaysRelevant = true }\nBox.replication { { " .. table.concat(names, ", ") .. " } }")
	local s, a = net.start(t, {}, "a")
	local first, later = s:spawn("Box", values), s:spawn("Box")
	local cf, cl = copy(t, a, first), copy(t, a, later)
	t:run(0.3)
	for i, case in ipairs(cases) do later["V" .. i] = case[2] end
	t:run(0.5)
	for i, case in ipairs(cases) do
		local name = "V" .. i
		for _, c in ipairs { cf, cl } do
			local expected = case[3]
			if expected == nil then expected = first[name] end
			local what = case[1] .. (c == cf and " from the start" or " set later")
			if case[4] then
				t:near(c[name], expected, case[4], what)
			else
				t:eq(c[name], expected, what)
			end
		end
	end
	return s, a, first, cf
end

scenario("R5.9 booleans cross", function(t)
	cross(t, { { "false", true }, { "true", false } })
end)

scenario("R5.9 ints cross exactly, all 32 bits", function(t)
	local cases = {}
	for _, n in ipairs {
		1, -1, 31, -32, -33, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769, 65535, 65536, 123456789, -123456789,
		2147483647, -2147483648,
	} do
		cases[#cases + 1] = { "int(0)", n, n }
	end
	cross(t, cases)
end)

scenario("R5.9 ints of a declared range cross exactly, both ends too", function(t)
	local cases = {}
	for _, r in ipairs {
		{ 0, 1, 0 }, { 0, 1, 1 }, { -5, 5, 0 }, { 0, 99, 50 }, { 0, 159, 1 }, { 0, 160, 1 }, { -1, 255, 0 }, { 1000, 1100, 1050 }, { 1000, 1383, 1001 },
		{ -200, 50, 0 }, { 0, 98303, 5 }, { 0, 98304, 5 }, { -2147483648, 2147483647, 0 }, { -2147483648, -2147483640, -2147483645 },
		{ 2147483600, 2147483647, 2147483601 },
	} do
		local kind = string.format("int(%d, { min = %d, max = %d })", r[3], r[1], r[2])
		if r[1] ~= r[3] then cases[#cases + 1] = { kind, r[1], r[1] } end
		if r[2] ~= r[3] then cases[#cases + 1] = { kind, r[2], r[2] } end
		if r[1] + 1 ~= r[3] and r[1] + 1 < r[2] then cases[#cases + 1] = { kind, r[1] + 1, r[1] + 1 } end
	end
	cross(t, cases)
end)

-- Ranges of every size, wherever they begin: { min, max, bytes that a value takes at most, bytes without a range }.
for_each({
	{ 0, 1, 1, 1 }, { -32, 127, 1, 1 }, { 1, 160, 1, 2 }, { 1000, 1100, 1, 3 }, { 1000, 1159, 1, 3 }, { -100000, -99841, 1, 5 },
	{ -2147483648, -2147483489, 1, 5 }, { 2147483488, 2147483647, 1, 5 },
	{ 1000, 1160, 2, 3 }, { 1000, 1383, 2, 3 }, { -70000, -69617, 2, 5 }, { 2147483264, 2147483647, 2, 5 },
	{ 1000, 1384, 3, 3 }, { 0, 98303, 3, 5 }, { 100000, 198303, 3, 5 }, { -2147483648, -2147385345, 3, 5 },
	{ 100000, 198304, 5, 5 }, { 1000000, 2147483647, 5, 5 },
}, function(case)
	local low, high, size, wide = unpack(case)
	scenario(string.format("R5.9 an int from %d to %d takes at most %d of %d bytes", low, high, size, wide), function(t)
		t:scripts(string.format([[
			local Box = class("Box")
			Box.properties { Wide = int(0), Small = int(%d, { min = %d, max = %d }) }
			Box.defaults { bAlwaysRelevant = true }
			Box.replication { { "Wide", "Small" } }
		]], low, low, high))
		local _, a, box, c = net.actor(t, "Box", {}, "a")
		t:run(0.2)
		local function cost(name, value) -- of one send of a value
			local before = t:traffic(a).by_property["Box." .. name] or { bytes = 0, count = 0 }
			box[name] = value
			t:within(1, function() return c[name] == value end)
			t:run(0.1)
			local after = t:traffic(a).by_property["Box." .. name]
			return (after.bytes - before.bytes) / (after.count - before.count)
		end
		local small, plain = 0, 0
		for _, value in ipairs { high, low + math.floor((high - low) / 2), low } do
			if value ~= box.Small then small = math.max(small, cost("Small", value)) end
			if value ~= box.Wide then plain = math.max(plain, cost("Wide", value)) end
		end
		t:eq({ small, plain }, { size, wide })
	end)
end)

scenario("R5.9 floats cross exactly", function(t)
	local cases = {}
	for _, f in ipairs {
		1, -1, 0.5, 0.1, -0.1, 1 / 3, 100, 65535, 65536, -32768, -32769, 16777216, 123456.789, 1e-10, 1.17549435e-38, 1e-45, 3.4028234e38, -3.4028234e38,
	} do
		cases[#cases + 1] = { "float(0)", f }
	end
	cases[#cases + 1] = { "float(0.5, { min = 0, max = 1 })", 0, 0 }
	cases[#cases + 1] = { "float(0.5, { min = 0, max = 1 })", 1, 1 }
	cases[#cases + 1] = { "float(0.5, { min = 0, max = 1 })", 0.3 }
	local _, _, first = cross(t, cases)
	t:gt(first.V16, 0, "the smallest float is no zero")
end)

scenario("R5.9 strings cross exactly, to their longest and whatever their bytes", function(t)
	local all = {}
	for i = 0, 249 do all[#all + 1] = string.char(i) end
	cross(t, {
		{ '""', "x", "x" },
		{ '"text"', "", "" },
		{ '""', string.rep("y", 31), string.rep("y", 31) },
		{ '""', string.rep("y", 32), string.rep("y", 32) },
		{ '""', string.rep("z", 255), string.rep("z", 255) },
		{ '""', "añb 日本 \n\t\"'", "añb 日本 \n\t\"'" },
		{ '""', "\255\254\0x\0", "\255\254\0x\0" },
		{ '""', table.concat(all), table.concat(all) },
		{ 'str("ab", { max = 4 })', "abcd", "abcd" },
		{ 'str("", { max = 600 })', string.rep("w", 600), string.rep("w", 600) },
	})
end)

scenario("R5.9 enums cross as their names", function(t)
	local names = { '"A0"' }
	for i = 1, 39 do names[i + 1] = '"A' .. i .. '"' end
	local forty = "enum(" .. table.concat(names, ", ") .. ")"
	cross(t, {
		{ 'enum("Idle", "Firing", "Done")', "Firing", "Firing" },
		{ 'enum("Idle", "Firing", "Done")', "Done", "Done" },
		{ forty, "A31", "A31" }, { forty, "A32", "A32" }, { forty, "A39", "A39" },
	})
end)

scenario("R5.9 class references cross, a class of the scenario's too, and nil", function(t)
	t:scripts [[ local Sword = class("Sword", "Actor") ]]
	t:scripts [[ local Knife = class("Knife", "Sword") ]]
	local _, _, first, c = cross(t, {
		{ 'classref("Pawn")', "Character", "Character" }, { 'classref("Pawn")', "Pawn", "Pawn" },
		{ 'classref("Sword")', "Sword", "Sword" }, { 'classref("Sword")', "Knife", "Knife" },
	})
	first.V1, first.V4 = nil, nil
	t:within(1, function() return c.V1 == nil and c.V4 == nil end)
	t:eq(c.V3, "Sword")
end)

scenario("R5.9 references to actors cross, to itself and in a circle too", function(t)
	t:scripts(net.thing("Node", 'Next = ref("Node"), Who = ref("Actor")', '{ "Next", "Who" }'))
	local s, a = net.start(t, {}, "a")
	local x, y = s:spawn("Node"), s:spawn("Node")
	x.Next, y.Next, x.Who = y, x, x
	local cx, cy = copy(t, a, x), copy(t, a, y)
	t:within(1, function() return cx.Next == cy and cy.Next == cx and cx.Who == cx end)
	t:eq(cy.Who, nil)
	x.Next, x.Who = x, s:controller(a)
	t:within(1, function() return cx.Next == cx and cx.Who == a:controller() end)
	x.Next, y.Next = nil, nil
	t:within(1, function() return cx.Next == nil and cy.Next == nil end)
end)

scenario("R5.10 a vector's parts cross as whole numbers, rounded to nearest, halves away from zero", function(t)
	local cases = {}
	for _, v in ipairs {
		{ 0.5, 1 }, { -0.5, -1 }, { 0.49, 0 }, { -0.49, 0 }, { 1.5, 2 }, { -1.5, -2 }, { 2.5, 3 }, { -2.5, -3 }, { 100.25, 100 }, { -100.75, -101 },
		{ 32766.5, 32767 }, { 32767, 32767 }, { -32768, -32768 }, { -32767.5, -32768 }, { 79, 79 }, { -81, -81 }, { 20000, 20000 },
	} do
		cases[#cases + 1] = { "vector(0, 0, 9)", vector(v[1], 1, 2), vector(v[2], 1, 2) }
		cases[#cases + 1] = { "vector(0, 0, 9)", vector(3, v[1], v[1]), vector(3, v[2], v[2]) }
	end
	cross(t, cases)
end)

scenario("R5.10 a vector's parts outside -32768…32767 saturate", function(t)
	cross(t, {
		{ "vector(0, 0, 0)", vector(32767.5, 40000, 1e9), vector(32767, 32767, 32767) },
		{ "vector(0, 0, 0)", vector(-32768.5, -40000, -1e9), vector(-32768, -32768, -32768) },
		{ "vector(0, 0, 0)", vector(1, 70000, -70000), vector(1, 32767, -32768) },
	})
end)

scenario("R5.10 the server keeps its own vector as precise as it was set", function(t)
	local _, _, first, c = cross(t, { { "vector(0, 0, 0)", vector(1.25, -2.75, 0.125), vector(1, -3, 0) } })
	t:eq(first.V1, vector(1.25, -2.75, 0.125))
	first.V1 = vector(5.5, 0, 0)
	t:within(1, function() return c.V1 == vector(6, 0, 0) end)
	t:eq(first.V1, vector(5.5, 0, 0))
end)

scenario("R5.10 a vector that moves by small and large steps is right at every stop", function(t)
	t:scripts(net.thing("Dot", "V = vector(0, 0, 0), W = vector(0, 0, 0)", '{ "V", "W" }'))
	local _, _, dot, c = net.actor(t, "Dot", {}, { name = "a", lag = 0.02 })
	local at = vector(0, 0, 0)
	for i, step in ipairs {
		vector(1, 0, 0), vector(79, -80, 0), vector(80, 0, 0), vector(-81, 1, 0), vector(0, 0, 48), vector(-48, 79, -49), vector(30000, 0, 0),
		vector(-60000, -30000, 32000), vector(0, 0, -1), vector(0, 79, 0),
	} do
		at = at + step
		dot.V, dot.W = at, vector(i, i, i)
		t:ticks(2)
		dot.W = vector(-i, i, i)
		t:within(1, function() return c.V == at and c.W == vector(-i, i, i) end)
	end
end)

scenario("R5.10 rotators cross as the upper byte of each part", function(t)
	cross(t, {
		{ "rotator(0, 0, 0)", rotator(256, 512, 768), rotator(256, 512, 768) },
		{ "rotator(0, 0, 0)", rotator(300, 65535, 16384), rotator(256, 65280, 16384) },
		{ "rotator(0, 0, 0)", rotator(255, 511, 767), rotator(0, 256, 512) },
		{ "rotator(0, 0, 0)", rotator(-1, -16384, 32768), rotator(65280, 49152, 32768) },
		{ "rotator(0, 0, 0)", rotator(0, 16385, 0), rotator(0, 16384, 0) },
		{ "rotator(0, 0, 0)", rotator(49152, 0, 33000), rotator(49152, 0, 32768) },
		{ "rotator(0, 16384, 0)", rotator(0, 0, 0), rotator(0, 0, 0) },
	})
end)

scenario("R5.10 quantized vectors cross in tenths and hundredths, and further than plain ones", function(t)
	local q10, q100 = "quantized(vector(0, 0, 0), 10)", "quantized(vector(0, 0, 0), 100)"
	cross(t, {
		{ q10, vector(0.1, -0.1, 0), vector(0.1, -0.1, 0), 1e-4 },
		{ q10, vector(12345.67, -1.04, 0.26), vector(12345.7, -1, 0.3), 1e-3 },
		{ q10, vector(0.25, -0.25, 0.75), vector(0.3, -0.3, 0.8), 1e-4 }, -- halves away from zero
		{ q10, vector(800000, -800000, 70000), vector(800000, -800000, 70000), 0.1 },
		{ q10, vector(1e7, -1e7, 0), vector(838860.7, -838860.8, 0), 0.2 },
		{ q100, vector(0.01, -0.01, 0), vector(0.01, -0.01, 0), 1e-5 },
		{ q100, vector(1234.567, -1.004, 0.026), vector(1234.57, -1, 0.03), 1e-3 },
		{ q100, vector(0.125, -0.125, 0.375), vector(0.13, -0.13, 0.38), 1e-5 },
		{ q100, vector(5000000, -5000000, 40000), vector(5000000, -5000000, 40000), 1 },
		{ q100, vector(1e8, -1e8, 0), vector(5368709.11, -5368709.12, 0), 1 },
	})
end)

scenario("R5.10 unit normals cross with 16 bits a part", function(t)
	local n = "normal(0, 0, 1)"
	cross(t, {
		{ n, vector(1, 0, 0), vector(1, 0, 0), 1e-6 }, { n, vector(0, -1, 0), vector(0, -1, 0), 1e-6 }, { n, vector(0, 0, -1), vector(0, 0, -1), 1e-6 },
		{ n, vector(0.6, 0.8, 0), vector(0.6, 0.8, 0), 5e-5 }, { n, vector(-0.36, 0.48, -0.8), vector(-0.36, 0.48, -0.8), 5e-5 },
	})
end)

scenario("R5.10 full precision is a struct of floats", function(t)
	cross(t, {
		{ "struct { X = float(0), Y = float(0), Z = float(0) }", { X = 0.1, Y = -40000.625, Z = 1 / 3 } },
	})
end)

scenario("R5.10 arguments of calls round like variables", function(t)
	t:scripts [[
		local Hero = class("Hero", "Character")
		function Hero.client.reliable:ClientTake(v, r, q, f)
			self.got = { v, r, q, f }
		end
		Hero.params { ClientTake = { vector(0, 0, 0), rotator(0, 0, 0), quantized(vector(0, 0, 0), 10), float(0) } }
	]]
	local s, a = net.start(t, { pawn = "Hero" }, "a")
	local c = copy(t, a, s:pawn(a))
	s:pawn(a):ClientTake(vector(0.5, -2.5, 40000), rotator(300, 65535, 1), vector(0.25, 0, 0), 0.1)
	t:within(1, function() return c.got end)
	t:eq({ c.got[1], c.got[2] }, { vector(1, -3, 32767), rotator(256, 65280, 0) })
	t:near(c.got[3], vector(0.3, 0, 0), 1e-4)
	t:near(c.got[4], 0.1, 1e-7)
	t:ne(c.got[4], 0.1, "a float of 32 bits")
end)

local PAIR = net.with [[
	local Pair = class("Pair")
	Pair.properties {
		S = struct { A = int(0), B = int(0), Arr = array(int(0), 3), Mine = local_(int(1)), Where = vector(0, 0, 0), Label = "" },
		Arr = array(int(0), 5),
		bRun = false,
	}
	Pair.defaults { bAlwaysRelevant = true }
	Pair.replication { { "S", "Arr", notify = true } }
	function Pair:Tick(_)
		if self.bRun then
			local n = self.S.A + 1
			self.S.A = n
			self.S.B = n * 2
			self.S.Arr[3] = n * 3
		end
	end
	function Pair:OnRep_S(old)
		self.news = (self.news or 0) + 1
		self.oldA = old.A
	end
	function Pair:OnRep_Arr(_) self.arrNews = (self.arrNews or 0) + 1 end
]]

scenario("R5.11 never half of an old struct, whatever is lost", { seeds = 5 }, function(t)
	t:scripts(PAIR.classes)
	local _, _, pair, c = net.actor(t, "Pair", { bRun = true }, { name = "a", lag = 0.03, jitter = 0.02, loss = 0.2, reorder = 0.2, dup = 0.1 })
	t:always(1.5, function() return c.S.B == c.S.A * 2 and c.S.Arr[3] == c.S.A * 3 end)
	t:gt(c.S.A, 20)
	pair.bRun = false
	t:within(2, function() return c.S.A == pair.S.A end)
	t:eq(c.S.Arr, { 0, 0, pair.S.A * 3 })
end)

scenario("R5.11 one member changes and all cross: what a client changed for itself is overwritten", function(t)
	local _, _, pair, c = PAIR.actor(t, "Pair", { S = { A = 1, B = 2, Arr = { 3, 4, 5 } } }, "a")
	t:run(0.2)
	c.S.B, c.S.Label = 99, "mine"
	c.S.Arr[1] = 98
	pair.S.A = 10
	t:within(1, function() return c.S.A == 10 end)
	t:eq({ c.S.B, c.S.Label }, { 2, "" })
	t:eq(c.S.Arr, { 3, 4, 5 }, "an array inside a struct crosses whole")
end)

scenario("R5.11 a local member stays where it is set", function(t)
	local _, a, pair, c = PAIR.actor(t, "Pair", { S = { A = 1, Mine = 7 } }, "a")
	t:run(0.2)
	t:eq({ c.S.A, c.S.Mine }, { 1, 1 })
	c.S.Mine = 5
	pair.S.Mine, pair.S.A = 8, 2
	t:within(1, function() return c.S.A == 2 end)
	t:eq({ c.S.Mine, pair.S.Mine }, { 5, 8 })
	t:run(0.3)
	local sent = bytes(t, a, "Pair.S")
	pair.S.Mine = 9
	t:run(0.3)
	t:eq(bytes(t, a, "Pair.S"), sent, "and costs nothing")
end)

scenario("R5.11 one notify for a struct, with the whole old one", function(t)
	local _, _, pair, c = PAIR.actor(t, "Pair", { S = { A = 3 } }, "a")
	t:within(1, function() return c.news == 1 end)
	t:eq(c.oldA, 0)
	pair.S.A, pair.S.B, pair.S.Label = 4, 5, "x"
	t:within(1, function() return c.news == 2 end)
	t:eq(c.oldA, 3)
	t:run(0.2)
	t:eq(c.news, 2)
end)

scenario("R5.11 a struct and the items of a fast array have members of every type", function(t)
	local members = [[B = false, I = int(0), R = int(5, { min = 0, max = 9 }), F = float(0), T = "", E = enum("A", "B", "C"), V = vector(0, 0, 0), Q = quantized(vector(0, 0, 0), 10),
		Rot = rotator(0, 0, 0), C = classref("Pawn"), Who = ref("Actor"), Arr = array(int(0), 3)]]
	t:scripts([[
		local Box = class("Box")
		Box.properties { S = struct { ]] .. members .. [[ }, Bag = fastarray(struct { ]] .. members .. [[ }) }
		Box.defaults { bAlwaysRelevant = true }
		Box.replication { { "S", "Bag" } }
	]])
	local _, _, box, c = net.actor(t, "Box", {}, "a")
	local value = {
		B = true, I = -5, R = 9, F = 0.5, T = "x", E = "C", V = vector(1.5, 0, 0), Q = vector(0.25, 0, 0), Rot = rotator(300, 0, 0), C = "Character", Who = box, Arr = { 1, 2, 3 },
	}
	box.S = value
	local k = box.Bag:Add(value)
	t:within(1, function() return c.S.I == -5 and #c.Bag == 1 end)
	t:run(0.1)
	for _, x in ipairs { c.S, c.Bag:Get(k) } do
		t:eq({ x.B, x.I, x.R, x.F, x.T, x.E, x.V, x.Rot, x.C, x.Who }, { true, -5, 9, 0.5, "x", "C", vector(2, 0, 0), rotator(256, 0, 0), "Character", c })
		t:near(x.Q, vector(0.3, 0, 0), 1e-4)
		t:eq({ x.Arr[1], x.Arr[2], x.Arr[3] }, { 1, 2, 3 })
	end
end)

scenario("R5.12 of an array only the elements that changed cross", function(t)
	local _, _, pair, c = PAIR.actor(t, "Pair", { Arr = { 1, 2, 3, 4, 5 } }, "a")
	t:run(0.3)
	t:eq(c.Arr, { 1, 2, 3, 4, 5 })
	c.Arr[2] = 99 -- the client's own
	pair.Arr[4] = 40
	t:within(1, function() return c.Arr[4] == 40 end)
	t:run(0.2)
	t:eq(c.Arr, { 1, 99, 3, 40, 5 })
	pair.Arr[2] = 20
	t:within(1, function() return c.Arr[2] == 20 end)
	t:eq(c.Arr, { 1, 20, 3, 40, 5 })
end)

scenario("R5.12 one element of a large array costs little", function(t)
	t:scripts [[
		local Grid = class("Grid")
		Grid.properties { Cells = array(int(0), 100) }
		Grid.defaults { bAlwaysRelevant = true }
		Grid.replication { { "Cells" } }
		function Grid:Fill(n) for i = 1, #self.Cells do self.Cells[i] = n + i end end
	]]
	local _, a, grid, c = net.actor(t, "Grid", {}, "a")
	t:run(0.2)
	grid:Fill(100000)
	t:within(1, function() return c.Cells[100] == 100100 and c.Cells[1] == 100001 end)
	t:run(0.3)
	local all = bytes(t, a, "Grid.Cells")
	grid.Cells[50] = 7
	t:within(1, function() return c.Cells[50] == 7 end)
	t:run(0.3)
	t:lt((bytes(t, a, "Grid.Cells") - all) * 10, all)
	for i = 1, 100 do t:eq(c.Cells[i], i == 50 and 7 or 100000 + i) end
end)

scenario("R5.12 one notify for an array, however many elements came", function(t)
	local _, _, pair, c = PAIR.actor(t, "Pair", {}, "a")
	t:run(0.2)
	pair.Arr[1], pair.Arr[3], pair.Arr[5] = 1, 3, 5
	t:within(1, function() return c.Arr[5] == 5 end)
	t:run(0.2)
	holds(t, c, { Arr = { 1, 0, 3, 0, 5 }, arrNews = 1 })
end)

scenario("R5.12 of an array of structs the elements that changed cross, each whole", function(t)
	t:scripts(net.thing("Grid", "Cells = array(struct { X = int(0), Y = int(0) }, 4)", '{ "Cells" }'))
	local _, _, grid, c = net.actor(t, "Grid", {}, "a")
	t:run(0.3)
	c.Cells[1].X, c.Cells[2].Y = 91, 92
	grid.Cells[2].X = 5
	t:within(1, function() return c.Cells[2].X == 5 end)
	t:run(0.2)
	t:eq({ c.Cells[1].X, c.Cells[2].Y }, { 91, 0 })
end)

scenario("R5.12 arrays of every type cross", function(t)
	t:scripts [[ local Sword = class("Sword", "Actor") ]]
	cross(t, {
		{ "array(false, 3)", { true, false, true } },
		{ "array(int(0), 3)", { 1, -1, 2147483647 } },
		{ "array(int(5, { min = 0, max = 9 }), 3)", { 0, 9, 5 } },
		{ "array(float(0), 2)", { 0.1, -2.5 } },
		{ 'array("", 1)', { "x" } },
		{ 'array(str("", { max = 10 }), 3)', { "a", "", "0123456789" } },
		{ 'array(enum("A", "B", "C"), 3)', { "C", "A", "B" } },
		{ "array(vector(0, 0, 0), 2)", { vector(0.5, 0, 0), vector(1, 2, 3) }, { vector(1, 0, 0), vector(1, 2, 3) } },
		{ "array(rotator(0, 0, 0), 2)", { rotator(300, 0, 0), rotator(0, 512, 0) }, { rotator(256, 0, 0), rotator(0, 512, 0) } },
		{ 'array(classref("Sword"), 1)', { "Sword" } },
		{ "array(struct { X = int(0), Y = float(0) }, 2)", { { X = 1, Y = 0.5 }, { X = 2, Y = 0 } } },
	})
end)

-- Sizes: the largest that a rule may name, and one more.
for_each({
	{ "int(0)", 111, 112 }, { "float(0)", 111, 112 }, { "false", 447, 448 }, { 'enum("A", "B")', 447, 448 },
	{ 'ref("Actor")', 111, 112 }, { 'classref("Pawn")', 111, 112 }, { "vector(0, 0, 0)", 74, 75 }, { "rotator(0, 0, 0)", 149, 150 },
	{ 'str("", { max = 10 })', 44, 45 }, { '""', 1, 2 },
}, function(case)
	local function class(n)
		return "local A = class('A')\nA.properties { Big = array(" .. case[1] .. ", " .. n .. ") }\nA.replication { { 'Big' } }"
	end
	scenario("R5.12 an array of " .. case[1] .. " is under 448 bytes: " .. case[2] .. " elements", function(t)
		t:scripts(class(case[2]))
		local s = t:server{}
		t:eq(#s:spawn("A").Big, case[2])
	end)
	scenario("R5.12 an array of " .. case[1] .. " is under 448 bytes: not " .. case[3], function(t)
		t:scripts(class(case[3]))
		t:error(function() t:server{} end, "scripts:[23]:%d+: error: .*448")
	end)
end)

scenario("R5.12 the last element of the largest array crosses", function(t)
	t:scripts(net.thing("Grid", "Bits = array(false, 447), Ints = array(int(0), 111)", '{ "Bits", "Ints" }'))
	local _, _, grid, c = net.actor(t, "Grid", {}, "a")
	grid.Bits[447], grid.Bits[1], grid.Ints[111] = true, true, -5
	t:within(1, function() return c.Bits[447] and c.Bits[1] and c.Ints[111] == -5 end)
	t:eq({ c.Bits[446], c.Bits[2], c.Ints[110] }, { false, false, 0 })
end)

scenario("R5.12 what no rule names may be larger", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Big = array(int(0), 500), N = int(0) }
		A.replication { { "N" } }
	]]
	local s = t:server{}
	t:eq(#s:spawn("A").Big, 500)
end)

scenario("R5.12 a dynamic array in a block does not load, and the message says what to use", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { N = int(0) }
		A.replication { { "Items" } }
		function A:BeginPlay() self.Items = {} end
	]]
	t:error(function() t:server{} end, "scripts:3:%d+: error: .*Items.*fastarray")
end)
