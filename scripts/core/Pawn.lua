-- Pawn: a body that a controller can have. It can be hurt and die. How fast it moves stands in variables
-- that the engine's physics reads, so a child changes them in its defaults.
local Pawn = class("Pawn", "Actor")

Pawn.properties {
	Controller = ref("Controller"), -- who decides for it; server and its own player only
	PlayerReplicationInfo = ref("PlayerReplicationInfo"), -- whose body it is, for everybody

	Health = int(100, { min = -1000, max = 10000 }),
	HealthMax = int(100, { min = 1, max = 10000 }),

	GroundSpeed = float(440, { min = 0 }), -- uu/s
	AirSpeed = float(440, { min = 0 }), -- uu/s, flying
	AccelRate = float(2048, { min = 0 }), -- uu/s^2
	AirControl = float(0.05, { min = 0, max = 1 }), -- share of AccelRate while falling
	JumpZ = float(420, { min = 0 }), -- uu/s upwards at the start of a jump
	GravityScale = float(1), -- share of the world's gravity
	MaxStepHeight = float(35, { min = 0 }), -- uu
	EyeHeight = float(64), -- uu above the centre

	ViewPitch = int(0, { min = 0, max = 255 }), -- how far it looks up, 1/256 of a turn; aims what others see
	FlashCount = int(0, { min = 0, max = 255 }), -- goes up with every shot, round and round: others show it
	FiringMode = int(0, { min = 0, max = 15 }),
	bCrouching = false,
	bRunning = false, -- wants to run
	bAiming = false, -- wants to aim
}

Pawn.defaults {
	bCollideActors = true,
	bCollideWorld = true,
	bBlockActors = true,
	bBlockPlayers = true,
	bUpdateSimulatedPosition = true,
	bReplicateMovementToOwner = true, -- the server moves it, for its own player, too
	bSimulateGravity = true,
	NetPriority = 2.0,
}

Pawn.replication {
	{ "PlayerReplicationInfo", "Health", notify = true },
	{ "FlashCount", "bCrouching" },
	{ "Controller", when = COND_OwnerOnly },
	-- The player's own machine knows these before the server does.
	{ "ViewPitch", "FiringMode", "bRunning", "bAiming", when = COND_SkipOwner },
}

-- Turns the body the way a view looks: yaw turns it, pitch only the aim.
function Pawn:FaceRotation(view)
	self.Rotation = rotator(0, view.Yaw, 0)
	self.ViewPitch = math.floor(view.Pitch / 256)
end

-- Where the pawn sees from.
function Pawn.simulated:GetViewLocation()
	return self.Location + vector(0, 0, self.EyeHeight)
end

-- Where the pawn looks.
function Pawn.simulated:GetViewRotation()
	return rotator(self.ViewPitch * 256, self.Rotation.Yaw, 0)
end

-- Jumps, if it stands on something.
function Pawn:DoJump()
	if self.Physics ~= PHYS_Walking or self.JumpZ <= 0 then
		return false
	end
	self.Velocity = self.Velocity:With{ Z = self.Velocity.Z + self.JumpZ }
	self:SetPhysics(PHYS_Falling)
	return true
end

-- Weapons. The keys call these on the machine of whoever decides (see Controller:HandleKeys); mode 0 is the
-- first key of firing and 1 the second.
function Pawn:StartFire(_) end

function Pawn:StopFire(_) end

function Pawn:StartReload() end

-- Takes the weapon of that number into the hand.
function Pawn:SwitchWeapon(_) end

-- What there is to use here: a vehicle to enter, a switch.
function Pawn:Use() end

-- Runs or walks from now on. The player's machine does it at once and tells the server, which tells all others.
function Pawn:SetRunning(on)
	self.bRunning = on
	if not self:HasAuthority() then
		self:ServerSetRunning(on)
	end
end

function Pawn.server.reliable:ServerSetRunning(on)
	self:SetRunning(on)
end

-- Aims from now on, or no longer.
function Pawn:SetAiming(on)
	self.bAiming = on
	if not self:HasAuthority() then
		self:ServerSetAiming(on)
	end
end

function Pawn.server.reliable:ServerSetAiming(on)
	self:SetAiming(on)
end

Pawn.params { ServerSetRunning = { false }, ServerSetAiming = { false } }

-- A player may always run or aim; what that costs him the server decides by his moves.
function Pawn.validate:ServerSetRunning(_)
	return true
end

function Pawn.validate:ServerSetAiming(_)
	return true
end

-- On the server, when the game has given it to a controller: what it carries from the start. A child
-- adds weapons.
function Pawn:AddDefaultInventory() end

-- It took a pickup; a child shows or says so here.
function Pawn:PickedUp(_) end

-- Something hurts the pawn. Only the server decides about health.
function Pawn:TakeDamage(amount, instigator, at, momentum, kind)
	if not self:HasAuthority() or self.Health <= 0 then
		return
	end
	if world.Game then
		amount = world.Game:ReduceDamage(amount, self, instigator, at, momentum, kind)
	end
	if momentum and momentum:Size() > 0 then
		self:AddMomentum(momentum)
	end
	self.Health = math.max(-1000, self.Health - math.floor(amount + 0.5))
	if self.Health <= 0 then
		self:Died(instigator, kind, at)
	end
end

-- A push, in uu/s. On the ground it throws the pawn off its feet.
function Pawn:AddMomentum(momentum)
	if self.Physics == PHYS_Walking and momentum.Z > 0 then
		self:SetPhysics(PHYS_Falling)
	end
	self.Velocity = self.Velocity + momentum
end

-- Health is gone. instigator is the pawn who did it, nil for the level itself.
function Pawn:Died(instigator, kind, _)
	if world.Game then
		world.Game:Killed(instigator and instigator.Controller, self.Controller, self, kind)
	end
	if self.Controller then
		self.Controller:PawnDied(self)
	end
	self:Destroy()
end

-- The server let go of the body: each client that has it shows by itself how it dies.
function Pawn:TornOff()
	self:PlayDying()
end

-- How a dead body looks: a child falls down, breaks or fades here. It runs on clients only.
function Pawn.simulated:PlayDying() end

-- Below the level: nobody comes back from there.
function Pawn:FellOutOfWorld()
	self:TakeDamage(10000, nil, self.Location, vector(), "fell")
	if not self.bDeleteMe then
		self:Destroy()
	end
end

return Pawn
