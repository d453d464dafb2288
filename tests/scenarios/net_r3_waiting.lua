-- R3.12 where it meets R4.1 and R4.8: what waits for bandwidth is not told of once it is not relevant any more.

local net = require("shared.net")

local NEAR = vector(600, -1800, 100) -- in sight of a, who stands at (0, -2000) and looks along +x

local THING = net.with [[
	local Noise = class("Noise")
	Noise.properties { Text = "" }
	Noise.defaults { bAlwaysRelevant = true, NetPriority = 10 }
	Noise.replication { { "Text" } }
	local Thing = class("Thing")
	Thing.properties { N = int(0), Text = "" }
	Thing.replication { { "N", "Text" } }
	Thing.defaults { NetPriority = 0.01, NetCullDistance = 3000 }
]]

-- crowded makes a client whose line is full, and gives a function that keeps it so for some ticks.
local function crowded(t)
	local s, a = THING.play(t, {}, { name = "a", down = 4000 })
	local list = {}
	for i = 1, 12 do list[i] = s:spawn("Noise") end
	local n = 0
	local function shout(ticks)
		for _ = 1, ticks do
			n = n + 1
			for i, x in ipairs(list) do x.Text = ("noise "):rep(20) .. i .. " " .. n end
			t:ticks(1)
		end
	end
	shout(120)
	return s, a, shout
end

-- told counts what a client's trace tells of actors.
local function told(t, c, list, event)
	local n = 0
	for _, e in ipairs(t:trace(c)) do
		for _, x in ipairs(list) do
			if e.actor == x and e.event == event then n = n + 1 end
		end
	end
	return n
end

for_each({
	{ "is hidden from all but its owner", function(x) x.bOnlyRelevantToOwner = true end },
	{ "is somewhere else", function(x) x.Location = vector(0, 9000, 100) end },
	{ "is not replicated any more", function(x) x.bReplicates = false end },
}, function(case)
	scenario("R3.12 R4.1 what waits to be opened is not opened once it " .. case[1], function(t)
		local s, a, shout = crowded(t)
		local list = {}
		for i = 1, 10 do list[i] = s:spawn("Thing", { Location = NEAR, Text = ("t"):rep(250) }) end
		shout(4)
		local before = told(t, a, list, "opened")
		t:lt(before, 10, "some of them wait")
		for _, x in ipairs(list) do case[2](x) end
		shout(2) -- those under way
		before = told(t, a, list, "opened")
		shout(420) -- longer than RelevantTimeout (R3.10)
		t:run(1)
		t:eq(told(t, a, list, "opened"), before)
	end)
end)

scenario("R3.12 R4.7 what sleeps and waits for bandwidth to wake is not told of once it is somewhere else", function(t)
	local s, a, shout = crowded(t)
	local list = {}
	for i = 1, 10 do list[i] = s:spawn("Thing", { Location = NEAR, NetDormancy = DORM_DormantAll }) end
	t:within(5, function()
		for _, x in ipairs(list) do
			if t:why(a, x) ~= "dormant" then return false end
		end
		return true
	end)
	shout(30)
	for i, x in ipairs(list) do x.N, x.Text = i, ("t"):rep(250) end
	shout(4)
	for _, x in ipairs(list) do x.Location = vector(0, 9000, 100) end
	shout(2)
	local before = told(t, a, list, "set")
	t:lt(before, 30, "some of them wait")
	shout(400)
	for _, x in ipairs(list) do t:eq(a:copy(x), nil) end
	t:eq(told(t, a, list, "set"), before)
end)
