-- Pawn: a body that a controller can have. It can be hurt and die. How fast it moves stands in variables
-- that the engine's physics reads, so a child changes them in its defaults. What it carries and holds in its
-- hand its parent knows, ArmedActor.
local savedmove = require("lib.savedmove")

local Pawn = class("Pawn", "ArmedActor")

Pawn.properties {
	Controller = ref("Controller"), -- who decides for it; server and its own player only
	PlayerReplicationInfo = ref("PlayerReplicationInfo"), -- whose body it is, for everybody

	Health = int(100, { min = -1000, max = 10000 }), -- 0 or less is dead
	HealthMax = int(100, { min = 1, max = 10000 }), -- the most that pickups give

	GroundSpeed = float(440, { min = 0 }), -- uu/s
	AirSpeed = float(440, { min = 0 }), -- uu/s, flying
	WaterSpeed = float(220, { min = 0 }), -- uu/s, swimming
	Buoyancy = float(0.98, { min = 0 }), -- share of its weight that water carries; above 1 it floats up
	AccelRate = float(2048, { min = 0 }), -- uu/s^2
	AirControl = float(0.05, { min = 0, max = 1 }), -- share of AccelRate while falling
	JumpZ = float(420, { min = 0 }), -- uu/s upwards at the start of a jump
	GravityScale = float(1), -- share of the world's gravity
	MaxStepHeight = float(35, { min = 0 }), -- uu
	EyeHeight = float(64), -- uu above the centre
	RunningSpeedModifier = float(1.5, { min = 0 }), -- times GroundSpeed while bRunning
	TargetingSpeedModifier = float(0.5, { min = 0 }), -- times GroundSpeed while bAiming
	CrouchedPct = float(0.5, { min = 0 }), -- times GroundSpeed while bCrouching
	CrouchHeight = float(0, { min = 0 }), -- half the height while it crouches, in uu; 0: it cannot crouch
	CrouchedEyeHeight = float(32), -- EyeHeight while it crouches
	StandHeight = float(0, { min = 0 }), -- CollisionHeight before it crouched; 0 while it stands
	StandEyeHeight = float(0), -- EyeHeight before it crouched

	ViewPitch = int(0, { min = 0, max = 255 }), -- how far it looks up, 1/256 of a turn; aims what others see
	bCrouching = false, -- whether it is down
	bRunning = false, -- wants to run
	bAiming = false, -- wants to aim

	-- How it moves its limbs; see docs/animation.md.
	ReplicatedMontage = struct { -- what PlayMontage started on the server, for everybody
		Montage = int(0, { min = 0, max = 1023 }), -- number in content, 0 for none
		Section = int(0, { min = 0, max = 31 }),
		Rate = float(1),
		Start = float(0), -- the server's time at which the section began
		Play = int(0, { min = 0, max = 255 }), -- goes up with every PlayMontage, round and round
	},
	RootMotionVelocity = vector(0, 0, 0), -- uu/s by which a montage moves the body now; the engine sets it
	AnimTickOption = enum("montage_only", "when_relevant", "always"), -- what goes on on a dedicated server

	-- What is left of it; see Dying below.
	CorpseLifeSpan = float(10, { min = 0.1, max = 600 }), -- seconds
	DyingMontage = str("animations/die.toml", { max = 64 }), -- "" for none
	DyingSound = str("sounds/death.toml", { max = 64 }), -- "" for none
	RagdollClass = classref("Ragdoll"), -- the hip that carries the body; nil lets it fall
}

Pawn.defaults {
	bCollideActors = true,
	bCollideWorld = true,
	bBlockActors = true,
	bBlockPlayers = true,
	bUpdateSimulatedPosition = true,
	bSimulateGravity = true,
	NetPriority = 2.0,
}

Pawn.replication {
	{ "PlayerReplicationInfo", "Health", notify = true },
	{ "ReplicatedMontage", notify = true },
	{ "Controller", when = COND_OwnerOnly },
	-- The player's own machine knows these before the server does.
	{ "ViewPitch", "bRunning", "bAiming", when = COND_SkipOwner },
	{ "bCrouching", when = COND_SkipOwner, notify = true },
}

-- Two legs, in the color of its team: one light and warm, the other dark and cold, so that they
-- differ in lightness,
-- too. docs/see.md says what all this means.
Pawn.looks {
	body = "humanoid",
	color = "#ff7a45", accent = "#5b3a4a",
	on = {
		Landed = "effects/land.toml",
		PlayHit = "effects/hit.toml",
		PlayDying = "effects/death.toml",
	},
	when = {
		{
			"PlayerReplicationInfo ~= nil and PlayerReplicationInfo.Team == 0",
			color = "#ffcf4d", accent = "#7a5a1e",
		},
		{
			"PlayerReplicationInfo ~= nil and PlayerReplicationInfo.Team == 1",
			color = "#3a56d4", accent = "#141f4d",
		},
		{ "Health <= 0", color = "#8d8781", accent = "#5c5854" },
	},
}

-- Turns the body the way a view looks: yaw turns it, pitch only the aim.
function Pawn:FaceRotation(view)
	self.Rotation = rotator(0, view.Yaw, 0)
	self.ViewPitch = math.floor(view.Pitch / 256)
end

-- The server plays another montage on this pawn, jumped to a section of it, or stopped it.
function Pawn.simulated:OnRep_ReplicatedMontage(_)
	self:SyncMontage()
end

-- Where the pawn sees from.
function Pawn.simulated:GetViewLocation()
	return self.Location + vector(0, 0, self.EyeHeight)
end

-- Where the pawn looks.
function Pawn.simulated:GetViewRotation()
	return rotator(self.ViewPitch * 256, self.Rotation.Yaw, 0)
end

-- Jumps, if it stands on something; out of water it leaps.
function Pawn:DoJump()
	if self.Physics == PHYS_Swimming and self.JumpZ > 0 then
		self.Velocity = self.Velocity:With{ Z = math.max(self.Velocity.Z, self.JumpZ) }
		return true
	end
	if self.Physics ~= PHYS_Walking or self.JumpZ <= 0 then
		return false
	end
	self.Velocity = self.Velocity:With{ Z = self.Velocity.Z + self.JumpZ }
	self:SetPhysics(PHYS_Falling)
	return true
end

-- For a brain: how far a press of the second fire key would carry it now the way it runs, in uu; 0 where that
-- key does something else, or nothing yet.
function Pawn:GetLeap()
	return 0
end

-- What its player should know besides health and weapon, in a few words; "" for nothing. The terminal's view
-- shows it. It runs on the machine of the player.
function Pawn:GetStatus()
	return ""
end

-- Moves (R9). The functions here say what a move is and does, for the player's machine and for the server
-- alike; a class that adds something of its own overrides them (docs/movement.md).

-- On the player's machine, when a move was made of the keys and before anything is done: a class adds its
-- flags, its Extra, or changes the acceleration. An animation that moves the body speaks up here.
function Pawn:FillMove(move)
	local root = self.RootMotionVelocity
	root = vector(math.floor(root.X + 0.5), math.floor(root.Y + 0.5), math.floor(root.Z + 0.5))
	if not self:HasRootMotion() then
		return
	end
	move.Accel = self:PackAcceleration(root:Normal() * self.AccelRate)
	if root ~= vector() then
		move.Root = root
	elseif self.Physics == PHYS_Walking then
		move.Root = vector(0, 0, -1) -- it is held where it stands; no root at all would let it slide on
	end
end

-- Does what a move requests, but for the physics. It runs on the player's machine, also when the move is done
-- over, and on the server; what the class keeps for it must be in GetMoveState.
function Pawn:ProcessMove(move)
	self.Acceleration = self:UnpackAcceleration(move.Accel)
	if move.Root then
		self.Velocity = self.Physics == PHYS_Walking and move.Root:With{ Z = 0 } or move.Root
	end
	local crouch = savedmove.Has(move.Flags, savedmove.CROUCH)
	if crouch ~= self.bCrouching then
		self:SetCrouching(crouch)
	end
	if savedmove.Has(move.Flags, savedmove.JUMP) then
		self:DoJump()
	end
end

-- The most that the pawn walks or flies at in a move, in uu/s: computed from its flags, so that it cannot be
-- out of step.
function Pawn:GetMoveSpeed(move)
	if move.Root then
		return move.Root:Size()
	end
	local flags = move.Flags
	return self:GetMaxSpeed(savedmove.Has(flags, savedmove.RUN), savedmove.Has(flags, savedmove.AIM))
end

-- All of the class's own that a move depends on, beside place, velocity, mode of movement and crouching, in a
-- string of at most 64 bytes. It is put back before moves are done over, and goes along with corrections.
function Pawn:GetMoveState()
	return ""
end

-- Restores what GetMoveState returned, before moves are performed again or when the server corrects the
-- player.
function Pawn:SetMoveState(_) end

-- Whether two moves that were not sent yet may be performed as one.
function Pawn:CanCombineMoves(old, new)
	return savedmove.CanCombine(old, new)
end

-- Whether the server must not miss a move, so that it is also sent again with the next ones. move is the one
-- in question, next the one after it.
function Pawn:IsImportantMove(move, next)
	return savedmove.IsImportant(move, next)
end

-- Goes down or gets up, feet staying where they are; in the air the middle stays. It stays down where there
-- is no room.
function Pawn:SetCrouching(on)
	if on == self.bCrouching or on and self.CrouchHeight <= 0 then
		return
	end
	local walks = self.Physics == PHYS_Walking
	if on then
		local stand = self.CollisionHeight
		if not self:SetCollisionSize(self.CollisionRadius, math.min(self.CrouchHeight, stand)) then
			return
		end
		self:NoteCrouching(true, stand)
		if walks then
			self:Move(vector(0, 0, self.CollisionHeight - stand))
		end
		return
	end
	local up = self.StandHeight - self.CollisionHeight
	local before = self.Location
	local stuck = walks and self:Move(vector(0, 0, up)) ~= nil
	if stuck or not self:SetCollisionSize(self.CollisionRadius, self.StandHeight) then
		self:Move(before - self.Location)
		return
	end
	self:NoteCrouching(false)
end

-- It is down from now on, or up; stand is half its height when it stands. The body has its size already.
function Pawn:NoteCrouching(on, stand)
	if on == self.bCrouching then
		return
	end
	self.bCrouching = on
	if on then
		self.StandHeight, self.StandEyeHeight = stand, self.EyeHeight
		self.EyeHeight = self.CrouchedEyeHeight
	else
		self.EyeHeight, self.StandHeight = self.StandEyeHeight, 0
	end
end

-- On others' machines: only the size follows; the place crosses by itself.
function Pawn.simulated:OnRep_bCrouching(_)
	if self.bCrouching and self.StandHeight == 0 and self.CrouchHeight > 0 then
		self.StandHeight, self.StandEyeHeight = self.CollisionHeight, self.EyeHeight
		self.EyeHeight = self.CrouchedEyeHeight
		self:SetCollisionSize(self.CollisionRadius, self.CrouchHeight)
	elseif not self.bCrouching and self.StandHeight > 0 then
		self:SetCollisionSize(self.CollisionRadius, self.StandHeight)
		self.EyeHeight, self.StandHeight = self.StandEyeHeight, 0
	end
end

-- The server has put the pawn elsewhere than it was seen: it goes on being seen from there
-- (GetVisualLocation) and glides to where it is. Location, with which scripts work, is exact at once.
function Pawn:SmoothCorrection(before)
	self:SmoothMove(before)
end

-- Where it aims: its mind knows that exactly, everybody else by yaw and ViewPitch.
function Pawn.simulated:GetBaseAimRotation()
	local mind = self.Controller
	if mind and mind.ViewRotation.Yaw == self.Rotation.Yaw then
		return mind.ViewRotation
	end
	return self:GetViewRotation()
end

-- On the server: its player or bot leaves, or starts again. It goes; a vehicle stays, and its driver
-- goes.
function Pawn:Withdraw()
	self:Destroy()
end

-- Uses something here: enters a vehicle, operates a switch. The key calls it on the machine that
-- decides, and the server does it.
function Pawn:Use()
	self:ServerUse()
end

-- The player pressed Use; the server looks for something to use, if the pawn is alive.
function Pawn.server.reliable:ServerUse()
	if self.Health > 0 then
		self:UseNearest()
	end
end

-- On the server: gets into the nearest vehicle that lets it.
function Pawn:UseNearest()
	local vehicles = self:ActorsInRadius("Vehicle", 600)
	local here = self.Location
	table.sort(vehicles, function(a, b)
		return (a.Location - here):Size() < (b.Location - here):Size()
	end)
	for _, vehicle in ipairs(vehicles) do
		if vehicle:TryToDrive(self) then
			return
		end
	end
end

-- Runs or walks from now on. The player's machine does it at once and tells the server, which tells all others.
function Pawn:SetRunning(on)
	self.bRunning = on
	if not self:HasAuthority() then
		self:ServerSetRunning(on)
	end
end

-- The player began or ceased to run; see SetRunning.
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

-- The player began or ceased to aim; see SetAiming.
function Pawn.server.reliable:ServerSetAiming(on)
	self:SetAiming(on)
end

Pawn.params {
	ServerSetRunning = { false },
	ServerSetAiming = { false },
	ServerUse = {},
}

-- A player may always run or aim; the server computes the speed from their moves.
function Pawn.validate:ServerSetRunning(_)
	return true
end

function Pawn.validate:ServerSetAiming(_)
	return true
end

-- Whether there is anything to use the function itself asks.
function Pawn.validate:ServerUse()
	return true
end

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
	self:PlayHit()
	if self.Health <= 0 then
		self:Died(instigator, kind, at)
	end
end

-- On a client: the server changed Health.
function Pawn.simulated:OnRep_Health(old)
	if self.Health < old then
		self:PlayHit()
	end
end

-- It is hurt, on every machine: a child may show more than the effect that the looks name in `on`.
function Pawn.simulated:PlayHit() end

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
		local killer = instigator and not instigator.bDeleteMe and instigator.Controller or nil
		world.Game:Killed(killer, self.Controller, self, kind)
	end
	self:DropInventory()
	if self.Controller then
		self.Controller.Location = self:GetViewLocation() -- from there its player looks on
		self.Controller:PawnDied(self)
	end
	self:LeaveBody()
end

-- Dying. What becomes of a dead body is nobody's business but the eyes': the server tears it off and keeps
-- nothing of it, and each client that has it shows by itself how it goes down and takes it away after a while.
-- Players who join later never get it (R12.5).
function Pawn:LeaveBody()
	self.bTearOff = true
	local body = self:SpawnEffect(self:GetClass(), self.Location) -- nil where nobody looks on
	if body then
		body.Rotation, body.Velocity, body.Health = self.Rotation, self.Velocity, self.Health
		body.PlayerReplicationInfo = self.PlayerReplicationInfo
		body:PlayDying()
	end
	self:Destroy()
end

-- On a client: the server let go of the body.
function Pawn:TornOff()
	self:PlayDying()
end

-- How a dead body looks. It falls, or with a RagdollClass tumbles, and lies for CorpseLifeSpan; a child breaks
-- or fades here instead. It runs wherever somebody may look on.
function Pawn.simulated:PlayDying()
	self:GotoState("Dying")
end

Pawn.state("Dying", {
	simulated = true,
	ignores = { "TakeDamage", "Touch", "Bump", "HitWall", "Falling", "Landed" },
})

function Pawn.state.Dying.simulated:BeginState(_)
	self:SetCollision(false, false, false) -- nobody stumbles over the dead
	self.Acceleration = vector()
	self.LifeSpan = self.CorpseLifeSpan
	if self.DyingMontage ~= "" then
		self:PlayMontage(self.DyingMontage)
	end
	if self.DyingSound ~= "" then
		self:PlaySound(self.DyingSound, { bNotReplicated = true })
	end
	local hip = self.RagdollClass and self:SpawnEffect(self.RagdollClass, self.Location)
	if hip then
		hip:CarryBody(self)
	else
		self:SetPhysics(PHYS_Falling)
	end
end

-- Below the level: nobody comes back from there.
function Pawn:FellOutOfWorld()
	self:TakeDamage(10000, nil, self.Location, vector(), "fell")
	if not self.bDeleteMe then
		self:Destroy()
	end
end

return Pawn
