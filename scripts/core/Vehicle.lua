-- Vehicle: a pawn on sprung wheels that another pawn can drive. A player who stands beside it and presses Use
-- gets in: the vehicle becomes the pawn of their controller, and their body sits inside. It can be destroyed
-- and respawns after a while.
--
-- It is not predicted (R10.7). The keys go to the server by ServerDrive; the server computes what engine,
-- brakes and wheels do (ProcessCarInput) and replicates the result in one struct. Every peer applies it to
-- its own simulation (UpdateVehicle), which the server's RigidBodyState keeps in sync.
local Vehicle = class("Vehicle", "Pawn")

Vehicle.properties {
	-- The rigid body; see RigidBody.
	BodyExtent = vector(110, 52, 28), -- uu, half the size of the hull
	BodyLift = float(-22), -- uu, height of the centre of mass above the hull's centre
	Mass = float(1200, { min = 1, max = 1000000 }), -- kg
	Friction = float(0.3, { min = 0, max = 10 }), -- friction of the hull, not of the tyres
	Restitution = float(0.1, { min = 0, max = 1 }), -- share of the speed kept after a bounce
	LinearDamping = float(0.35, { min = 0, max = 100 }), -- together with EngineForce this determines the top speed
	AngularDamping = float(1.2, { min = 0, max = 100 }), -- share of its angular velocity lost per second
	bGenerateHitEvents = true, -- needed to run over pawns

	-- Wheels and engine.
	WheelBase = vector(78, 46, -18), -- uu from the centre to where the front right spring is mounted
	WheelRadius = float(22, { min = 1 }), -- uu
	SpringLength = float(34, { min = 1 }), -- uu, unloaded
	Spring = float(32000, { min = 0 }), -- kg/s^2
	Damper = float(3200, { min = 0 }), -- kg/s
	Grip = float(1.3, { min = 0, max = 10 }), -- share of its load that a tyre can hold
	EngineForce = float(700000, { min = 0 }), -- kg uu/s^2
	ReverseShare = float(0.5, { min = 0, max = 1 }), -- share of EngineForce when driving backwards
	BrakeForce = float(1300000, { min = 0 }), -- kg uu/s^2
	MaxSteer = float(0.6, { min = 0, max = 1.4 }), -- radians, standing
	SteerSpeed = float(900, { min = 1 }), -- uu/s at which the steering angle is halved

	-- Driver.
	Driver = ref("Pawn"), -- their body
	bDriving = false, -- whether somebody drives
	SeatOffset = vector(-20, 0, 60), -- uu from the centre to the seat
	EnterRadius = float(260, { min = 0 }), -- uu from the centre, within which a pawn can get in
	Throttle = float(0, { min = -1, max = 1 }), -- the driver's keys, on the server and on the driver's machine
	Steering = float(0, { min = -1, max = 1 }), -- likewise, to the right
	Rise = float(0, { min = -1, max = 1 }), -- above 0 is the hand brake

	-- The resulting controls in percent, set by the server and sent as one unit (R10.7).
	CarState = struct {
		OutputGas = int(0, { min = -100, max = 100 }),
		OutputBrake = int(0, { min = 0, max = 100 }),
		OutputSteering = int(0, { min = -100, max = 100 }),
	},

	-- Position and velocity; see RigidBody.
	RigidBodyState = struct {
		Position = quantized(vector(0, 0, 0), 100), -- uu
		Quaternion = vector(0, 0, 0), -- X, Y and Z over 1 + W, times 32767; W follows
		LinVel = vector(0, 0, 0), -- uu/s times 8
		AngVel = vector(0, 0, 0), -- rad/s times 500
		bNewData = local_(false), -- a state was received that physics has not read yet
	},
	SnapDistance = float(250, { min = 0 }), -- uu
	CorrectionShare = float(0.2, { min = 0, max = 1 }), -- share of an error that is corrected at once
	CorrectionTime = float(0.2, { min = 0.02, max = 5 }), -- seconds

	-- Damage.
	RunOverSpeed = float(250, { min = 0 }), -- uu/s from which being hit hurts
	RunOverDamage = float(20, { min = 0 }), -- damage per 100 uu/s above RunOverSpeed
	ExplosionDamage = float(120, { min = 0 }), -- at the centre, decreasing towards ExplosionRadius
	ExplosionRadius = float(350, { min = 0 }), -- uu
	RespawnTime = float(20, { min = 0, max = 3600 }), -- seconds; 0 never respawns
	Factory = ref("VehicleFactory"), -- the factory that spawned it, and spawns the next one
	UprightTime = float(2, { min = 0, max = 60 }), -- seconds upside down until it is turned upright
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
	bUpdateSimulatedPosition = false, -- RigidBodyState replicates it more exactly
	bReplicateMovementToOwner = true, -- not predicted
	bNetInitialRotation = true,
}

-- The hull has the size of BodyExtent; by default the wheels are where WheelBase and SpringLength put them.
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

-- On every peer, as soon as there is a body: adds the wheels and applies the state it arrived with.
function Vehicle.simulated:PostNetBeginPlay()
	self:SetTimer(0.001, false, "PutOnWheels")
	if self:HasAuthority() then
		self.startLocation, self.startRotation = self.Location, self.Rotation
	end
end

-- On every peer, right after it begins to play: gives the body four wheels made from WheelBase, WheelRadius,
-- Spring and Damper. All four are driven, and the front ones steer.
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

-- Getting in and out. All of it runs on the server.

-- Whether a pawn may drive it now.
function Vehicle:CanDrive(pawn)
	return self.Health > 0 and not self.Driver and pawn.Health > 0 and pawn.Controller ~= nil
		and not pawn:IsA("Vehicle") and (pawn.Location - self.Location):Size() <= self.EnterRadius
end

-- Returns how much a bot on foot wants to drive it, 0 for not at all: it must be free, upright and mostly
-- undamaged.
function Vehicle:BotDesireability(_)
	local free = not self.bDriving and self:GetUpVector().Z > 0.7
	return free and self.Health > self.HealthMax * 0.5 and 1 or 0
end

-- Lets a pawn get in. Returns false if it may not.
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

-- A vehicle has no ghost.
function Vehicle:SetGhost(on)
	return not on
end

-- Returns the locations beside it where a driver may get out, nearest first.
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

-- Returns the first of the exits that has room for a pawn and is not blocked from here; nil if there is none.
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

-- The driver gets out. Returns false if there is no room; with force they get out on top in any case.
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

-- The driver leaves the game: their pawn is destroyed, and the vehicle stays where it is.
function Vehicle:Withdraw()
	local driver = self.Driver
	if driver then
		self:DriverLeave(true)
		driver:Withdraw()
	elseif self.Controller then
		self.Controller:UnPossess()
	end
end

-- The driver's pawn was destroyed while they drove.
function Vehicle:DriverGone()
	local mind = self.Controller
	self.PlayerReplicationInfo = nil
	self.bDriving = false
	self:DrivingStatusChanged()
	if mind then
		mind:PawnDied(self)
	end
end

-- While driving, Use gets the driver out.
function Vehicle:UseNearest()
	self:DriverLeave(false)
end

-- A driver got in or out: called on the server at once, on clients when bDriving is received (R10.7).
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

-- Reads the keys: a person steers with them; a brain presses keys to walk somewhere, and the vehicle drives
-- there.
function Vehicle:ReadKeys(mind)
	local throttle, steering = mind.aForward, mind.aStrafe
	if not mind:IsA("PlayerController") or mind.brain then
		throttle, steering = self:TowardsWish(mind)
	end
	self.Throttle, self.Steering = throttle, steering
	self.Rise = (mind.bJump or mind.aUp > 0) and 1 or 0
end

-- For a brain: returns the throttle and the steering, -1 to 1 each, that drive in the direction in which its
-- keys would walk.
function Vehicle:TowardsWish(mind)
	local forward, right = rotator(0, mind.ViewRotation.Yaw, 0):Axes()
	local wish = forward * mind.aForward + right * mind.aStrafe
	if wish:Size() < 0.1 then
		return 0, 0
	end
	local ahead, side = self.Rotation:Axes()
	local x, y = wish:Normal():Dot(ahead), wish:Normal():Dot(side)
	if x < -0.5 then
		return -1, y > 0 and -1 or 1 -- it is behind: drive backwards and turn the nose towards it
	end
	return math.max(0.4, x) * math.min(1, wish:Size()), math.max(-1, math.min(1, 2 * y))
end

-- Sends the keys to the server, thirty times a second while something changes and ten times while something
-- is held.
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

-- Fills a move of the driver only with the view; the keys go by ServerDrive.
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

-- Always true: the types check the values, and only the owner may call (R6.8).
function Vehicle.validate:ServerDrive(_, _, _)
	return true
end

-- On the server: nothing was received from the driver for half a second; throttle, steering and brake go to 0.
function Vehicle:DriveLost()
	self.Throttle, self.Steering, self.Rise = 0, 0, 0
end

-- On the server: turns the driver's keys into engine, brakes and wheels. Driving backwards brakes while it
-- rolls forwards; without a driver the hand brake is on.
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

-- On every peer: applies the controls that the server computed to the wheels.
function Vehicle.simulated:UpdateVehicle()
	if self:HasRigidBody() and #self:GetWheels() > 0 then
		local out = self.CarState
		self:Drive(out.OutputGas / 100 * self.EngineForce, out.OutputBrake / 100 * self.BrakeForce,
			out.OutputSteering / 100 * self.MaxSteer)
	end
end

-- On a client: CarState was received; applies it to the simulation of this machine.
function Vehicle.simulated:OnRep_CarState(_)
	self:UpdateVehicle()
end

-- Turns it upright in place after it has been slow and on its back or side for a while.
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

-- On a client: a state was received; see RigidBody.
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

-- At rest without a driver: disables Tick.
function Vehicle.simulated:OnSleepRBPhysics()
	if self:HasAuthority() then
		self:SetTickEnabled(self.bDriving or self:GetUpVector().Z <= 0.4)
	elseif self:IsStateAtRest() and self:GetBodyError() > 0.02 then
		self:CorrectBody(1)
	end
end

-- The body began to move: enables Tick.
function Vehicle:OnWakeRBPhysics()
	self:SetTickEnabled(true)
end

-- Functions of Pawn that work differently for a vehicle.

-- Does not turn the body: only the wheels do, and the view is the driver's.
function Vehicle:FaceRotation(view)
	self.ViewPitch = math.floor(view.Pitch / 256)
end

-- A vehicle does not jump; always returns false.
function Vehicle:DoJump()
	return false
end

-- Does nothing: a vehicle has no weapon in the hand. A child may have weapons.
function Vehicle:SwitchWeapon(_) end

-- Does nothing: there is no next weapon.
function Vehicle:NextWeapon(_) end

-- Gives nothing: a vehicle carries no inventory unless a child adds one.
function Vehicle:AddDefaultInventory() end

-- Adds an impulse, in uu/s for a pawn of 100 kg.
function Vehicle:AddMomentum(momentum)
	if self:HasRigidBody() then
		self:AddImpulse(momentum * 100)
	end
end

-- It hit something: a pawn that it runs over is hurt, and the driver is responsible. The pawn's own speed
-- does not count, so a pawn that runs into the vehicle is not hurt.
function Vehicle:RigidBodyCollision(other, at, normal, _, speed)
	speed = other and speed - math.max(0, other.Velocity:Dot(normal)) or speed
	if other and other:IsA("Pawn") and not other:IsA("Vehicle") and speed > self.RunOverSpeed then
		local damage = self.RunOverDamage * (speed - self.RunOverSpeed) / 100
		other:TakeDamage(damage, self, at, normal * -speed * 0.2 + vector(0, 0, 150), "ran over")
	end
end

-- It explodes: the driver dies, and pawns nearby are hurt. The next vehicle is spawned after a while. A pawn
-- that it hurts may destroy it, or be the instigator, so everything that must happen comes first.
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

-- Called by the server on all relevant peers: it exploded at a location; see PlayExplosion.
function Vehicle.multicast.reliable.simulated:MulticastExplode(at)
	self:PlayExplosion(at)
end

-- Shows and plays the explosion; a child overrides it.
function Vehicle.simulated:PlayExplosion(_) end

-- Lets its factory spawn the next one; a vehicle placed in the level spawns a factory for that.
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
