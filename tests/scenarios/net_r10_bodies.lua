-- Section 10 of the rules, R10.1 to R10.3, with clients: rigid bodies, what crosses of them, and how clients
-- follow.

local net = require("shared.net")
local bytes, copy, holds = net.bytes, net.copy, net.holds

-- A server and a client of each table of options, all in.
local function start(t, options, ...) return net.start(t, options or {}, ...) end

-- How far apart two handles of one actor are: uu, and the sum of what their axes differ by.
local function apart(a, b)
	local f1, r1, u1 = a.Rotation:Axes()
	local f2, r2, u2 = b.Rotation:Axes()
	return (a.Location - b.Location):Size(), (f1 - f2):Size() + (r1 - r2):Size() + (u1 - u2):Size()
end

-- A body without friction or damping above a floor: it slides on forever.
local SLED = [[
	local Sled = class("Sled", "RigidBody")
	Sled.defaults { Friction = 0, LinearDamping = 0, AngularDamping = 0, Restitution = 0 }
]]

scenario("R10.1 a body's state crosses as one struct: place to a hundredth, orientation, both velocities", function(t)
	t:scripts [[
		local Spinner = class("Spinner", "RigidBody")
		Spinner.defaults { GravityScale = 0, LinearDamping = 0, AngularDamping = 0, bAlwaysRelevant = true }
		Spinner.properties { Seen = int(0), Half = false }
		function Spinner.simulated:OnRep_RigidBodyState(old)
			self.Seen = self.Seen + 1
			Spinner.super.OnRep_RigidBodyState(self, old)
		end
	]]
	local s, a = start(t, {}, { name = "a" })
	local box = s:spawn("Spinner", { Location = vector(300.127, -200.253, 500.377) })
	box.Velocity = vector(10, -20, 5)
	box:SetAngularVelocity(vector(1, 2, 3))
	local c = copy(t, a, box)
	for _ = 1, 40 do
		t:run(0.1)
		local state = box.RigidBodyState
		local linear, angular = state.LinVel, state.AngVel
		t:near(linear, vector(10, -20, 5) * 8, 2)
		t:near(angular, box:GetAngularVelocity() * 500, 1)
		t:le(state.Quaternion:Size(), 32769)
		t:near(state.Position, box.Location, 0.009)
	end
	t:gt(c.Seen, 20)
	box:PutToSleep()
	t:run(0.5)
	local off, turned = apart(c, box)
	t:le(off, 0.01)
	t:le(turned, 0.002)
	holds(t, c.RigidBodyState, { LinVel = vector(), AngVel = vector(), Quaternion = box.RigidBodyState.Quaternion })
end)

scenario("R10.1 the fourth part of the orientation follows from three, whichever way a body lies", function(t)
	t:scripts [[
		local Still = class("Still", "RigidBody")
		Still.defaults { GravityScale = 0, bAlwaysRelevant = true }
	]]
	local s, a = start(t, {}, { name = "a" })
	local boxes = {}
	for i = 1, 40 do
		boxes[i] = s:spawn("Still", {
			Location = vector(0, 0, 200 + 150 * i), Rotation = rotator(i * 7919, i * 16381, i * 30011),
		})
		boxes[i]:PutToSleep()
	end
	for i = 1, 40 do
		local c = copy(t, a, boxes[i])
		t:run(0.05)
		local _, turned = apart(c, boxes[i])
		t:le(turned, 0.002, "box " .. i)
	end
end)

-- Velocities of every size: { linear uu/s, turning rad/s }. Linear crosses in eighths, turning in 500ths.
for_each({
	{ vector(0.3, 0, 0), vector(0, 0, 0.01) }, { vector(-0.7, 12.34, -0.06), vector(-0.003, 0.5, 0) }, { vector(100, -250.5, 33.3), vector(1, -2, 3.333) },
	{ vector(-1500, 900, 10), vector(0, 0, -12.5) }, { vector(3900, 0, 0), vector(20, -20, 20) },
}, function(case)
	local linear, turning = unpack(case)
	scenario("R10.1 velocities cross scaled up: " .. tostring(linear) .. " uu/s, " .. tostring(turning) .. " rad/s", function(t)
		t:scripts [[
			local Free = class("Free", "RigidBody")
			Free.defaults { GravityScale = 0, LinearDamping = 0, AngularDamping = 0, bAlwaysRelevant = true, bUpdateSimulatedPosition = false }
		]]
		local s, a = start(t, {}, { name = "a" })
		local body, c = net.spawn(t, s, "Free", { Location = vector(-4000, 0, 900) }, a)
		t:run(0.3)
		body.Velocity = linear
		body:SetAngularVelocity(turning)
		t:run(0.5)
		-- What is held on the server is what crosses: whole numbers, within half of one of the truth.
		local state, got = body.RigidBodyState, c.RigidBodyState
		for _, axis in ipairs { "X", "Y", "Z" } do
			for _, part in ipairs { { "LinVel", body.Velocity, 8 }, { "AngVel", body:GetAngularVelocity(), 500 } } do
				local name, truth, factor = unpack(part)
				t:near(state[name][axis], truth[axis] * factor, 0.51, name .. "." .. axis)
				t:eq(state[name][axis], math.floor(state[name][axis] + 0.5), "a whole number")
			end
		end
		t:near(got.LinVel / 8, linear, 0.25)
		t:near(got.AngVel / 500, body:GetAngularVelocity(), 0.02)
		local mass = 0.2 + linear:Size() / 60
		t:le(apart(c, body), mass, "and the copy flies as the body does")
	end)
end)

-- Shapes of every size and places near and far, with the orientation all round.
for_each({ { 4, vector(0.004, -0.006, 300.005) }, { 30, vector(-123.456, 7.891, 400.125) }, { 250, vector(15000.994, -15000.996, 3000.015) } }, function(case)
	local size, place = unpack(case)
	scenario("R10.1 a body of " .. size .. " uu lies on its copy to a hundredth at " .. tostring(place), function(t)
		t:scripts(string.format([[
			local Still = class("Still", "RigidBody")
			Still.defaults { GravityScale = 0, bAlwaysRelevant = true, CollisionRadius = %d, CollisionHeight = %d }
		]], size, size))
		local s, a = start(t, {}, { name = "a" })
		local body, c = net.spawn(t, s, "Still", { Location = place }, a)
		for i, turn in ipairs {
			rotator(0, 0, 0), rotator(16384, 0, 0), rotator(0, 32768, 0), rotator(0, 0, 32768), rotator(49152, 8192, 1), rotator(11, 60000, 30000), rotator(32767, 32767, 32767),
		} do
			body:SetRotation(turn)
			body:PutToSleep()
			t:run(0.4)
			local state = body.RigidBodyState
			for _, axis in ipairs { "X", "Y", "Z" } do
				t:near(state.Position[axis], body.Location[axis], 0.0051, "the place to a hundredth")
				t:near(c.RigidBodyState.Position[axis], state.Position[axis], 0.0051)
				t:eq(c.RigidBodyState.Quaternion[axis], state.Quaternion[axis], "three whole numbers")
			end
			t:le(state.Quaternion:Size(), 32769)
			local off, turned = apart(c, body)
			t:le(off, 0.02, "turn " .. i)
			t:le(turned, 0.002, "turn " .. i)
		end
	end)
end)

scenario("R10.1 bNewData is of each peer alone, and cleared when the state was read", function(t)
	local s, a = start(t, {}, { name = "a" })
	local box, c = net.spawn(t, s, "RigidBody", { Location = vector(200, 0, 300) }, a)
	box.RigidBodyState.bNewData = true
	t:run(0.5)
	t:no(c.RigidBodyState.bNewData)
end)

scenario("R10.2 a small error of a moving body: a fifth at once, the rest by velocity", { transport = "sim" }, function(t)
	t:scripts(SLED)
	local s, a = start(t, {}, { name = "a", lag = 0.05 })
	local box = s:spawn("Sled", { Location = vector(200, 0, 31) })
	box.Velocity = vector(60, 0, 0)
	local c = copy(t, a, box)
	t:run(1)
	c.Location = c.Location + vector(0, 40, 0)
	-- Between two ticks of the client with news it moves by its velocity alone; a tick with news takes a fifth off
	-- and adds velocity towards the truth.
	local off, jumped, pulled = 40, nil, nil
	for _ = 1, 30 do
		t:ticks(1)
		local now = c.Location.Y - box.Location.Y
		if not jumped and off - now > 3 then jumped, pulled = off - now, c.Velocity.Y end
		off = now
	end
	t:ok(jumped, "it was put right")
	t:near(jumped, 8, 3.5) -- a fifth of 40, and what velocity did within the tick
	t:near(pulled, -32 / 0.2, 12) -- the other four fifths within CorrectionTime
	t:run(1)
	t:lt(math.abs(c.Location.Y - box.Location.Y), 1)
	t:lt(math.abs(c.Velocity.Y), 12)
end)

scenario("R10.2 a large error: all at once, and velocity is what it was", { transport = "sim" }, function(t)
	t:scripts(SLED)
	local s, a = start(t, {}, { name = "a" })
	local box = s:spawn("Sled", { Location = vector(200, 0, 31) })
	box.Velocity = vector(60, 0, 0)
	local c = copy(t, a, box)
	t:run(1)
	c.Location = c.Location + vector(0, 400, 0)
	local most = 400
	for _ = 1, 20 do
		t:ticks(1)
		local now = math.abs(c.Location.Y - box.Location.Y)
		t:ok(now > 390 or now < 2, "no way between: " .. now)
		most = math.min(most, now)
	end
	t:lt(most, 2)
	t:near(c.Velocity, vector(60, 0, 0), 3)
end)

scenario("R10.2 a body at rest: all at once, however small the error", function(t)
	local s, a = start(t, {}, { name = "a" })
	local box, c = net.spawn(t, s, "RigidBody", { Location = vector(200, 0, 31) }, a)
	t:within(5, function() return not box:IsAwake() end)
	t:run(0.5)
	-- Only this client pushes it: when it rests again the server's word counts.
	c:AddImpulse(vector(0, 50 * 120, 0))
	t:run(0.3)
	t:gt(math.abs(c.Location.Y - box.Location.Y), 3)
	t:within(5, function() return not c:IsAwake() end)
	t:run(0.1)
	local off = apart(c, box)
	t:le(off, 0.01)
end)

-- Bodies dropped on a pile.
local function pile(s, n)
	local list = {}
	for i = 1, n do
		list[i] = s:spawn("RigidBody", {
			Location = vector(500 + (i % 3) * 20, (i % 5) * 15, 60 + i * 70), Rotation = rotator(0, i * 5000, 0),
		})
	end
	return list
end

scenario("R10.3 30 boxes on a pile sleep within 10 s; peers agree within 2 uu; then nothing is sent",
	{ seeds = 5, budget = 60 }, function(t)
	local s, a, b = start(t, {}, { name = "a", lag = 0.1, loss = 0.02 }, { name = "b" })
	local list = pile(s, 30)
	local slept = 0
	t:within(10, function()
		for _, box in ipairs(list) do
			if box:IsAwake() then return false end
		end
		return true
	end)
	t:run(1.5)
	local worst, worstTurn = 0, 0
	for _, box in ipairs(list) do
		for _, c in ipairs { a:copy(box), b:copy(box) } do
			local off, turned = apart(c, box)
			worst, worstTurn = math.max(worst, off), math.max(worstTurn, turned)
			slept = slept + (c:IsAwake() and 0 or 1)
		end
	end
	t:le(worst, 2)
	t:le(worstTurn, 0.02)
	t:eq(slept, 60)
	local before = bytes(t, a, "RigidBody") + bytes(t, b, "RigidBody")
	t:run(5)
	t:eq(bytes(t, a, "RigidBody") + bytes(t, b, "RigidBody"), before)
end)

scenario("R10.3 clients simulate by themselves: without a word a body goes on", function(t)
	local s, a = start(t, {}, { name = "a" })
	local box, c = net.spawn(t, s, "RigidBody", { Location = vector(300, 0, 900), Velocity = vector(120, 0, 300) }, a)
	t:run(0.2)
	a:link{ loss = 1 }
	t:run(1.2)
	t:gt(box.Location:Distance(vector(300, 0, 900)), 100)
	t:near(c.Location, box.Location, 120) -- it is a moment behind, and fast
	t:lt(c.Location.Z, 600)
end)

scenario("R10.3 who comes later gets the exact state of what sleeps, and it sleeps there, too", function(t)
	local s = start(t, {})
	local list = pile(s, 6)
	t:within(10, function()
		for _, box in ipairs(list) do
			if box:IsAwake() then return false end
		end
		return true
	end)
	local a = t:client{ name = "a", lag = 0.05 }
	t:within(10, function() return a:controller() and a:copy(list[6]) end)
	t:run(1)
	for _, box in ipairs(list) do
		local off, turned = apart(a:copy(box), box)
		t:le(off, 0.01)
		t:le(turned, 0.002)
		t:no(a:copy(box):IsAwake())
	end
end)

scenario("R10.3 a push on the server wakes it for all, and it sleeps where they agree again", { seeds = 5 }, function(t)
	local s, a = start(t, {}, { name = "a", lag = 0.1, jitter = 0.02, loss = 0.05 })
	local box, c = net.spawn(t, s, "RigidBody", { Location = vector(300, 0, 31), bStartAsleep = true }, a)
	t:run(1)
	t:no(box:IsAwake())
	local before = bytes(t, a, "RigidBody")
	box:AddImpulse(vector(300, 100, 200) * 50)
	t:ok(box:IsAwake())
	t:within(2, function() return c:IsAwake() end)
	t:within(8, function() return not box:IsAwake() end)
	t:gt(bytes(t, a, "RigidBody"), before)
	t:run(2)
	t:ok(c:IsStateAtRest()) -- the last word is that it rests
	t:near(c.RigidBodyState.Position, box.Location, 0.009)
	local off = apart(c, box)
	t:le(off, 0.01)
	t:no(c:IsAwake())
end)

scenario("R10.3 one last state when it falls asleep: exact, and with no speed left", function(t)
	t:scripts(SLED)
	local s, a = start(t, {}, { name = "a", lag = 0.05 })
	local box = s:spawn("Sled", { Location = vector(200, 0, 30.05) })
	t:run(0.1)
	box.Velocity = vector(4, 0, 0) -- slow enough to fall asleep, and too fast to be called none
	local c = copy(t, a, box)
	t:within(3, function() return not box:IsAwake() end)
	t:run(0.5)
	t:ok(c:IsStateAtRest())
	t:no(c:IsAwake())
	t:near(c.Location, box.Location, 0.01)
	t:near(c.RigidBodyState.Position, box.Location, 0.009)
end)
