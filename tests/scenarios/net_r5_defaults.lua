-- Section 5 of the rules, R5.23: a default that a reload changes reaches live actors on every peer.

local net = require("shared.net")
local copy, join = net.copy, net.join

-- A box whose variables cross, each by a rule of its own.
local function boxes(width, more)
	return ([[
		local Box = class("Box")
		Box.properties {
			Width = int(%d), Label = "w%d", Place = vector(%d, 0.5, 0), Gear = struct { Max = int(%d), Used = int(3) },
			Slots = array(int(%d), 3), Own = int(%d), First = int(%d), Local = int(%d), bBig = %s, Log = "",
		}
		Box.defaults { bAlwaysRelevant = true, DrawScale = %d }
		Box.replication {
			{ "Width", "Label", "Place", "Gear", "Slots", "bBig", notify = true },
			{ "Own", when = COND_OwnerOnly, notify = true },
			{ "First", when = COND_InitialOnly, notify = true },
		}
		function Box:ReplicatedEvent(name, old)
			if type(old) == "number" or type(old) == "string" then name = name .. "=" .. old end
			self.Log = self.Log .. name .. " "
		end
		local Chest = class("Chest", "Box")
		local Carton = class("Carton", "Box")
		Carton.defaults { Width = %d }
	]]):format(width, width, width, width, width, width, width, width, tostring(width > 200), width / 100, width / 2) .. (more or "")
end

scenario("R5.23 a changed default reaches live actors on every peer, with notifies", { seeds = 5 }, function(t)
	t:scripts(boxes(100))
	local s, a, b = net.start(t, {}, "a", { name = "b", lag = 0.08, jitter = 0.02, loss = 0.1 })
	local box, set, carton = s:spawn("Box"), s:spawn("Chest", { Width = 80, Label = "mine" }), s:spawn("Carton")
	for _, c in ipairs { a, b } do
		copy(t, c, box)
		local x = copy(t, c, set)
		copy(t, c, carton)
		t:within(2, function() return x.Label == "mine" end)
	end
	set.Gear.Max, set.Slots[2] = 7, 8
	t:within(2, function() return b:copy(set).Gear.Max == 7 and b:copy(set).Slots[2] == 8 end)
	t:run(0.5)
	local log = b:copy(set).Log
	t:reload(boxes(300))
	t:run(1)
	for _, peer in ipairs { s, a, b } do
		local x, y, z = peer:copy(box), peer:copy(set), peer:copy(carton)
		t:eq({ x.Width, x.Label, x.Gear.Max, x.Gear.Used, x.Slots[1], x.Slots[2], x.First, x.Local, x.bBig, x.DrawScale }, { 300, "w300", 300, 3, 300, 300, 300, 300, true, 3 })
		t:near(x.Place, vector(300, 0.5, 0), 0.51)
		t:eq({ y.Width, y.Label, y.Gear.Max, y.Gear.Used, y.Slots[1], y.Slots[2], y.First }, { 80, "mine", 7, 3, 300, 8, 300 })
		t:eq(z.Width, 150)
	end
	t:eq(box.Log, "", "no notify on the server")
	for _, c in ipairs { a, b } do
		local told = c:copy(box).Log
		for _, name in ipairs { "Width=100", "Label=w100", "Gear", "Slots", "bBig", "First=100" } do
			local _, n = told:gsub("%f[%w]" .. name .. "%f[^%w]", "")
			t:eq(n, 1, name .. " in " .. told)
		end
		t:match(c:copy(carton).Log, "Width=50")
	end
	t:no(b:copy(set).Log:sub(#log + 1):match("Width=")) -- it keeps 80
	local late = join(t, s, { name = "late" })
	for _, k in ipairs { box, set, carton } do
		local x = copy(t, late, k)
		t:within(2, function() return x.Width == k.Width and x.Gear.Max == k.Gear.Max and x.Slots[2] == k.Slots[2] and x.Label == k.Label end)
	end
	t:eq(late:copy(box).Log, "", "none for what is still the default")
	box.Width = 400 -- and all goes on as before
	t:within(2, function() return a:copy(box).Width == 400 and b:copy(box).Width == 400 and late:copy(box).Width == 400 end)
end)

-- What stands in a copy when a reload comes is not what the server had: the server's value wins in the end.
for_each({
	{ "set in the same tick to something else", function(box) box.Width = 55 end, 55 },
	{ "set in the same tick back to the default", function(box) box.Width = 100 end, 300, 80 },
	{ "set in the same tick to the default that comes", function(box) box.Width = 300 end, 300 },
	{ "set to the default and to something else, in two ticks", function(box, t) box.Width = 100 t:ticks(1) box.Width = 7 end, 7, 80 },
}, function(case)
	for _, loss in ipairs { 0, 0.3 } do
		scenario("R5.23 a changed default beside a value that is " .. case[1] .. ", " .. loss * 100 .. " % loss", { seeds = 5 }, function(t)
			t:scripts(boxes(100))
			local s, a, b = net.start(t, {}, { name = "a", lag = 0.06, jitter = 0.02, loss = loss }, "b")
			local box = s:spawn("Box", { Width = case[4] or 100 })
			for _, c in ipairs { a, b } do copy(t, c, box) end
			t:run(0.5)
			case[2](box, t)
			t:reload(boxes(300))
			t:eq(box.Width, case[3])
			t:within(3, function() return a:copy(box).Width == case[3] and b:copy(box).Width == case[3] end)
			t:always(0.5, function() return a:copy(box).Width == case[3] and b:copy(box).Width == case[3] end)
			box.Width = 100 -- which is no default any more
			t:within(2, function() return a:copy(box).Width == 100 and b:copy(box).Width == 100 end)
		end)
	end
end)

scenario("R5.23 a changed default corrects a copy that its client changed, and leaves it where the server's value stays", function(t)
	t:scripts(boxes(100))
	local s, a = net.start(t, {}, { name = "a", lag = 0.03 })
	local box, set = s:spawn("Box"), s:spawn("Box", { Width = 80 })
	local cb, cs = copy(t, a, box), copy(t, a, set)
	t:within(1, function() return cs.Width == 80 end)
	cb.Width, cs.Width = 5, 6
	t:run(0.3)
	t:eq({ cb.Width, cs.Width }, { 5, 6 })
	t:reload(boxes(300))
	t:within(1, function() return cb.Width == 300 end) -- a new value from the server (R5.15)
	t:run(0.5)
	t:eq({ cb.Width, cs.Width }, { 300, 6 })
end)

scenario("R5.23 a changed default of a variable whose condition does not hold follows where it stands", function(t)
	t:scripts(boxes(100))
	local s, a, b = net.start(t, {}, "a", "b")
	local box, ca, cb = net.spawn(t, s, "Box", { Owner = s:controller(a), Own = 9, First = 9 }, a, b)
	t:within(1, function() return ca.Own == 9 end)
	t:run(0.5)
	box.First = 100 -- too late for clients
	t:run(0.3)
	t:reload(boxes(300))
	t:run(0.5)
	t:eq({ box.Own, box.First }, { 9, 300 })
	t:eq({ ca.Own, ca.First }, { 9, 9 })
	t:eq({ cb.Own, cb.First }, { 300, 9 }) -- b was never told of Own: it has the default
	box.Owner = s:controller(b)
	t:within(1, function() return cb.Own == 9 end)
end)

scenario("R5.23 defaults that change again before a client has heard of the first", { seeds = 5 }, function(t)
	t:scripts(boxes(100))
	local s, a, b = net.start(t, {}, { name = "a", lag = 0.15, loss = 0.1 }, { name = "b", cold = true, lag = 0.05, loss = 0.1 })
	local list = {}
	for i = 1, 4 do list[i] = s:spawn("Box", { Width = i % 2 == 0 and 100 or 300 }) end
	for _, c in ipairs { a, b } do
		for _, k in ipairs(list) do copy(t, c, k) end
	end
	t:run(0.5)
	for n, width in ipairs { 300, 500, 100, 700 } do
		list[(n % 4) + 1].Width = width
		t:reload(boxes(width))
		t:run(0.04)
	end
	t:within(5, function()
		for _, c in ipairs { a, b } do
			for _, k in ipairs(list) do
				local x = c:copy(k)
				if x.Width ~= k.Width or x.Label ~= "w700" or x.Slots[2] ~= 700 then return false end
			end
		end
		return true
	end)
	t:eq({ a.error, b.error }, { nil, nil })
end)

scenario("R5.23 a changed default reaches components", function(t)
	local function parts(power)
		return ([[
			local Lamp = class("Lamp", "ActorComponent")
			Lamp.properties { Power = int(%d), Seen = int(0) }
			Lamp.replication { { "Power", notify = true } }
			function Lamp:OnRep_Power(old) self.Seen = old end
			local House = class("House")
			House.defaults { bAlwaysRelevant = true }
			House.components { Light = "Lamp" }
		]]):format(power)
	end
	t:scripts(parts(10))
	local s, a = net.start(t, {}, { name = "a", lag = 0.02, loss = 0.05 })
	local one, two = s:spawn("House"), s:spawn("House")
	local extra = one:AddComponent("Lamp", "Extra")
	two.Light.Power = 4
	local c1, c2 = copy(t, a, one), copy(t, a, two)
	t:within(2, function() return c2.Light.Power == 4 and c1.Extra end)
	t:run(0.5)
	t:reload(parts(20))
	t:run(0.5)
	t:eq({ one.Light.Power, two.Light.Power, extra.Power }, { 20, 4, 20 })
	t:eq({ c1.Light.Power, c2.Light.Power, c1.Extra.Power, c1.Light.Seen, c2.Light.Seen }, { 20, 4, 20, 10, 10 })
	one.Light.Power = 10
	t:within(2, function() return c1.Light.Power == 10 end)
end)

scenario("R5.23 a changed default reaches actors that sleep, and they sleep on", function(t)
	local function house(rooms)
		return ([[
			local House = class("House")
			House.properties { Rooms = int(%d), Doors = int(1), Seen = int(0) }
			House.defaults { bAlwaysRelevant = true, NetDormancy = DORM_DormantAll }
			House.replication { { "Rooms", notify = true }, { "Doors" } }
			function House:OnRep_Rooms(old) self.Seen = old end
		]]):format(rooms)
	end
	t:scripts(house(10))
	local s, a = net.start(t, {}, { name = "a", lag = 0.02, loss = 0.05 })
	local one, two = s:spawn("House"), s:spawn("House", { Rooms = 4 })
	local c1, c2 = copy(t, a, one), copy(t, a, two)
	t:within(3, function() return t:why(a, one, "Rooms") == "dormant" and t:why(a, two, "Rooms") == "dormant" end)
	t:reload(house(20))
	t:within(3, function() return t:why(a, one, "Rooms") == "dormant" and t:why(a, two, "Rooms") == "dormant" end)
	t:eq({ one.Rooms, two.Rooms, c1.Rooms, c2.Rooms, c1.Seen, c2.Seen }, { 20, 4, 20, 4, 10, 10 })
	one.Rooms = 10
	t:within(2, function() return c1.Rooms == 10 end)
end)

scenario("R5.23 a changed default goes up as it goes down", function(t)
	local function knob(level)
		return ([[
			local Knob = class("Knob")
			Knob.properties { Level = int(%d), Mine = int(0) }
			Knob.defaults { bAlwaysRelevant = true, RemoteRole = ROLE_AutonomousProxy }
			Knob.replication { { "Level", when = function(self) return self.Role < ROLE_Authority end }, { "Mine" } }
		]]):format(level)
	end
	t:scripts(knob(3))
	local s, a = net.start(t, {}, { name = "a", lag = 0.05, loss = 0.1 })
	local one, two = s:spawn("Knob", { Owner = s:controller(a) }), s:spawn("Knob", { Owner = s:controller(a) })
	local c1, c2 = copy(t, a, one), copy(t, a, two)
	c2.Level = 8
	t:within(2, function() return two.Level == 8 end)
	c2.Level = 3
	t:ticks(1)
	t:reload(knob(5))
	t:within(2, function() return c1.Level == 5 and c2.Level == 5 and one.Level == 5 and two.Level == 5 end)
	t:always(0.5, function() return c1.Level == 5 and c2.Level == 5 and one.Level == 5 and two.Level == 5 end)
end)

scenario("R5.23 engine variables follow their defaults: pace, priority, size", function(t)
	local function post(radius, more)
		return ([[
			local Post = class("Post")
			Post.properties { Touches = int(0), Beat = int(0) }
			Post.defaults { bAlwaysRelevant = true, bCollideActors = true, CollisionRadius = %d, %s }
			Post.replication { { "Beat" } }
			function Post:Tick(_) self.Beat = self.Beat + 1 end
			function Post.simulated:Touch(_) self.Touches = self.Touches + 1 end
		]]):format(radius, more)
	end
	t:scripts(post(20, "NetUpdateFrequency = 1, NetPriority = 1"))
	local s, a = net.start(t, {}, "a")
	local left, right = s:spawn("Post"), s:spawn("Post", { Location = vector(100, 0, 0) })
	local c = copy(t, a, left)
	copy(t, a, right)
	t:run(1)
	local function rate()
		local n, last = 0, c.Beat
		for _ = 1, 60 do
			t:ticks(1)
			if c.Beat ~= last then n, last = n + 1, c.Beat end
		end
		return n
	end
	t:le(rate(), 2)
	t:reload(post(60, "NetUpdateFrequency = 100, NetPriority = 3"))
	t:run(0.3)
	t:ge(rate(), 25)
	t:eq({ left.Touches, right.Touches, c.Touches }, { 1, 1, 1 })
	for _, peer in ipairs { s, a } do
		t:eq({ peer:copy(left).CollisionRadius, peer:copy(left).NetPriority }, { 60, 3 })
	end
	t:eq(#right:Touching(), 1)
end)
