-- Values of every type (R5.9 to R5.14) where they meet loss, late packets, conditions and each other.

local net = require("shared.net")

local NEAR = vector(600, -1800, 100) -- in sight of a, who stands at (0, -2000)

-- start makes a server and a client a; the lag leaves room to lose data and acknowledgement apart.
local function start(t, text, lag)
	t:scripts(text)
	local s, a = net.play(t, {}, { name = "a", lag = lag or 0.03 })
	t:run(0.3)
	return s, a
end

-- A variable of each kind, and what it is set to in round n. What is read back is compared as text.
local KINDS = [[
	local Box = class("Box")
	Box.properties {
		Int = int(0), Small = int(0, { min = -3, max = 100 }), Float = float(0), Word = str("", { max = 200 }), Flag = false,
		Kind = enum("A", "B", "C", "D"), At = vector(0, 0, 0), Fine = quantized(vector(0, 0, 0), 100), Turn = rotator(0, 0, 0), Class = classref("Actor"),
		To = ref("Actor"), S = struct { A = int(0), Text = "", Arr = array(int(0), 3), Who = ref("Actor") },
		Arr = array(int(0), 40), Smalls = array(int(5, { min = 1, max = 9 }), 10), Words = array(str("", { max = 12 }), 8),
		Places = array(vector(0, 0, 0), 5), Refs = array(ref("Actor"), 4), Bag = fastarray(struct { K = int(0), Word = "", Who = ref("Actor") }),
	}
	Box.replication {
		{ "Int", "Small", "Float", "Word", "Flag", "Kind", "At", "Fine", "Turn", "Class", "To", "S", "Arr", "Smalls", "Words", "Places", "Refs", "Bag" },
	}
	function Box.simulated:Text(name)
		local v = self[name]
		if name == "To" then return tostring(v and v.Int) end
		if name == "S" then return v.A .. v.Text .. v.Arr[1] .. v.Arr[2] .. v.Arr[3] .. tostring(v.Who and v.Who.Int) end
		local out = {}
		if name == "Bag" then
			for key, item in v:Pairs() do out[#out + 1] = key .. ":" .. item.K .. item.Word .. tostring(item.Who and item.Who.Int) end
		elseif name == "Refs" then
			for i = 1, #v do out[i] = tostring(v[i] and v[i].Int) end
		elseif name == "Arr" or name == "Smalls" or name == "Words" or name == "Places" then
			for i = 1, #v do out[i] = tostring(v[i]) end
		else
			return tostring(v)
		end
		return table.concat(out, " ")
	end
]]

local words = { "key", "lock", "", "a longer word that repeats, repeats, repeats", "key", "\0\255" }

local set = {
	Int = function(x, n) x.Int = n % 2 == 0 and -n * 7777 or n end,
	Small = function(x, n) x.Small = n * 13 % 104 - 3 end,
	Float = function(x, n) x.Float = n / 3 end,
	Word = function(x, n) x.Word = words[n % 6 + 1] end,
	Flag = function(x) x.Flag = not x.Flag end,
	Kind = function(x, n) x.Kind = ({ "B", "A", "D", "C" })[n % 4 + 1] end,
	At = function(x, n) x.At = vector(n, -n * 900 % 30000, n % 2) end,
	Fine = function(x, n) x.Fine = vector(n / 4, -n * 900, 0) end,
	Turn = function(x, n) x.Turn = rotator(0, n * 256, n * 512) end,
	Class = function(x, n) x.Class = ({ "Pawn", "Character", "Box" })[n % 3 + 1] end,
	To = function(x, n, list) x.To = list[n % 3] end,
	S = function(x, n, list) x.S = { A = n, Text = words[n % 6 + 1]:sub(1, 9), Arr = { n, 0, -n }, Who = list[n % 3] } end,
	Arr = function(x, n)
		x.Arr[n * 7 % 40 + 1] = n
		x.Arr[n * 11 % 40 + 1] = 0
	end,
	Smalls = function(x, n) x.Smalls[n * 3 % 10 + 1] = n % 9 + 1 end,
	Words = function(x, n) x.Words[n * 3 % 8 + 1] = words[n % 6 + 1]:sub(1, 12) end,
	Places = function(x, n) x.Places[n % 5 + 1] = vector(n, n, n % 3 * 10000) end,
	Refs = function(x, n, list) x.Refs[n % 4 + 1] = list[n % 3] end,
	Bag = function(x, n, list)
		if n % 3 == 0 then
			local step, bag, from = x.Bag:Pairs()
			local oldest = step(bag, from)
			return oldest and x.Bag:Remove(oldest)
		end
		x.Bag:Add { K = n, Word = words[n % 6 + 1]:sub(1, 20), Who = list[n % 3] }
	end,
}
local names = {}
for name in pairs(set) do names[#names + 1] = name end
table.sort(names)

-- boxes makes three actors to refer to, of which one is never shown, and a box.
local function boxes(t, s, a)
	local list = {}
	for i = 1, 2 do list[i] = s:spawn("Box", { Location = NEAR, bHidden = i == 2, Int = 9000 + i }) end
	local x, c = net.spawn(t, s, "Box", { Location = NEAR }, a)
	t:within(1, function() return a:copy(list[1]) and a:copy(list[1]).Int == 9001 end)
	return x, c, list
end

-- shown is what a client should have: references to what it lacks are nil.
local function shown(x, name) return (tostring(x:Text(name)):gsub("9002", "nil")) end

for_each({ "loss_down", "loss_up" }, function(way)
	scenario("R5.9 R5.22 a value of every type is right in the end, whichever packet is lost: " .. way, { transport = "sim" }, function(t)
		local s, a = start(t, KINDS)
		local x, c, list = boxes(t, s, a)
		for _, name in ipairs(names) do
			for at = 0, 8, 2 do
				set[name](x, at + 1, list)
				t:ticks(2)
				set[name](x, at + 2, list)
				t:ticks(at)
				a:link { [way] = 1 }
				t:ticks(3)
				a:link { loss = 0 }
				t:within(1, function() return c:Text(name) == shown(x, name) end, name .. ", lost at " .. at)
			end
		end
	end)
end)

scenario("R5.8 R5.9 a value of every type is right in the end where packets overtake each other", { seeds = 5 }, function(t)
	local s, a = start(t, KINDS)
	local x, c, list = boxes(t, s, a)
	a:link { lag = 0.08, jitter = 0.04, reorder = 0.4, dup = 0.3, loss = 0.15 }
	for n = 1, 60 do
		for i, name in ipairs(names) do
			if (n + i) % 3 == 0 then set[name](x, n, list) end
		end
		t:ticks(n % 4)
	end
	for _, name in ipairs(names) do t:within(3, function() return c:Text(name) == shown(x, name) end, name) end
end)

scenario("R5.8a R5.12 an element that is refused changes nothing, and those set beside it cross", { seeds = 5 }, function(t)
	local s, a = start(t, KINDS)
	local x, c = boxes(t, s, a)
	a:link { loss = 0.2 }
	x.Smalls[2] = 9
	t:expect_error("Smalls.*10")
	x.Smalls[3] = 10
	x.Smalls[4] = 1
	t:expect_error("S.*A.*1.5")
	x.S = { A = 1.5, Text = "half" }
	x.S.Text = "whole"
	t:within(1.5, function() return c.Smalls[2] == 9 and c.Smalls[4] == 1 and c.S.Text == "whole" end)
	t:eq({ c.Smalls[3], x.Smalls[3], c.S.A, x.S.A }, { 5, 5, 0, 0 })
end)

scenario("R5.10 R5.14 a vector whose change rounds away is not notified, one that rounds to another is", { seeds = 5 }, function(t)
	local s, a = start(t, [[
		local Dot = class("Dot")
		Dot.properties { At = vector(0, 0, 0), S = struct { At = vector(0, 0, 0), N = int(0) }, N = int(0) }
		Dot.replication { { "At", "S", notify = true }, { "N" } }
		function Dot:OnRep_At(old) self.news = (self.news or "") .. old.X .. ">" .. self.At.X .. " " end
		function Dot:OnRep_S(old) self.structs = (self.structs or "") .. old.At.X .. ">" .. self.S.At.X .. " " end
	]])
	local x, c = net.spawn(t, s, "Dot", { Location = NEAR }, a)
	a:link { loss = 0.2 }
	for n, at in ipairs { 10.1, 10.2, 9.8, 10.6, 10.9, 10.4, -0.4, 0.4, 0 } do
		x.At, x.S, x.N = vector(at, 0, 0), { At = vector(at, 0, 0), N = 0 }, n
		t:within(1.5, function() return c.N == n and c.At.X == (at < 0 and math.ceil(at - 0.5) or math.floor(at + 0.5)) end)
		t:run(0.3)
	end
	t:within(1, function() return c.structs == c.news end)
	t:eq(c.news, "0>10 10>11 11>10 10>0 ")
end)

scenario("R5.15 R5.22 the server's next new value overwrites what a client made of it, though it is the one of before and those between were lost",
	{ seeds = 5 }, function(t)
	local s, a = start(t, [[
		local Door = class("Door")
		Door.properties { Open = false, N = int(0), At = vector(0, 0, 0), S = struct { A = int(0) }, Arr = array(int(0), 3), To = ref("Actor"), Beat = int(0) }
		Door.replication { { "Open", "N", "At", "S", "Arr", "To", "Beat" } }
	]])
	local x, c = net.spawn(t, s, "Door", { Location = NEAR }, a)
	local function open(n, to) x.Open, x.N, x.At, x.S, x.Arr[2], x.To = n == 5, n, vector(n, 0, 0), { A = n }, n, to end
	local function read(y, own) return { y.Open, y.N, y.At.X, y.S.A, y.Arr[2], y.To == own } end
	for round = 1, 6 do
		open(5, x)
		t:run(0.5)
		t:eq(read(c, c), { true, 5, 5, 5, 5, true })
		c.Open, c.N, c.At, c.S.A, c.Arr[2], c.To = false, 50, vector(50, 0, 0), 50, 50, nil -- predicted
		for n = 1, round do -- what keeps the connection busy, or not
			x.Beat = n
			t:ticks(2)
		end
		a:link { loss_down = 1 }
		open(6, nil)
		t:ticks(2 + round)
		open(5, x)
		t:ticks(round - 1)
		a:link { loss = 0 }
		t:run(1.5)
		t:eq(read(c, c), { true, 5, 5, 5, 5, true }, "round " .. round)
		open(7, nil)
		t:run(0.5)
	end
end)

scenario("R5.15 R5.22 what a client made of a value stays when its repetition was lost and is sent again", { transport = "sim" }, function(t)
	local s, a = start(t, [[
		local Door = class("Door")
		Door.properties { N = int(0), Arr = array(int(0), 3) }
		Door.replication { { "N", "Arr" } }
	]])
	local x, c = net.spawn(t, s, "Door", { Location = NEAR }, a)
	t:run(0.5)
	for at = 0, 6 do
		x.N, x.Arr[1] = at + 1, at + 1
		t:ticks(at)
		a:link { loss_down = 1 }
		t:ticks(2)
		a:link { loss = 0 }
		t:within(1, function() return c.N == at + 1 and c.Arr[1] == at + 1 end)
		c.N, c.Arr[1] = -5, -5
		t:run(1)
		t:eq({ c.N, c.Arr[1] }, { -5, -5 }, "lost at " .. at)
	end
end)
