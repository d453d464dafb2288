-- Section 10 of the rules: bodies among other things: pawns, shots, movers, the end of the world.

local net = require("shared.net")
local start, holds = net.ready, net.holds

-- A box at rest some way in front of a pawn, which looks along +X.
local function ahead(s, pawn, class, far)
	return s:spawn(class or "RigidBody", { Location = pawn.Location + vector(far or 200, 0, -57), bStartAsleep = true })
end

scenario("R10.3 one that a game holds still is a wall to who walks against it", function(t)
	local s, a = start(t, {}, { name = "a" })
	local pawn = s:pawn(a)
	local box = ahead(s, pawn)
	box:SetPhysics(PHYS_None)
	local from = box.Location
	t:run(0.5)
	a:input{ forward = 1 }
	t:run(2) -- no script error on either side
	t:near(box.Location, from, 0.01)
	t:lt(pawn.Location.X, from.X)
end)

scenario("R10.3 a pawn walks against a body and pushes it on", { seeds = 3 }, function(t)
	local s, a = start(t, {}, { name = "a", lag = 0.05 })
	local pawn = s:pawn(a)
	local box = ahead(s, pawn)
	local from = box.Location
	net.hold(t, a, { forward = 1 }, 2.2)
	t:gt(box.Location.X, from.X + 80)
	t:gt(pawn.Location.X, from.X)
	t:gt(box.Location.X - pawn.Location.X, 55) -- it does not walk into it
	a:input{ forward = 0 }
	t:within(8, function() return not box:IsAwake() end)
	t:run(1)
	t:near(a:copy(box).Location, box.Location, 0.02)
end)

scenario("R10.3 traces and shots meet the turned box itself", function(t)
	local s, a = start(t, {}, { name = "a" })
	local box = s:spawn("RigidBody", { Location = vector(2000, 0, 30.1), Rotation = rotator(0, 8192, 0) })
	t:run(1.5)
	local me = s:pawn(a)
	-- Turned by 45 degrees, its edge reaches 42 uu towards us, and beside that there is room.
	local hit = me:Trace(vector(1500, 0, 30), vector(2500, 0, 30))
	t:ok(hit and hit.Actor:Is(box))
	t:near(hit.Location.X, 2000 - 30 * math.sqrt(2), 0.3)
	t:no(me:Trace(vector(1500, 43.5, 30), vector(2500, 43.5, 30)))
	t:ok(me:Trace(vector(1500, 41.5, 30), vector(2500, 41.5, 30)))
	local shot = s:spawn("Projectile", {
		Location = vector(1500, 0, 30), Rotation = rotator(0, 0, 0), Momentum = 200, Damage = 5, Instigator = me,
	})
	t:within(2, function() return not shot.alive end)
	t:run(0.1)
	t:gt(box.Velocity.X, 10)
	t:ok(box.Instigator and box.Instigator:Is(me))
end)

scenario("R10.3 a body that hits a pawn hurts it, if its class says so", function(t)
	t:scripts [[
		local Boulder = class("Boulder", "RigidBody")
		Boulder.defaults { BodyShape = "Sphere", HitDamage = 10, SafeSpeed = 300, bGenerateHitEvents = true, Mass = 300 }
		local Pebble = class("Pebble", "Boulder")
		Pebble.defaults { HitDamage = 0 }
	]]
	local s, a = start(t, {}, { name = "a" })
	local pawn = s:pawn(a)
	for _, case in ipairs { { "Pebble", 800, 0 }, { "Boulder", 250, 0 }, { "Boulder", 800, 50 } } do
		local before = pawn.Health
		local stone = s:spawn(case[1], { Location = pawn.Location + vector(150, 0, 0) })
		stone.Velocity = vector(-case[2], 0, 120)
		t:run(1)
		t:near(before - pawn.Health, case[3], case[3] / 6, case[1] .. " at " .. case[2])
		stone:Destroy()
	end
end)

scenario("R10.3 hits are told with who, where, how hard and how fast, and Bump or HitWall with them", function(t)
	t:scripts [[
		local Drum = class("Drum", "RigidBody")
		Drum.defaults { bGenerateHitEvents = true, Restitution = 0, Mass = 10 }
		Drum.properties {
			Hits = int(0), Impulse = float(0), Speed = float(0), Normal = vector(0, 0, 0), Walls = int(0), Bumps = int(0),
			By = ref("Actor"),
		}
		function Drum:RigidBodyCollision(other, _, normal, impulse, speed)
			self.Hits, self.Impulse, self.Speed, self.Normal = self.Hits + 1, impulse, speed, normal
			self.By = other
		end
		function Drum:HitWall(_, _) self.Walls = self.Walls + 1 end
		function Drum:Bump(_) self.Bumps = self.Bumps + 1 end
		local Quiet = class("Quiet", "Drum")
		Quiet.defaults { bGenerateHitEvents = false }
	]]
	local s = start(t, {})
	local drum = s:spawn("Drum", { Location = vector(0, 0, 30 + 196) })
	local quiet = s:spawn("Quiet", { Location = vector(500, 0, 30 + 196) })
	t:run(3)
	t:ge(drum.Hits, 1)
	holds(t, drum, { Walls = drum.Hits, Bumps = 0 })
	t:near(drum.Speed, math.sqrt(2 * 980 * 196), 25)
	t:near(drum.Impulse, 10 * drum.Speed, 0.2 * 10 * drum.Speed)
	t:near(drum.Normal, vector(0, 0, 1), 0.05)
	t:eq(quiet.Hits + quiet.Walls, 0)
	local other = s:spawn("Drum", { Location = vector(0, 0, 300) })
	t:run(2)
	t:ge(other.Bumps, 1)
	t:ge(drum.Bumps, 1)
end)

scenario("R10.3 events tell of waking and of sleep, once each", function(t)
	t:scripts [[
		local Lamp = class("Lamp", "RigidBody")
		Lamp.properties { Woke = int(0), Slept = int(0) }
		function Lamp:OnWakeRBPhysics() self.Woke = self.Woke + 1 end
		function Lamp:OnSleepRBPhysics() self.Slept = self.Slept + 1 end
	]]
	local s = start(t, {})
	local lamp = s:spawn("Lamp", { Location = vector(0, 0, 30.1), bStartAsleep = true })
	t:run(1)
	t:eq(lamp.Woke, 0)
	lamp:Wake()
	t:run(2)
	holds(t, lamp, { Woke = 1, Slept = 1 })
	t:no(lamp:IsAwake())
	lamp:AddForce(vector(0, 0, 980 * 50 * 4))
	t:run(0.1)
	t:ok(lamp:IsAwake())
	t:eq(lamp.Woke, 2)
end)

scenario("R10.3 a lift carries a body", function(t)
	local s = start(t, { level = "steps" })
	local lift = s:actors("Mover")[1]
	t:ok(lift)
	local box = s:spawn("RigidBody", { Location = lift.Location + vector(0, 0, 80) })
	t:within(5, function() return not box:IsAwake() end)
	local low = box.Location.Z
	lift:Trigger(s:spawn("Actor"))
	t:run(0.5)
	t:ok(box:IsAwake())
	local top = low
	for _ = 1, 60 do
		t:run(0.1)
		top = math.max(top, box.Location.Z)
	end
	t:gt(top, low + 100)
end)

scenario("R10.3 a teleport, killz and PHYS_None do what they do to any actor", function(t)
	local s, a = start(t, {}, { name = "a" })
	local box = s:spawn("RigidBody", { Location = vector(300, 0, 31) })
	t:within(3, function() return not box:IsAwake() end)
	local c = a:copy(box)
	t:ok(box:SetLocation(vector(300, 600, 200)))
	t:run(0.1)
	t:ok(box:IsAwake())
	t:within(5, function() return not box:IsAwake() end)
	t:run(0.5)
	t:near(box.Location, vector(300, 600, 30), 2)
	t:near(c.Location, box.Location, 0.02)
	box:SetPhysics(PHYS_None)
	t:no(box:HasRigidBody())
	box.Location = vector(300, 600, 300)
	t:run(1)
	t:eq(box.Location, vector(300, 600, 300))
	box:SetPhysics(PHYS_RigidBody)
	t:run(0.5)
	t:lt(box.Location.Z, 250)
	box:SetLocation(vector(0, 20000, 0))
	t:within(20, function() return not box.alive end)
	t:run(0.5)
	t:no(c.alive)
end)

scenario("R10.3 bodies in a level come asleep where it puts them, and cost nothing", function(t)
	t:scripts [[
		local Prop = class("Prop", "RigidBody")
		Prop.defaults { bStartAsleep = true }
	]]
	local s, a = start(t, {}, { name = "a" })
	local list = {}
	for i = 1, 20 do list[i] = s:spawn("Prop", { Location = vector(300 + 100 * i, 0, 30.1) }) end
	t:run(2)
	local before = t:traffic(a).by_class.Prop.bytes
	t:run(5)
	t:eq(t:traffic(a).by_class.Prop.bytes, before)
	for i = 1, 20 do
		t:no(list[i]:IsAwake())
		t:near(a:copy(list[i]).Location, vector(300 + 100 * i, 0, 30.1), 0.01)
	end
end)

scenario("R10.3 a body lives through a saved file, and takes new values by UpdateBody", function(t)
	local function ice(more)
		return [[
			local Ice = class("Ice", "RigidBody")
			Ice.properties { Melted = int(0)]] .. more .. [[ }
			Ice.defaults { LinearDamping = 0 }
		]]
	end
	t:scripts(ice(""))
	local s, a = start(t, {}, { name = "a" })
	local block = s:spawn("Ice", { Location = vector(300, 0, 30.1) })
	t:run(1.5)
	t:no(block:IsAwake())
	t:reload(ice(", Colour = int(3), Cracks = array(int(0), 4)"))
	t:run(0.5)
	block.Friction = 0
	block:UpdateBody()
	block.Velocity = vector(200, 0, 0)
	t:run(2)
	t:near(block.Velocity.X, 200, 2) -- nothing brakes it now
	t:near(a:copy(block).Location, block.Location, 30)
	block.Friction = 1
	block:UpdateBody()
	t:run(1.5)
	t:lt(block.Velocity.X, 1)
	t:near(a:copy(block).Location, block.Location, 2)
end)

for_each({ 0.05, 0.1 }, function(lag)
	local name = ("R9.3 who pushes a body is put right a few times a push, and not all the time: %g ms"):format(lag * 2000)
	scenario(name, { seeds = 3, transport = "sim" }, function(t)
		local s, a = start(t, {}, { name = "a", lag = lag, jitter = 0.01, loss = 0.01 })
		local pawn = s:pawn(a)
		t:run(1)
		local count, pushes = 0, 5
		for i = 1, pushes do
			pawn:SetLocation(vector(0, 0, 88.1))
			t:run(0.7)
			local box = s:spawn("RigidBody", { Location = vector(95 + 8 * i, (i - 3) * 6, 60) })
			t:run(1)
			local from, before = box.Location, a:controller().CorrectionCount
			net.hold(t, a, { forward = 1 }, 2)
			net.hold(t, a, { forward = 0 }, 1.5)
			count = count + a:controller().CorrectionCount - before
			t:gt(box.Location.X, from.X + 50)
			t:near(a:pawn().Location:Distance(pawn.Location), 0, 1.7)
			box:Destroy()
		end
		t:le(count, pushes * 4)
	end)
end)

scenario("R9.3 who pushes a body is put right at once where he is further off than the body explains", function(t)
	t:scripts [[
		local Block = class("Block", "RigidBody")
		Block.defaults { Mass = 2000 }
	]]
	local s, a = start(t, {}, { name = "a", lag = 0.02 })
	local pawn = s:pawn(a)
	ahead(s, pawn, "Block", 120)
	net.hold(t, a, { forward = 1 }, 1)
	local before = a:controller().CorrectionCount
	pawn:SetLocation(pawn.Location + vector(0, 20, 0))
	t:run(0.3)
	t:eq(a:controller().CorrectionCount, before)
	pawn:SetLocation(pawn.Location + vector(0, 20, 0))
	t:run(0.3)
	t:gt(a:controller().CorrectionCount, before)
	t:near(s:controller(a).MaxPushError, 32, 1e-6)
end)

scenario("R10.3 a lift that comes down on a body goes back, and one that crushes breaks what can break", function(t)
	t:scripts [[
		local Chest = class("Chest", "Destructible")
		Chest.defaults { BodyExtent = vector(30, 30, 30) }
	]]
	local s = start(t, { level = "steps" })
	local lift = s:actors("Mover")[1]
	lift.bTriggerOnly, lift.MoveTo, lift.MoveTime, lift.StayOpenTime = true, vector(0, 0, 256), 1, 0.2
	local under = lift.Location.Z
	for _, case in ipairs { { "RigidBody", "Return" }, { "Chest", "Crush" } } do
		lift.EncroachType = case[2]
		lift:Trigger(s:spawn("Actor"))
		t:within(3, function() return lift.Location.Z > under + 200 end)
		local box = s:spawn(case[1], { Location = vector(728, 1600, 30.5) })
		if case[2] == "Return" then
			t:within(3, function() return lift.Velocity.Z < 0 and lift.Location.Z < under + 100 end)
			t:within(3, function() return lift.Velocity.Z > 0 end)
			t:gt(lift.Location.Z, under + 60 - 20, "stopped on top of it")
			t:near(box.Location.Z, 30, 9)
			box:Destroy()
		else
			t:within(4, function() return not box.alive end)
		end
		t:within(9, function() return lift.Location.Z < under + 1 and lift.Velocity.Z == 0 end)
	end
end)
