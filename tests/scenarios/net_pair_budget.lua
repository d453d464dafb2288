-- Bandwidth, priority and frequency (R4.1 to R4.8) where they meet what is large, what goes, and what is lost.

local net = require("shared.net")
local joined = net.joined

local NEAR = vector(600, -1800, 100) -- in sight of a, who stands at (0, -2000), and of b, at (0, -1600)

local BOX = net.with [[
	local Box = class("Box")
	Box.properties {
		N = int(0), Text = str("", { max = 400 }), S = struct { A = int(0), Pad = str("", { max = 300 }), B = int(0) }, To = ref("Actor"),
		Mine = int(0), First = int(0), Arr = array(int(0), 40), Bag = fastarray(struct { K = int(0), Pad = "" }), Wish = int(0, { min = 0, max = 1000 }),
	}
	Box.defaults { RemoteRole = ROLE_AutonomousProxy }
	Box.replication {
		{ "N", "S", notify = true }, { "Text", "To", "Arr", "Bag" }, { "Mine", when = COND_OwnerOnly }, { "First", when = COND_InitialOnly },
		{ "Wish", when = function(self) return self.Role < ROLE_Authority end },
	}
	function Box.simulated:PostNetBeginPlay() self.began = self.N .. " " .. #self.Text .. " " .. self.S.A .. " " .. self.First .. " " .. self.Arr[40] end
	function Box:OnRep_N(old) self.news = (self.news or 0) + 1; self.old = old end
	function Box:OnRep_S() self.half = self.half or self.S.A ~= self.S.B end

	local Noise = class("Noise")
	Noise.properties { Text = "" }
	Noise.defaults { bAlwaysRelevant = true, NetPriority = 5 }
	Noise.replication { { "Text" } }
]]

-- start makes a server and a client a with its own line.
local function start(t, link)
	local s = BOX.server(t, {})
	local options = { name = "a" }
	for k, v in pairs(link) do options[k] = v end
	local a = t:client(options)
	joined(t, s, a)
	t:run(1)
	return s, a
end

local function box(s, props)
	local all = { Location = NEAR }
	for k, v in pairs(props or {}) do all[k] = v end
	return s:spawn("Box", all)
end

-- noises fill a line: the function that it gives sets them all in each of some ticks.
local function noises(t, s, count)
	local list = {}
	for i = 1, count do list[i] = s:spawn("Noise") end
	local n = 0
	return function(ticks)
		for _ = 1, ticks do
			n = n + 1
			for i, x in ipairs(list) do x.Text = ("noise "):rep(30) .. i .. " " .. n end
			t:ticks(1)
		end
	end, list
end

scenario("R4.8 R5.8 large values wait on a modem, half of their actors are destroyed: the others have theirs, nobody keeps a ghost", { seeds = 5 }, function(t)
	local s, a = start(t, { lag = 0.1, loss = 0.1 })
	local list = {}
	for i = 1, 12 do list[i] = box(s) end
	t:within(5, function()
		for _, x in ipairs(list) do
			if not a:copy(x) then return false end
		end
		return true
	end)
	a:link { down = 2600 }
	t:run(0.5)
	for i, x in ipairs(list) do x.Text, x.N = ("v"):rep(389) .. i, i end
	t:ticks(9)
	local gone = {}
	for i = 1, 12, 2 do
		gone[i] = a:copy(list[i])
		list[i]:Destroy()
	end
	t:within(8, function()
		for i = 1, 12 do
			local c = i % 2 == 0 and a:copy(list[i])
			if i % 2 == 1 and gone[i].alive or c and (c.N ~= i or c.Text ~= list[i].Text) then return false end
		end
		return true
	end)
	t:eq(#a:actors("Box"), 6)
end)

scenario("R4.8 R5.14 of many values that a full line had no room for the last is notified, with what was seen before", { seeds = 5 }, function(t)
	local s, a = start(t, { lag = 0.03, down = 4000, loss = 0.05 })
	local x = box(s, { NetPriority = 0.05 })
	local c = t:within(5, function() return a:copy(x) end)
	t:run(0.5)
	local shout = noises(t, s, 8)
	shout(20)
	local before, held = c.news or 0, c.N
	for n = 1, 60 do
		x.N, x.S = n, { A = n, B = n }
		shout(1)
	end
	t:within(5, function() return c.N == 60 and c.S.A == 60 end)
	t:lt(c.news - before, 30, "most of them had no room")
	t:ne(c.old, 60)
	t:ge(c.old, held)
	t:no(c.half)
end)

scenario("R4.8 R5.13 a reference waits for its target as long as that waits for bandwidth, and no longer", { seeds = 5 }, function(t)
	local s, a = start(t, { lag = 0.03, down = 4000, loss = 0.1 })
	local shout = noises(t, s, 6)
	shout(60)
	local list = {}
	for i = 1, 5 do
		local target = box(s, { NetPriority = 0.1, Text = ("t"):rep(300), N = i })
		list[i] = box(s, { NetPriority = 4, N = i })
		list[i].To = target
	end
	for _ = 1, 10 do
		shout(30)
		for i, x in ipairs(list) do
			local c, target = a:copy(x), a:copy(x.To)
			if c and c.To then t:ok(c.To == target and target.N == i, "a reference to the right one") end
		end
	end
	t:within(6, function()
		for _, x in ipairs(list) do
			local c = a:copy(x)
			if not c or not c.To or c.To ~= a:copy(x.To) then return false end
		end
		return true
	end)
end)

scenario("R4.2 R4.7 what sleeps takes no share of a full line, and its wait begins when it wakes", { seeds = 5 }, function(t)
	local s, a = start(t, { lag = 0.03, down = 5000 })
	local list = {}
	for i = 1, 10 do list[i] = box(s, { NetDormancy = DORM_DormantAll, NetPriority = 3 }) end
	t:run(2)
	local shout, loud = noises(t, s, 4)
	shout(120)
	local function sent() return t:traffic(a).by_class.Noise.sent end
	local before = sent()
	shout(300)
	local free = sent() - before
	for _, x in ipairs(list) do x:Destroy() end
	shout(60)
	before = sent()
	shout(300)
	t:near(sent() - before, free, free * 0.1, "as much without them")
	t:eq(#loud, 4)
	local x = box(s, { NetDormancy = DORM_DormantAll, NetPriority = 1 })
	shout(240)
	x.N = 1
	local from = s.time
	while not (a:copy(x) and a:copy(x).N == 1) and s.time - from < 3 do shout(1) end
	t:eq(a:copy(x).N, 1)
end)
