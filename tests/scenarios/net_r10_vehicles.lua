-- Section 10 of the rules, R10.7: vehicles, which are driven by the server and simulated by all.

local net = require("shared.net")
local copy, start, holds = net.copy, net.ready, net.holds

-- A vehicle beside a client's pawn, at rest on its wheels.
local function park(t, s, client, class, offset)
	local pawn = s:pawn(client)
	local car = s:spawn(class or "Vehicle", { Location = pawn.Location + (offset or vector(0, 180, 0)) })
	t:run(1.5)
	return car, pawn
end

-- The client's player presses Use once.
local function use(t, client)
	net.press(t, client, "use", 0.3)
	t:run(0.3)
end

scenario("R10.7 a vehicle stands on its springs and falls asleep", function(t)
	local s, a = start(t, {}, { name = "a" })
	local car = park(t, s, a)
	t:within(4, function() return not car:IsAwake() end)
	local wheels = car:GetWheels()
	t:eq(#wheels, 4)
	local load = 0
	for i = 1, 4 do
		t:ok(wheels[i].bGround)
		t:lt(wheels[i].Length, car.SpringLength)
		load = load + wheels[i].Load
	end
	t:near(load, car.Mass * 980, car.Mass * 50)
	t:gt(car:GetUpVector().Z, 0.999)
	t:eq(car.NetPriority, 3)
	local before = t:traffic(a).by_class.Vehicle.bytes
	t:run(3)
	t:eq(t:traffic(a).by_class.Vehicle.bytes, before)
end)

scenario("R10.7 Use gets in: the controller has the vehicle, the body sits inside, all are told", function(t)
	t:scripts [[
		local Cart = class("Cart", "Vehicle")
		Cart.properties { Told = int(0) }
		function Cart.simulated:DrivingStatusChanged()
			Cart.super.DrivingStatusChanged(self)
			self.Told = self.Told + 1
		end
	]]
	local s, a, b = start(t, {}, { name = "a", lag = 0.05 }, { name = "b" })
	local car, pawn = park(t, s, a, "Cart")
	local mind = s:controller(a)
	use(t, a)
	t:ok(mind.Pawn:Is(car))
	t:ok(car.Driver:Is(pawn))
	t:ok(car.Controller:Is(mind))
	t:no(pawn.Controller)
	t:ok(pawn.bHidden)
	t:ok(pawn.Base:Is(car))
	t:ok(a:pawn():Is(car))
	t:eq({ a:copy(car).Role, b:copy(car).Role }, { ROLE_AutonomousProxy, ROLE_SimulatedProxy })
	for _, c in ipairs { a, b } do
		t:ok(c:copy(car).bDriving)
		t:eq(c:copy(car).Told, 1) -- the notify of bDriving
		t:ok(c:copy(car).Driver:Is(pawn))
	end
	t:eq(car.Told, 1)
	use(t, a)
	t:ok(mind.Pawn:Is(pawn))
	t:no(car.Driver)
	t:no(pawn.bHidden)
	t:no(pawn.Base and pawn.Base:Is(car))
	t:run(1)
	t:eq(pawn.Physics, PHYS_Walking)
	t:gt(pawn.Location:Distance(car.Location), 80)
	holds(t, b:copy(car), { bDriving = false, Told = 2 })
	t:ok(a:pawn():Is(pawn))
	a:input{ forward = 1 }
	local from = pawn.Location
	t:run(0.7)
	t:gt(pawn.Location:Distance(from), 150) -- their own again
end)

scenario("R10.7 who is too far away, dead or late does not get in", function(t)
	local s, a, b = start(t, {}, { name = "a" }, { name = "b" })
	local car = park(t, s, a)
	s:pawn(b):SetLocation(car.Location + vector(400, 0, 60))
	t:run(0.5)
	use(t, b)
	t:no(car.Driver)
	use(t, a)
	t:ok(car.Driver)
	s:pawn(b):SetLocation(car.Location + vector(0, 150, 60))
	t:run(0.5)
	use(t, b)
	t:ok(car.Controller:Is(s:controller(a)))
	t:ok(s:controller(b).Pawn.Class ~= "Vehicle" and not s:pawn(b):Is(car))
end)

scenario("R10.7 keys go by ServerDrive, outputs come back in one struct, and all apply them", { seeds = 3 }, function(t)
	local s, a, b = start(t, {}, { name = "a", lag = 0.075, jitter = 0.02, loss = 0.02 }, { name = "b", lag = 0.02 })
	local car = park(t, s, a)
	use(t, a)
	local from = car.Location
	net.hold(t, a, { forward = 1, strafe = 0.5 }, 1)
	local f = t:traffic(a).by_function
	t:ok(f["Vehicle.ServerDrive"] == nil or f["Vehicle.ServerDrive"].received > 0)
	t:eq(car.Throttle, 1)
	t:near(car.Steering, 0.5, 0.01)
	holds(t, car.CarState, { OutputGas = 100, OutputBrake = 0 })
	t:gt(car.CarState.OutputSteering, 10)
	t:run(1)
	t:gt(car.Location:Distance(from), 300)
	t:eq(b:copy(car).CarState.OutputGas, 100)
	t:gt(b:copy(car):GetWheels()[1].Steer, 0.05) -- applied there, too
	-- Everybody sees it where it is, but for the line and what velocity does in that time.
	t:lt(b:copy(car).Location:Distance(car.Location), 150)
	t:lt(a:copy(car).Location:Distance(car.Location), 280)
	a:input{ forward = -1, strafe = 0 }
	t:within(1, function() return car.CarState.OutputBrake == 100 end)
	t:eq(car.CarState.OutputGas, 0)
	local speed = car.Velocity:Size()
	t:run(0.5)
	t:lt(car.Velocity:Size(), speed - 150)
	t:run(3)
	t:lt(car.Velocity:Dot(car.Rotation:Vector()), -100) -- and then backwards
	t:near(car.CarState.OutputGas, -50, 1)
	a:input{ forward = 0 }
	t:within(12, function() return car.Velocity:Size() < 5 end)
	use(t, a)
	t:within(8, function() return not car:IsAwake() end)
	t:run(1)
	t:near(a:copy(car).Location, car.Location, 0.05)
	t:near(b:copy(car).Location, car.Location, 0.05)
end)

scenario("R10.7 it is not predicted: the driver's own machine waits for the server", function(t)
	local s, a = start(t, {}, { name = "a", lag = 0.2 })
	local car = park(t, s, a)
	use(t, a)
	t:run(0.5)
	local mine = a:copy(car)
	local from = mine.Location
	a:input{ forward = 1 }
	t:within(1.5, function() return car.Velocity:Size() > 10 end) -- its answer is still on the way
	t:lt(mine.Location:Distance(from), 1)
	t:eq(mine.CarState.OutputGas, 0)
	t:run(0.6)
	t:gt(mine.Location:Distance(from), 20)
	t:eq(#a:corrections(), 0)
end)

scenario("R10.7 a driver who falls silent lets go of everything", function(t)
	local s, a = start(t, {}, { name = "a" })
	local car = park(t, s, a)
	use(t, a)
	net.hold(t, a, { forward = 1 }, 1)
	t:eq(car.Throttle, 1)
	a:link{ loss = 1 }
	t:run(1)
	t:eq({ car.Throttle, car.CarState.OutputGas }, { 0, 0 })
end)

scenario("R10.7 another player cannot drive it", function(t)
	local s, a, b = start(t, {}, { name = "a" }, { name = "b" })
	local car = park(t, s, a)
	use(t, a)
	b:copy(car):ServerDrive(1, 0, 0)
	t:run(0.5)
	t:eq(car.Throttle, 0)
end)

scenario("R10.7 at the wheel of the server itself the same keys drive", function(t)
	local s = t:server{ mode = "listen" }
	t:run(0.5)
	local pawn = s:pawn()
	local car = s:spawn("Vehicle", { Location = pawn.Location + vector(0, 180, 0) })
	t:run(1.5)
	net.hold(t, s, { use = true }, 0.2)
	s:input{ use = false, forward = 1 }
	t:ok(car.Driver:Is(pawn))
	t:run(2)
	t:gt(car.Velocity.X, 200)
end)

scenario("R10.7 exits are tried in turn for room; without any he stays inside", function(t)
	local s, a = start(t, {}, { name = "a" })
	local car, pawn = park(t, s, a)
	use(t, a)
	t:ok(car.Driver)
	local function block(offset)
		return s:spawn("Actor", {
			Location = car.Location + offset, CollisionRadius = 45, CollisionHeight = 120,
			bCollideActors = true, bBlockActors = true, bBlockPlayers = true,
		})
	end
	local side, ahead = car.BodyExtent.Y + 34 + 30, car.BodyExtent.X + 34 + 30
	block(vector(0, -side, 90))
	use(t, a)
	t:no(car.Driver)
	t:near(pawn.Location.Y - car.Location.Y, side, 12) -- the left is blocked: the right
	use(t, a)
	t:ok(car.Driver)
	for _, offset in ipairs {
		vector(0, side, 90), vector(-ahead, 0, 90), vector(ahead, 0, 90), vector(0, 0, 250),
	} do
		block(offset)
	end
	use(t, a)
	t:ok(car.Driver)
	t:ok(s:controller(a).Pawn:Is(car))
end)

scenario("R10.7 run over: who is hit at speed is hurt, and the driver is to blame", function(t)
	t:scripts [[
		local Goat = class("Goat", "Character")
		Goat.properties { By = ref("Pawn"), Kind = str("") , Hurt = float(0) }
		function Goat:TakeDamage(amount, instigator, at, momentum, kind)
			self.By, self.Kind, self.Hurt = instigator, kind, self.Hurt + amount
			Goat.super.TakeDamage(self, amount, instigator, at, momentum, kind)
		end
	]]
	local s, a = start(t, {}, { name = "a" })
	local car = park(t, s, a)
	use(t, a)
	local slow = s:spawn("Goat", { Location = car.Location + vector(220, 0, 60), HealthMax = 5000, Health = 5000 })
	net.hold(t, a, { forward = 0.3 }, 1.2)
	t:eq(slow.Hurt, 0)
	slow:Destroy()
	a:input{ forward = 1 }
	t:within(5, function() return car.Velocity.X > 600 end)
	local goat = s:spawn("Goat", { Location = car.Location + vector(500, 0, 30), HealthMax = 5000, Health = 5000 })
	t:within(3, function() return goat.Hurt > 0 end)
	t:eq(goat.Kind, "ran over")
	t:ok(goat.By:Is(car))
	t:gt(goat.Hurt, 50)
	t:run(0.2)
	t:gt(goat.Velocity:Size(), 100) -- and thrown on
	t:gt(car.Velocity.X, 300) -- the car goes on
end)

scenario("R10.7 run over is who is hit, not who runs or falls against what stands", function(t)
	local s = t:server{}
	local car = s:spawn("Vehicle", { Location = vector(0, 0, 60) })
	local pawn = s:spawn("Character", { Location = vector(0, 0, 300) })
	pawn.Velocity = vector(0, 0, -500)
	car:RigidBodyCollision(pawn, car.Location, vector(0, 0, -1), nil, 500)
	t:eq(pawn.Health, 100)
	pawn.Velocity = vector(100, 0, 0) -- away from it
	car:RigidBodyCollision(pawn, car.Location, vector(-1, 0, 0), nil, 500)
	t:lt(pawn.Health, 100)
end)

scenario("R10.7 shot to pieces it goes up with its driver, hurts who is near, and comes back", function(t)
	t:scripts [[
		local Jeep = class("Jeep", "Vehicle")
		Jeep.defaults { RespawnTime = 3 }
		Jeep.properties { Bangs = int(0) }
		local Sign = class("Sign", "Actor")
		Sign.properties { Bangs = int(0) }
		function Jeep.simulated:PlayExplosion(_)
			for _, sign in ipairs(self:ActorsOf("Sign")) do sign.Bangs = sign.Bangs + 1 end
		end
	]]
	local s, a, b = start(t, {}, { name = "a" }, { name = "b" })
	local signs = { a:spawn("Sign"), b:spawn("Sign") }
	local car, pawn = park(t, s, a, "Jeep")
	local home = car.Location
	local near = s:spawn("Character", { Location = car.Location + vector(-250, 0, 70) })
	use(t, a)
	t:run(0.3)
	t:ok(car.Driver)
	car:TakeDamage(100, near, car.Location, vector(), "rocket")
	t:eq(car.Health, 300)
	t:run(0.2)
	t:eq(b:copy(car).Health, 300)
	car:TakeDamage(1000, near, car.Location, vector(), "rocket")
	t:run(0.3)
	t:no(car.alive)
	t:ok(not pawn.alive or pawn.Health <= 0)
	t:ok(not near.alive or near.Health < 100)
	t:eq({ signs[1].Bangs, signs[2].Bangs, #b:actors("Jeep") }, { 1, 1, 0 })
	t:run(4)
	t:eq(#s:actors("Jeep"), 1)
	t:near(s:actors("Jeep")[1].Location, home, 60)
	t:eq(#b:actors("Jeep"), 1)
end)

scenario("R10.7 a factory makes its vehicle, and the next one when that is gone", function(t)
	local s, a = start(t, {}, { name = "a" })
	local factory = s:spawn("VehicleFactory", { Location = vector(900, 900, 60), RespawnTime = 2 })
	t:run(1)
	t:eq(#s:actors("Vehicle"), 1)
	local car = s:actors("Vehicle")[1]
	t:ok(car.Factory:Is(factory))
	t:ok(copy(t, a, car))
	car:TakeDamage(1000, nil, car.Location, vector(), "shot")
	t:run(1)
	t:eq(#s:actors("Vehicle"), 0)
	t:run(2)
	t:eq(#s:actors("Vehicle"), 1)
end)

scenario("R10.7 on its back it is set on its wheels again", function(t)
	local s, a = start(t, {}, { name = "a" })
	local car = s:spawn("Vehicle", { Location = vector(600, 600, 80), Rotation = rotator(0, 5000, 32768) })
	t:run(1)
	t:lt(car:GetUpVector().Z, 0)
	t:within(8, function() return car:GetUpVector().Z > 0.95 end)
	t:run(2)
	t:gt(car:GetUpVector().Z, 0.95)
	t:near(car.Location, vector(600, 600, 60), 80)
	t:near(copy(t, a, car).Location, car.Location, 2)
end)

scenario("R10.7 a driver who leaves the game takes his body along, and leaves the vehicle", function(t)
	local s, a, b = start(t, {}, { name = "a" }, { name = "b" })
	local car, pawn = park(t, s, a)
	use(t, a)
	t:ok(car.Driver)
	a:leave()
	t:within(3, function() return not pawn.alive end)
	t:run(0.5)
	t:ok(car.alive)
	t:no(car.bDriving)
	t:no(car.Controller)
	t:no(b:copy(car).bDriving)
	s:pawn(b):SetLocation(car.Location + vector(0, 150, 60))
	t:run(0.5)
	use(t, b)
	t:ok(car.Controller and car.Controller:Is(s:controller(b)))
end)

scenario("R10.7 a driver whose body is gone drives no more", function(t)
	local s, a = start(t, {}, { name = "a" })
	local car, pawn = park(t, s, a)
	use(t, a)
	net.hold(t, a, { forward = 1 }, 0.5)
	pawn:Destroy()
	t:run(0.3)
	t:no(car.bDriving)
	t:no(car.Controller)
	holds(t, car.CarState, { OutputGas = 0, OutputBrake = 100 })
end)

scenario("R10.7 a driver's machine sends his keys by ServerDrive, and moves only for where he looks", { transport = "sim" }, function(t)
	local s, a = start(t, {}, { name = "a", lag = 0.05 })
	local car = park(t, s, a)
	local function sent(seconds)
		local function count() return t:traffic(a).by_function["PlayerController.ServerMove"].received end
		local before = count()
		t:run(seconds)
		return count() - before
	end
	use(t, a)
	t:run(1)
	t:le(sent(4), 5) -- sits and does nothing
	net.hold(t, a, { forward = 1, strafe = 0.3, jump = true, crouch = true }, 0.2)
	t:le(sent(4), 5, "drives straight on")
	t:gt(car.Throttle, 0.9)
	local calls = sent(0)
	for i = 1, 120 do
		a:input{ yaw = 100 * i }
		calls = calls + sent(1 / 60)
	end
	t:ge(calls, 10, "looks about")
	t:le(calls, 21)
	net.hold(t, a, { forward = 0, strafe = 0, jump = false, crouch = false }, 1.3)
	t:eq({ s:controller(a).ViewRotation.Yaw, #a:corrections() }, { 12000, 0 })
	use(t, a)
	t:run(1)
	local from = s:pawn(a).Location
	net.hold(t, a, { forward = 1 }, 1)
	t:gt(s:pawn(a).Location:Distance(from), 100) -- on their own feet again
end)
