-- Vehicle: a pawn on sprung wheels that another pawn can drive. A player who stands beside it and presses Use
-- gets in: the vehicle becomes the pawn of their controller, and their body sits inside. It can be shot to
-- pieces and comes back after a while.
--
-- It is not predicted (R10.7): the keys go to the server by ServerDrive, the server works out what engine,
-- brakes and wheels do (ProcessCarInput) and sends that in one struct, and every peer applies it to its own
-- simulation (UpdateVehicle), which the server's RigidBodyState keeps in line.
local Vehicle = class("Vehicle", "Pawn")

Vehicle.properties {
	-- Its body; see RigidBody.
	BodyExtent = vector(110, 52, 28), -- uu, half the size of the hull
	BodyLift = float(-22), -- uu, where its weight lies above the middle of the hull
	Mass = float(1200, { min = 1, max = 1000000 }), -- kg
	Friction = float(0.3, { min = 0, max = 10 }), -- of the hull, not of the tyres
	Restitution = float(0.1, { min = 0, max = 1 }), -- share of the speed it bounces back with
	LinearDamping = float(0.35, { min = 0, max = 100 }), -- with EngineForce this says how fast it gets
	AngularDamping = float(1.2, { min = 0, max = 100 }), -- share of its turning lost a second
	bGenerateHitEvents = true, -- so that it can run over pawns

	-- Wheels and engine.
	WheelBase = vector(78, 46, -18), -- uu from the middle to where the front right spring hangs
	WheelRadius = float(22, { min = 1 }), -- uu
	SpringLength = float(34, { min = 1 }), -- uu, unloaded
	Spring = float(32000, { min = 0 }), -- kg/s^2
	Damper = float(3200, { min = 0 }), -- kg/s
	Grip = float(1.3, { min = 0, max = 10 }), -- share of its load a tyre can hold
	EngineForce = float(700000, { min = 0 }), -- kg uu/s^2
	ReverseShare = float(0.5, { min = 0, max = 1 }), -- of it, backwards
	BrakeForce = float(1300000, { min = 0 }), -- kg uu/s^2
	MaxSteer = float(0.6, { min = 0, max = 1.4 }), -- radians, standing
	SteerSpeed = float(900, { min = 1 }), -- uu/s at which it steers half as far

	-- The driver.
	Driver = ref("Pawn"), -- their body
	bDriving = false, -- whether somebody drives
	SeatOffset = vector(-20, 0, 60), -- uu from the middle to where they sit
	EnterRadius = float(260, { min = 0 }), -- uu from the middle, within which one can get in
	Throttle = float(0, { min = -1, max = 1 }), -- the driver's keys, on the server and on the driver's machine
	Steering = float(0, { min = -1, max = 1 }), -- likewise, to the right
	Rise = float(0, { min = -1, max = 1 }), -- above 0 is the hand brake

	-- What the server made of that, in percent; it crosses whole (R10.7).
	CarState = struct {
		OutputGas = int(0, { min = -100, max = 100 }),
		OutputBrake = int(0, { min = 0, max = 100 }),
		OutputSteering = int(0, { min = -100, max = 100 }),
	},

	-- Where it is; see RigidBody.
	RigidBodyState = struct {
		Position = quantized(vector(0, 0, 0), 100), -- uu
		Quaternion = vector(0, 0, 0), -- X, Y and Z over 1 + W, times 32767; W follows
		LinVel = vector(0, 0, 0), -- uu/s times 8
		AngVel = vector(0, 0, 0), -- rad/s times 500
		bNewData = local_(false), -- it has come and physics has not read it yet
	},
	SnapDistance = float(250, { min = 0 }), -- uu
	CorrectionShare = float(0.2, { min = 0, max = 1 }), -- of an error that is corrected at once
	CorrectionTime = float(0.2, { min = 0.02, max = 5 }), -- seconds

	-- Harm.
	RunOverSpeed = float(250, { min = 0 }), -- uu/s from which on it hurts to be hit
	RunOverDamage = float(20, { min = 0 }), -- for each 100 uu/s more
	ExplosionDamage = float(120, { min = 0 }), -- at its middle, less towards ExplosionRadius
	ExplosionRadius = float(350, { min = 0 }), -- uu
	RespawnTime = float(20, { min = 0, max = 3600 }), -- seconds; 0 never comes back
	Factory = ref("VehicleFactory"), -- what made it, and makes the next one
	UprightTime = float(2, { min = 0, max = 60 }), -- seconds upside down, after which it is turned back
	FlippedFor = float(0), -- seconds
}

Vehicle.defaults {
	Physics = PHYS_RigidBody,
	NetPriority = 3.0,
	Health = 400,
	HealthMax = 400,
	EyeHeight = 110,
	CollisionRadius = 60,
	CollisionHeight = 50,
	bUpdateSimulatedPosition = false, -- RigidBodyState says it better
	bReplicateMovementToOwner = true, -- not predicted
	bNetInitialRotation = true,
}

-- The hull is that of BodyExtent; the wheels stand where WheelBase and SpringLength put them by
-- default.
Vehicle.looks {
	body = false, shape = "box", color = "#d9543f",
	on = { PlayDying = false, Landed = false, PlayHit = "effects/spark.toml" },
	parts = {
		{
			shape = "cylinder", at = { 78, 46, -38 }, size = { 44, 44, 16 }, rotation = { 0, 0, 90 },
			color = "#2b2b2e", wheel = 22,
		},
		{ shape = "box", at = { 78, 54, -38 }, size = { 34, 4, 8 }, color = "#9aa1a8", wheel = 22 },
		{
			shape = "cylinder", at = { 78, -46, -38 }, size = { 44, 44, 16 }, rotation = { 0, 0, 90 },
			color = "#2b2b2e", wheel = 22,
		},
		{ shape = "box", at = { 78, -54, -38 }, size = { 34, 4, 8 }, color = "#9aa1a8", wheel = 22 },
		{
			shape = "cylinder", at = { -78, 46, -38 }, size = { 44, 44, 16 }, rotation = { 0, 0, 90 },
			color = "#2b2b2e", wheel = 22,
		},
		{ shape = "box", at = { -78, 54, -38 }, size = { 34, 4, 8 }, color = "#9aa1a8", wheel = 22 },
		{
			shape = "cylinder", at = { -78, -46, -38 }, size = { 44, 44, 16 }, rotation = { 0, 0, 90 },
			color = "#2b2b2e", wheel = 22,
		},
		{ shape = "box", at = { -78, -54, -38 }, size = { 34, 4, 8 }, color = "#9aa1a8", wheel = 22 },
	},
}

Vehicle.replication {
	{ "RigidBodyState", notify = "always" },
	{ "CarState", "bDriving", notify = true },
	{ "Driver" },
}

-- What came with it, before there are wheels: on every peer, as soon as there is a body.
function Vehicle.simulated:PostNetBeginPlay()
	self:SetTimer(0.001, false, "PutOnWheels")
	if self:HasAuthority() then
		self.startLocation, self.startRotation = self.Location, self.Rotation
	end
end

-- On every peer, just after its begin: gives the body four wheels made from WheelBase, WheelRadius, Spring and
-- Damper. All four drive, the front ones steer.
function Vehicle.simulated:PutOnWheels()
	local at = self.WheelBase
	local wheels = {}
	for _, side in ipairs { { 1, 1 }, { 1, -1 }, { -1, 1 }, { -1, -1 } } do
		table.insert(wheels, {
			At = vector(at.X * side[1], at.Y * side[2], at.Z),
			Rest = self.SpringLength, Radius = self.WheelRadius, Spring = self.Spring, Damper = self.Damper,
			Grip = self.Grip, Steers = side[1] > 0, Drives = true,
		})
	end
	self:SetWheels(wheels)
	self:UpdateVehicle()
end

-- Getting in and out. All of it is the server's.

-- Whether a pawn may drive it now.
function Vehicle:CanDrive(pawn)
	return self.Health > 0 and not self.Driver and pawn.Health > 0 and pawn.Controller ~= nil
		and not pawn:IsA("Vehicle") and (pawn.Location - self.Location):Size() <= self.EnterRadius
end

-- How much a bot on foot wants to drive it, 0 for not at all: it stands free on its wheels and is mostly whole.
function Vehicle:BotDesireability(_)
	local free = not self.bDriving and self:GetUpVector().Z > 0.7
	return free and self.Health > self.HealthMax * 0.5 and 1 or 0
end

-- A pawn gets in. False where it may not.
function Vehicle:TryToDrive(pawn)
	if not self:HasAuthority() or not self:CanDrive(pawn) then
		return false
	end
	local mind = pawn.Controller
	self.Driver = pawn
	mind:Possess(self)
	pawn.Velocity = vector()
	pawn.Acceleration = vector()
	pawn:SetPhysics(PHYS_None)
	pawn:SetCollision(false, false, false)
	pawn.bCollideWorld = false
	pawn.bHidden = true
	pawn:SetLocation(self.Location + self.SeatOffset)
	pawn:SetBase(self, true)
	pawn:SetOwner(self)
	self.PlayerReplicationInfo = mind.PlayerReplicationInfo
	self.bDriving = true
	self:DrivingStatusChanged()
	return true
end

-- The places beside it where a driver may get out, nearest first.
function Vehicle:GetExits(pawn)
	local forward, right = rotator(0, self.Rotation.Yaw, 0):Axes()
	local side = self.BodyExtent.Y + pawn.CollisionRadius + 30
	local ahead = self.BodyExtent.X + pawn.CollisionRadius + 30
	local up = vector(0, 0, pawn.CollisionHeight)
	return {
		self.Location - right * side + up, self.Location + right * side + up,
		self.Location - forward * ahead + up, self.Location + forward * ahead + up,
		self.Location + vector(0, 0, self.BodyExtent.Z + pawn.CollisionHeight + 20),
	}
end

-- The first of them with room for a body, that nothing parts from here; nil where there is none.
function Vehicle:FindExit(pawn)
	local body = {
		radius = pawn.CollisionRadius, height = pawn.CollisionHeight, ignore = { self, pawn },
	}
	local inside = self.Location + vector(0, 0, pawn.CollisionHeight)
	for _, place in ipairs(self:GetExits(pawn)) do
		if not self:Trace(inside, place, body) then
			return place
		end
	end
	return nil
end

-- The driver gets out. False if there is no room; with force they get out on top in any case.
function Vehicle:DriverLeave(force)
	local pawn, mind = self.Driver, self.Controller
	if not self:HasAuthority() or not pawn then
		return false
	end
	local place = self:FindExit(pawn)
	if not place and not force then
		return false
	end
	self.Driver = nil
	pawn:SetBase(nil)
	pawn:SetLocation(place or self.Location + vector(0, 0, self.BodyExtent.X + pawn.CollisionHeight))
	pawn.bCollideWorld = true
	pawn:SetCollision(true, true, true)
	pawn.bHidden = false
	pawn:SetPhysics(PHYS_Falling)
	pawn.Velocity = self.Velocity
	pawn:SetOwner(nil)
	if mind then
		mind:Possess(pawn)
	end
	self.PlayerReplicationInfo = nil
	self.bDriving = false
	self:DrivingStatusChanged()
	return true
end

-- The driver leaves the game: their body goes, and the vehicle stays where it is.
function Vehicle:Withdraw()
	local driver = self.Driver
	if driver then
		self:DriverLeave(true)
		driver:Withdraw()
	elseif self.Controller then
		self.Controller:UnPossess()
	end
end

-- The driver's body is gone while they drove.
function Vehicle:DriverGone()
	local mind = self.Controller
	self.PlayerReplicationInfo = nil
	self.bDriving = false
	self:DrivingStatusChanged()
	if mind then
		mind:PawnDied(self)
	end
end

-- Use, while driving, is getting out.
function Vehicle:UseNearest()
	self:DriverLeave(false)
end

-- Somebody began or ceased to drive: on the server at once, on clients by the notify of bDriving (R10.7).
function Vehicle.simulated:DrivingStatusChanged()
	if self:HasAuthority() then
		self:SetTickEnabled(true)
		self.Throttle, self.Steering, self.Rise = 0, 0, 0
		self:ProcessCarInput()
	end
end

-- On a client: bDriving was received; see DrivingStatusChanged.
function Vehicle.simulated:OnRep_bDriving(_)
	self:DrivingStatusChanged()
end

-- Driving.

-- On the driver's machine: sends the keys to the server. On the server: updates the wheels.
function Vehicle:Tick(dt)
	local mind = self.Controller
	if mind and self:IsLocallyControlled() then
		self:ReadKeys(mind)
		if not self:HasAuthority() then
			self:SendDrive(dt)
		end
	end
	if self:HasAuthority() then
		if self.bDriving and not self.Driver then
			self:DriverGone()
		end
		self:ProcessCarInput()
		self:HelpUpright(dt)
	end
end

-- A person steers by their keys; a brain, which presses keys to walk where it wants to go, drives that way.
function Vehicle:ReadKeys(mind)
	local throttle, steering = mind.aForward, mind.aStrafe
	if not mind:IsA("PlayerController") or mind.brain then
		throttle, steering = self:TowardsWish(mind)
	end
	self.Throttle, self.Steering = throttle, steering
	self.Rise = (mind.bJump or mind.aUp > 0) and 1 or 0
end

-- For a brain: returns the throttle and the steering, -1 to 1 each, that drive towards where its keys would
-- walk.
function Vehicle:TowardsWish(mind)
	local forward, right = rotator(0, mind.ViewRotation.Yaw, 0):Axes()
	local wish = forward * mind.aForward + right * mind.aStrafe
	if wish:Size() < 0.1 then
		return 0, 0
	end
	local ahead, side = self.Rotation:Axes()
	local x, y = wish:Normal():Dot(ahead), wish:Normal():Dot(side)
	if x < -0.5 then
		return -1, y > 0 and -1 or 1 -- it lies behind: back, and the nose comes round
	end
	return math.max(0.4, x) * math.min(1, wish:Size()), math.max(-1, math.min(1, 2 * y))
end

-- Tells the server, thirty times a second while something changes and ten times while something is held.
function Vehicle:SendDrive(dt)
	self.sent = (self.sent or 1) + dt
	local now = self.Throttle .. " " .. self.Steering .. " " .. self.Rise
	local idle = self.Throttle == 0 and self.Steering == 0 and self.Rise == 0
	if now ~= self.lastDrive then
		self.repeats = 4
	elseif self.sent < 0.1 or idle and self.repeats == 0 then
		return
	end
	if self.sent < 0.03 then
		return
	end
	self.sent, self.lastDrive, self.repeats = 0, now, math.max(0, (self.repeats or 4) - 1)
	self:ServerDrive(self.Throttle, self.Steering, self.Rise)
end

-- The keys go by ServerDrive; a move of the driver contains only the view.
function Vehicle:FillMove(move)
	move.Accel, move.Flags = 0, 0
end

-- On the server: the driver's keys were received. After half a second of silence all keys count as released.
function Vehicle.server.unreliable:ServerDrive(throttle, steering, rise)
	self.Throttle, self.Steering, self.Rise = throttle, steering, rise
	self:SetTimer(0.5, false, "DriveLost")
end

Vehicle.params {
	ServerDrive = {
		float(0, { min = -1, max = 1 }), float(0, { min = -1, max = 1 }), float(0, { min = -1, max = 1 }),
	},
	MulticastExplode = { vector(0, 0, 0) },
}

-- The types say all there is to say; who may call is the owner alone (R6.8).
function Vehicle.validate:ServerDrive(_, _, _)
	return true
end

-- On the server: nothing was received from the driver for half a second; throttle, steering and brake go to 0.
function Vehicle:DriveLost()
	self.Throttle, self.Steering, self.Rise = 0, 0, 0
end

-- On the server: what the driver requests becomes what engine, brakes and wheels do. Backwards while it rolls
-- forwards is braking; nobody at the wheel is the hand brake.
function Vehicle:ProcessCarInput()
	local speed = self.Velocity:Dot(self.Rotation:Vector())
	local gas, brake = self.Throttle, 0
	if not self.bDriving or self.Rise > 0 then
		gas, brake = 0, 1
	elseif gas * speed < 0 and math.abs(speed) > 60 then
		gas, brake = 0, math.abs(gas)
	elseif gas < 0 then
		gas = gas * self.ReverseShare
	elseif gas == 0 then
		brake = 0.08
	end
	local steering = self.Steering / (1 + math.abs(speed) / self.SteerSpeed)
	local out = self.CarState
	local g, b = math.floor(gas * 100 + 0.5), math.floor(brake * 100 + 0.5)
	local s = math.floor(steering * 100 + 0.5)
	if out.OutputGas ~= g or out.OutputBrake ~= b or out.OutputSteering ~= s then
		self.CarState = { OutputGas = g, OutputBrake = b, OutputSteering = s }
		self:UpdateVehicle()
	end
end

-- On every peer: the wheels do what the server said, until it says otherwise.
function Vehicle.simulated:UpdateVehicle()
	if self:HasRigidBody() and #self:GetWheels() > 0 then
		local out = self.CarState
		self:Drive(out.OutputGas / 100 * self.EngineForce, out.OutputBrake / 100 * self.BrakeForce,
			out.OutputSteering / 100 * self.MaxSteer)
	end
end

-- On a client: CarState was received; applied to the simulation of this machine.
function Vehicle.simulated:OnRep_CarState(_)
	self:UpdateVehicle()
end

-- On its back or side for a while, slow, it is set on its wheels again where it lies.
function Vehicle:HelpUpright(dt)
	if self:GetUpVector().Z > 0.4 or self.Velocity:Size() > 150 then
		self.FlippedFor = 0
		return
	end
	self.FlippedFor = self.FlippedFor + dt
	if self.FlippedFor >= self.UprightTime then
		self.FlippedFor = 0
		local place = self.Location + vector(0, 0, self.BodyExtent.Y + self.SpringLength)
		local hit = self:Trace(self.Location, place, { radius = 20, height = 10, actors = false })
		self:SetLocation(hit and hit.Location or place)
		self:SetRotation(rotator(0, self.Rotation.Yaw, 0))
		self.Velocity = vector()
		self:SetAngularVelocity(vector())
		self:Wake()
	end
end

-- Where it is on a client; see RigidBody.
function Vehicle.simulated:OnRep_RigidBodyState(_)
	self.RigidBodyState.bNewData = true
	self:ReadRigidBodyState()
end

-- On a client: corrects the body towards the newest RigidBodyState, at once beyond SnapDistance or at rest,
-- else gradually.
function Vehicle.simulated:ReadRigidBodyState()
	if not self.RigidBodyState.bNewData or not self:HasRigidBody() then
		return
	end
	self.RigidBodyState.bNewData = false
	if self:IsStateAtRest() or self:GetBodyError() > self.SnapDistance then
		self:CorrectBody(1)
	else
		self:CorrectBody(self.CorrectionShare, self.CorrectionTime)
	end
end

-- At rest and empty it needs no ticks.
function Vehicle.simulated:OnSleepRBPhysics()
	if self:HasAuthority() then
		self:SetTickEnabled(self.bDriving or self:GetUpVector().Z <= 0.4)
	elseif self:IsStateAtRest() and self:GetBodyError() > 0.02 then
		self:CorrectBody(1)
	end
end

-- The body began to move: Tick runs again.
function Vehicle:OnWakeRBPhysics()
	self:SetTickEnabled(true)
end

-- A pawn's part that a vehicle has otherwise.

-- It looks where its driver looks and turns by its wheels alone.
function Vehicle:FaceRotation(view)
	self.ViewPitch = math.floor(view.Pitch / 256)
end

-- A vehicle does not jump; always returns false.
function Vehicle:DoJump()
	return false
end

-- It has no weapons in the hand; a child may have some of its own.
function Vehicle:SwitchWeapon(_) end

-- Does nothing: there is no next weapon.
function Vehicle:NextWeapon(_) end

-- Gives nothing: a vehicle carries no inventory unless a child adds one.
function Vehicle:AddDefaultInventory() end

-- A push, in uu/s for a pawn of 100 kg.
function Vehicle:AddMomentum(momentum)
	if self:HasRigidBody() then
		self:AddImpulse(momentum * 100)
	end
end

-- It hit something: a pawn that it runs over is hurt, and the driver is responsible. The pawn's own speed does
-- not count, so a pawn that runs into the vehicle is not hurt.
function Vehicle:RigidBodyCollision(other, at, normal, _, speed)
	speed = other and speed - math.max(0, other.Velocity:Dot(normal)) or speed
	if other and other:IsA("Pawn") and not other:IsA("Vehicle") and speed > self.RunOverSpeed then
		local damage = self.RunOverDamage * (speed - self.RunOverSpeed) / 100
		other:TakeDamage(damage, self, at, normal * -speed * 0.2 + vector(0, 0, 150), "ran over")
	end
end

-- It goes up in flames: its driver with it, and all who stand near are hurt. The next one comes after a
-- while. Any of those it hurts may destroy it, or be the instigator, so what must happen comes first.
function Vehicle:Died(instigator, kind, _)
	local driver = self.Driver
	self:MulticastExplode(self.Location)
	self:ComeBack()
	if driver then
		self:DriverLeave(true)
		driver:TakeDamage(10000, instigator, self.Location, vector(), kind or "exploded")
	end
	if instigator and instigator.bDeleteMe then
		instigator = nil
	end
	if not self.bDeleteMe then
		self:HurtRadius(self.ExplosionDamage, self.ExplosionRadius, instigator, "exploded", 400)
	end
	if not self.bDeleteMe then
		self:Destroy()
	end
end

-- Called by the server on all relevant peers: it exploded at a place; see PlayExplosion.
function Vehicle.multicast.reliable.simulated:MulticastExplode(at)
	self:PlayExplosion(at)
end

-- How that looks and sounds: a child shows it here.
function Vehicle.simulated:PlayExplosion(_) end

-- What made it makes the next one; one that stood in the level by itself leaves something that does.
function Vehicle:ComeBack()
	if self.Factory then
		self.Factory:VehicleGone()
	elseif self.RespawnTime > 0 then
		local factory = self:Spawn("VehicleFactory", {
			Location = self.startLocation, Rotation = self.startRotation, VehicleClass = self:GetClass(),
			RespawnTime = self.RespawnTime, bEmpty = true,
		})
		if factory then
			factory:VehicleGone()
		end
	end
end

-- Below the level it takes 10000 damage, and is destroyed if it survives that.
function Vehicle:FellOutOfWorld()
	self:TakeDamage(10000, nil, self.Location, vector(), "fell")
	if not self.bDeleteMe then
		self:Destroy()
	end
end

return Vehicle
