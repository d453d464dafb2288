-- Section 10 of the rules, R10.4 to R10.6, with clients: how copies move between updates, and what is seen of
-- them.

local net = require("shared.net")
local copy, start, holds = net.copy, net.ready, net.holds

scenario("R10.4 without bUpdateSimulatedPosition the first place and velocity are all a copy gets", function(t)
	t:scripts [[
		local Dart = class("Dart", "Projectile")
		Dart.defaults { LifeSpan = 0, bAlwaysRelevant = true, bNetTemporary = false }
		local Guided = class("Guided", "Dart")
		Guided.defaults { bUpdateSimulatedPosition = true }
	]]
	local s, a = start(t, {}, { name = "a" })
	local dart = s:spawn("Dart", { Location = vector(0, 0, 500), Velocity = vector(100, 0, 0) })
	local guided = s:spawn("Guided", { Location = vector(0, 0, 800), Velocity = vector(100, 0, 0) })
	local cd, cg = copy(t, a, dart), copy(t, a, guided)
	t:run(0.5)
	t:near(cd.Location, dart.Location, 30)
	local sent = t:traffic(a).by_class.Dart.bytes
	dart.Velocity, guided.Velocity = vector(0, 300, 0), vector(0, 300, 0)
	t:run(1)
	t:near(cd.Velocity, vector(100, 0, 0), 0.1)
	t:near(cd.Location.X - dart.Location.X, 100, 35) -- it flies on as it flew
	t:near(cd.Location.Y, 0, 0.1)
	t:near(cg.Velocity, vector(0, 300, 0), 0.1)
	t:near(cg.Location, guided.Location, 45)
	t:eq(t:traffic(a).by_class.Dart.bytes, sent)
end)

scenario("R10.4 switching bUpdateSimulatedPosition on while it flies is heard from then on", function(t)
	t:scripts [[
		local Dart = class("Dart", "Projectile")
		Dart.defaults { LifeSpan = 0, bAlwaysRelevant = true, bNetTemporary = false }
	]]
	local s, a = start(t, {}, { name = "a" })
	local dart, c = net.spawn(t, s, "Dart", { Location = vector(0, 0, 500), Velocity = vector(100, 0, 0) }, a)
	t:run(0.3) -- all of its opening is there
	dart.Velocity = vector(0, 200, 0)
	t:run(0.5)
	t:gt(c.Location:Distance(dart.Location), 50)
	dart.bUpdateSimulatedPosition = true
	t:run(0.5)
	t:near(c.Location, dart.Location, 45)
end)

-- Pawns that count what happens to them, also on copies.
local DUMMIES = net.with [[
	local Dummy = class("Dummy", "Character")
	Dummy.properties { Lands = int(0), Falls = int(0), Bases = int(0) }
	function Dummy.simulated:Landed(_) self.Lands = self.Lands + 1 end
	function Dummy.simulated:Falling() self.Falls = self.Falls + 1 end
	function Dummy.simulated:BaseChange() self.Bases = self.Bases + 1 end
	local Floater = class("Floater", "Dummy")
	Floater.defaults { bSimulateGravity = false }
]]

scenario("R10.5 a copy of a pawn falls and stands by where it is, and nothing is told of it", function(t)
	local s, a = DUMMIES.ready(t, {}, { name = "a" })
	local dummy, c = net.spawn(t, s, "Dummy", { Location = vector(300, 0, 700), Physics = PHYS_Falling }, a)
	t:run(0.15)
	a:link{ loss = 1 } -- from here on it is on its own
	local before = c.Location.Z
	t:run(0.4)
	t:lt(c.Location.Z, before - 40)
	t:eq(c.Physics, PHYS_Falling)
	t:run(2)
	t:near(c.Location.Z, 88, 0.5)
	t:eq({ c.Physics, c.Velocity.Z, dummy.Lands }, { PHYS_Walking, 0, 1 })
	holds(t, c, { Lands = 0, Falls = 0, Bases = 0 })
end)

scenario("R10.5 without bSimulateGravity a copy goes on at its velocity", function(t)
	local s, a = DUMMIES.ready(t, {}, { name = "a" })
	local _, c = net.spawn(t, s, "Floater", { Location = vector(300, 0, 700), Physics = PHYS_Falling }, a)
	t:run(0.3)
	a:link{ loss = 1 }
	t:run(0.1) -- what is on its way arrives
	local at, v = c.Location, c.Velocity
	t:lt(v.Z, -100)
	t:run(0.5)
	t:near(c.Velocity, v, 0.1)
	t:near(c.Location, at + v * 0.5, math.abs(v.Z) / 25)
end)

scenario("R10.5 a walking copy walks on at its velocity, up steps and off ledges", function(t)
	local s, a = DUMMIES.ready(t, {}, { name = "a" })
	local dummy, c = net.spawn(t, s, "Dummy", { Location = vector(300, 0, 88), Physics = PHYS_Walking }, a)
	t:run(0.3)
	dummy.Acceleration = vector(2048, 0, 0)
	t:run(0.6)
	a:link{ loss = 1 }
	t:run(0.1)
	local at, v = c.Location, c.Velocity
	t:near(v, vector(440, 0, 0), 1)
	t:run(1)
	t:near(c.Location, at + vector(440, 0, 0), 10)
	t:eq(c.Physics, PHYS_Walking)
	t:near(c.Location.Z, 88, 0.5)
end)

scenario("R10.5 where the place does not fit, gravity waits until it does", function(t)
	local s, a = DUMMIES.ready(t, { level = "wall" }, { name = "a" })
	-- On the server nothing stops this one; a copy of it is stopped by brushes.
	local ghost = s:spawn("Dummy", {
		Location = vector(300, 0, 400), Physics = PHYS_Flying, bCollideWorld = false, bBlockPlayers = true,
	})
	local c = copy(t, a, ghost)
	t:run(0.3)
	t:no(c.bSimGravityDisabled)
	ghost:SetPhysics(PHYS_None)
	ghost:SetLocation(vector(510, 0, 400))
	t:run(0.3)
	ghost.Physics = PHYS_Falling
	ghost.GravityScale = 0
	t:run(0.5)
	t:ok(c.bSimGravityDisabled)
	t:near(c.Location, vector(510, 0, 400), 2) -- deep in the wall, it does not fall through
	ghost:SetLocation(vector(300, 0, 400))
	t:run(0.3)
	t:no(c.bSimGravityDisabled)
end)

-- How far what is seen of a copy moves in each tick of a while: the most, less what its speed accounts for.
local function jerks(t, c, ticks, speed)
	local seen, place = 0, 0
	local lastSeen, lastPlace = c:GetVisualLocation(), c.Location
	for _ = 1, ticks do
		t:ticks(1)
		local now = c:GetVisualLocation()
		seen = math.max(seen, (now - lastSeen):Size() - speed / 60)
		place = math.max(place, (c.Location - lastPlace):Size() - speed / 60)
		lastSeen, lastPlace = now, c.Location
	end
	return seen, place
end

scenario("R10.6 what is seen of a pawn goes on smoothly where its place is put right", { seeds = 5 }, function(t)
	local s, a, b = start(t, { net = 10 }, { name = "a" }, { name = "b", lag = 0.08, jitter = 0.02, loss = 0.02 })
	local c = copy(t, b, s:pawn(a))
	local worstSeen, worstPlace = 0, 0
	for i = 1, 8 do
		a:input{ forward = i % 2, strafe = i % 3 - 1 }
		local seen, place = jerks(t, c, 40, 440)
		worstSeen, worstPlace = math.max(worstSeen, seen), math.max(worstPlace, place)
	end
	t:gt(worstPlace, 8) -- Location is corrected at once
	t:lt(worstSeen, worstPlace * 0.5) -- what is seen is not
	net.hold(t, a, { forward = 0, strafe = 0 }, 2)
	t:near(c:GetVisualLocation(), c.Location, 0.1)
	t:near(c.Location, s:pawn(a).Location, 2)
end)

scenario("R10.6 on the peer that moves it, what is seen is where it is", function(t)
	local s, a = start(t, {}, { name = "a" })
	a:input{ forward = 1 }
	for _ = 1, 60 do
		t:ticks(1)
		t:eq(s:pawn(a):GetVisualLocation(), s:pawn(a).Location)
	end
end)

scenario("R10.6 dead reckoning: nothing is shown late", function(t)
	local s, a, b = start(t, {}, { name = "a" }, { name = "b" })
	local pawn, c = s:pawn(a), copy(t, b, s:pawn(a))
	net.hold(t, a, { forward = 1 }, 1.5)
	-- One tick of the server and one of the client lie between them, besides the line.
	t:lt((pawn.Location - c:GetVisualLocation()):Size(), 440 * 0.13)
	t:eq(b:controller().InterpolationDelay, 0)
end)

scenario("R10.6 a turn is smoothed as a way is", function(t)
	local s, a, b = start(t, { net = 10 }, { name = "a" }, { name = "b" })
	local c = copy(t, b, s:pawn(a))
	t:run(0.5)
	a:input{ yaw = 12000 }
	local most, last = 0, c:GetVisualRotation().Yaw
	for _ = 1, 60 do
		t:ticks(1)
		local now = c:GetVisualRotation().Yaw
		most = math.max(most, math.abs(now - last))
		last = now
	end
	t:near(c.Rotation.Yaw, 12000, 300)
	t:near(last, c.Rotation.Yaw, 60)
	t:lt(most, 5000)
end)

scenario("R10.6 a place that a script set is not smoothed: TeleportCount crosses with it", function(t)
	local s, a, b = start(t, {}, { name = "a" }, { name = "b", lag = 0.05 })
	local pawn = s:pawn(a)
	local c = copy(t, b, pawn)
	local count = pawn.TeleportCount
	t:run(0.5)
	t:eq(c.TeleportCount, count)
	for i = 1, 5 do
		pawn:SetLocation(pawn.Location + vector(120, 60, 0)) -- near enough to be smoothed, were it a correction
		local at = pawn.Location
		t:within(1, function() return c.Location:Distance(at) < 2 end)
		t:near(c:GetVisualLocation(), c.Location, 0.01)
		t:eq(c.TeleportCount, (count + i) % 256)
		t:run(0.3)
	end
end)

scenario("R10.6 what is far off is shown there at once", function(t)
	local s, a, b = start(t, {}, { name = "a" }, { name = "b" })
	local pawn = s:pawn(a)
	local c = copy(t, b, pawn)
	b:link{ loss = 1 }
	pawn:Move(vector(0, 0, 50))
	pawn.Physics = PHYS_Flying
	for _ = 1, 10 do pawn:Move(vector(50, 0, 0)) end
	t:run(0.3)
	b:link{ loss = 0 }
	t:within(1, function() return c.Location:Distance(pawn.Location) < 5 end)
	t:near(c:GetVisualLocation(), c.Location, 1)
end)

scenario("R10.6 a body that is put right is seen coming, not jumping", function(t)
	local s, a = start(t, {}, { name = "a" })
	local box, c = net.spawn(t, s, "RigidBody", { Location = vector(300, 0, 31) }, a)
	t:within(5, function() return not box:IsAwake() end)
	t:run(0.5)
	c:AddImpulse(vector(0, 50 * 160, 0)) -- on this client only: when it rests it is put back
	t:within(3, function() return c:IsAwake() end)
	local jump, seen, place, shown = 0, 0, c.Location, c:GetVisualLocation()
	for _ = 1, 150 do
		t:ticks(1)
		jump = math.max(jump, (c.Location - place):Size())
		seen = math.max(seen, (c:GetVisualLocation() - shown):Size())
		place, shown = c.Location, c:GetVisualLocation()
	end
	t:gt(jump, 8)
	t:lt(seen, 0.5 * jump)
	t:near(c:GetVisualLocation(), box.Location, 0.05)
end)
