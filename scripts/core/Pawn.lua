-- Pawn: a body that a controller can control. It can be hurt and die. The variables for its movement are read
-- by the engine's physics, so a child changes them in its defaults. Its parent ArmedActor handles what it
-- carries and holds in its hand.
local savedmove = require("lib.savedmove")

local Pawn = class("Pawn", "ArmedActor")

Pawn.properties {
	Controller = ref("Controller"), -- its controller; known only on the server and to its own player
	PlayerReplicationInfo = ref("PlayerReplicationInfo"), -- the player it belongs to, known to everybody

	Health = int(100, { min = -1000, max = 10000 }), -- 0 or less means dead
	HealthMax = int(100, { min = 1, max = 10000 }), -- the most that pickups heal to

	GroundSpeed = float(440, { min = 0 }), -- uu/s
	AirSpeed = float(440, { min = 0 }), -- uu/s, flying
	WaterSpeed = float(220, { min = 0 }), -- uu/s, swimming
	Buoyancy = float(0.98, { min = 0 }), -- share of its weight that water supports; above 1 it floats up
	AccelRate = float(2048, { min = 0 }), -- uu/s^2
	AirControl = float(0.05, { min = 0, max = 1 }), -- share of AccelRate while falling
	JumpZ = float(420, { min = 0 }), -- uu/s upwards at the start of a jump
	GravityScale = float(1), -- share of the world's gravity
	MaxStepHeight = float(35, { min = 0 }), -- uu
	EyeHeight = float(64), -- uu above the centre
	RunningSpeedModifier = float(1.5, { min = 0 }), -- factor of GroundSpeed while bRunning
	TargetingSpeedModifier = float(0.5, { min = 0 }), -- factor of GroundSpeed while bAiming
	CrouchedPct = float(0.5, { min = 0 }), -- factor of GroundSpeed while bCrouching
	CrouchHeight = float(0, { min = 0 }), -- half the height while it crouches, in uu; 0: it cannot crouch
	CrouchedEyeHeight = float(32), -- EyeHeight while it crouches
	StandHeight = float(0, { min = 0 }), -- CollisionHeight before it crouched; 0 while it stands
	StandEyeHeight = float(0), -- EyeHeight before it crouched

	ViewPitch = int(0, { min = 0, max = 255 }), -- pitch of the view in 1/256 of a turn, for what others see
	bCrouching = false, -- whether it crouches now
	bRunning = false, -- wants to run
	bAiming = false, -- wants to aim
	bGhost = false, -- flies through everything, and nothing touches it; see SetGhost

	-- Animation; see docs/animation.md.
	ReplicatedMontage = struct { -- the montage that PlayMontage started on the server
		Montage = int(0, { min = 0, max = 1023 }), -- number in content, 0 for none
		Section = int(0, { min = 0, max = 31 }),
		Rate = float(1),
		Start = float(0), -- server time when the section began
		Play = int(0, { min = 0, max = 255 }), -- incremented with every PlayMontage, wraps
	},
	RootMotionVelocity = vector(0, 0, 0), -- uu/s, velocity from the root motion of a montage; the engine sets it
	AnimTickOption = enum("montage_only", "when_relevant", "always"), -- what runs on a dedicated server

	-- The corpse; see Dying below.
	CorpseLifeSpan = float(10, { min = 0.1, max = 600 }), -- seconds
	DyingMontage = str("animations/die.toml", { max = 64 }), -- "" for none
	DyingSound = str("sounds/death.toml", { max = 64 }), -- "" for none
	RagdollClass = classref("Ragdoll"), -- the hip that carries the corpse; without it the pawn falls over
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
	{ "PlayerReplicationInfo", "Health", "bGhost", notify = true },
	{ "ReplicatedMontage", notify = true },
	{ "Controller", when = COND_OwnerOnly },
	-- The player's own machine knows these before the server does.
	{ "ViewPitch", "bRunning", "bAiming", when = COND_SkipOwner },
	{ "bCrouching", when = COND_SkipOwner, notify = true },
}

-- Two legs, in the color of its team: one team light and warm, the other dark and cold, so that they also
-- differ in lightness. docs/see.md explains the fields.
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

-- Turns the body towards a view: yaw turns the body, pitch only the aim.
function Pawn:FaceRotation(view)
	self.Rotation = rotator(0, view.Yaw, 0)
	self.ViewPitch = math.floor(view.Pitch / 256)
end

-- On a client: the server started another montage on this pawn, changed its section, or stopped it.
function Pawn.simulated:OnRep_ReplicatedMontage(_)
	self:SyncMontage()
end

-- Returns the location of the eyes.
function Pawn.simulated:GetViewLocation()
	return self.Location + vector(0, 0, self.EyeHeight)
end

-- Returns where the pawn looks.
function Pawn.simulated:GetViewRotation()
	return rotator(self.ViewPitch * 256, self.Rotation.Yaw, 0)
end

-- Jumps if it stands on something; at the surface of water it leaps out.
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

-- For a brain: returns how far a press of the second fire key would carry it in its direction, in uu; 0 if
-- that key does something else, or is not ready.
function Pawn:GetLeap()
	return 0
end

-- Returns what its player should know besides health and weapon, in a few words; "" for nothing. It runs on
-- the player's machine, and the terminal view shows it.
function Pawn:GetStatus()
	return ""
end

-- Moves (R9). These functions define what a move is and does, on the player's machine and on the server
-- alike; a class that adds to it overrides them (docs/movement.md).

-- On the player's machine, called when a move was made from the keys and before it is performed: a class adds
-- its flags or its Extra, or changes the acceleration. A montage that moves the body sets the root motion
-- here.
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
		move.Root = vector(0, 0, -1) -- it is held in place; without root motion it would slide on
	end
end

-- Performs what a move requests, except the physics. It runs on the player's machine, also when the move is
-- repeated, and on the server; state that the class keeps for it must be in GetMoveState.
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

-- Returns the maximum walking or flying speed of the pawn in a move, in uu/s. It is computed from the move's
-- flags, so that both sides agree.
function Pawn:GetMoveSpeed(move)
	if move.Root then
		return move.Root:Size()
	end
	local flags = move.Flags
	return self:GetMaxSpeed(savedmove.Has(flags, savedmove.RUN), savedmove.Has(flags, savedmove.AIM))
end

-- Returns the state of this class on which a move depends, besides location, velocity, movement mode and
-- crouching, as a string of at most 64 bytes. It is restored before moves are repeated, and is part of
-- corrections.
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

-- Whether the server must not miss a move, so that it is sent again with the next ones. move is the one in
-- question, next the one after it.
function Pawn:IsImportantMove(move, next)
	return savedmove.IsImportant(move, next)
end

-- Crouches or stands up. On the ground the feet stay in place; in the air the centre does. The pawn keeps
-- crouching if there is no room to stand up.
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

-- The pawn crouches from now on, or stands; stand is half its height when it stands. The body has its new
-- size already.
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

-- On other players' machines: only the size changes; the location is replicated separately.
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

-- On the server: it becomes a ghost, which flies through walls and touches nothing, or has a solid body again.
-- Returns false if that is impossible, such as for a body inside of a wall. Its player's machine predicts the
-- flight as soon as it has received bGhost; what it predicted before is corrected.
function Pawn:SetGhost(on)
	if on == self.bGhost then
		return true
	end
	self.bCollideWorld = not on
	if not on and not self:SetLocation(self.Location) then
		self.bCollideWorld = false
		return false
	end
	self.bGhost = on
	self:GhostChanged()
	return true
end

-- It became a ghost or a body: on the server, and on every client that has it.
function Pawn.simulated:GhostChanged()
	local solid = not self.bGhost
	self.bCollideWorld = solid
	self:SetCollision(solid, solid, solid)
	if self.Role ~= ROLE_SimulatedProxy then -- others receive Physics
		self:SetPhysics(solid and PHYS_Falling or PHYS_Flying)
	end
end

-- On a client: the server made it a ghost, or a body.
function Pawn.simulated:OnRep_bGhost(_)
	self:GhostChanged()
end

-- The server has moved the pawn away from where it was seen: it stays visible there (GetVisualLocation) and
-- glides to its new location. Location, which scripts use, is exact at once.
function Pawn:SmoothCorrection(before)
	self:SmoothMove(before)
end

-- Returns where it aims: exactly if the controller is known, otherwise by yaw and ViewPitch.
function Pawn.simulated:GetBaseAimRotation()
	local mind = self.Controller
	if mind and mind.ViewRotation.Yaw == self.Rotation.Yaw then
		return mind.ViewRotation
	end
	return self:GetViewRotation()
end

-- On the server: its player or bot leaves, or starts again. The pawn is destroyed; a vehicle stays, and its
-- driver is destroyed.
function Pawn:Withdraw()
	self:Destroy()
end

-- Uses something nearby: enters a vehicle, operates a switch. The key calls it on the machine that decides,
-- and the server does it.
function Pawn:Use()
	self:ServerUse()
end

-- Called by the client: the player pressed Use. If the pawn is alive, the server looks for something to use.
function Pawn.server.reliable:ServerUse()
	if self.Health > 0 then
		self:UseNearest()
	end
end

-- On the server: gets into the nearest vehicle that allows it.
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

-- Starts to run or walk. The player's machine does it at once and tells the server, which replicates it to
-- all others.
function Pawn:SetRunning(on)
	self.bRunning = on
	if not self:HasAuthority() then
		self:ServerSetRunning(on)
	end
end

-- Called by the client: the player began or ceased to run; see SetRunning.
function Pawn.server.reliable:ServerSetRunning(on)
	self:SetRunning(on)
end

-- Starts or stops aiming.
function Pawn:SetAiming(on)
	self.bAiming = on
	if not self:HasAuthority() then
		self:ServerSetAiming(on)
	end
end

-- Called by the client: the player began or ceased to aim; see SetAiming.
function Pawn.server.reliable:ServerSetAiming(on)
	self:SetAiming(on)
end

Pawn.params {
	ServerSetRunning = { false },
	ServerSetAiming = { false },
	ServerUse = {},
}

-- Always true: a player may always run or aim; the server computes the speed from their moves.
function Pawn.validate:ServerSetRunning(_)
	return true
end

function Pawn.validate:ServerSetAiming(_)
	return true
end

-- Always true: the function itself checks whether there is something to use.
function Pawn.validate:ServerUse()
	return true
end

-- Called after it took a pickup; a child shows or announces that here.
function Pawn:PickedUp(_) end

-- Whether damage of a kind does nothing to it: its controller is invulnerable, and it did not fall out of the
-- level.
function Pawn:IsSpared(kind)
	local mind = self.Controller
	return mind ~= nil and mind.bGodMode and kind ~= "fell"
end

-- Applies damage to the pawn. Only the server changes health.
function Pawn:TakeDamage(amount, instigator, at, momentum, kind)
	if not self:HasAuthority() or self.Health <= 0 or self:IsSpared(kind) then
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

-- The pawn was hurt; called on every machine. A child may show more than the effect that the looks name in
-- `on`.
function Pawn.simulated:PlayHit() end

-- Adds an impulse, in uu/s. It lifts a pawn that stands on the ground into the air.
function Pawn:AddMomentum(momentum)
	if self.Physics == PHYS_Walking and momentum.Z > 0 then
		self:SetPhysics(PHYS_Falling)
	end
	self.Velocity = self.Velocity + momentum
end

-- Health is used up. instigator is the pawn that caused it, nil for the level itself.
function Pawn:Died(instigator, kind, _)
	if world.Game then
		local killer = instigator and not instigator.bDeleteMe and instigator.Controller or nil
		world.Game:Killed(killer, self.Controller, self, kind)
	end
	self:DropInventory()
	if self.Controller then
		self.Controller.Location = self:GetViewLocation() -- its player sees from there
		self.Controller:PawnDied(self)
	end
	self:LeaveBody()
end

-- Dying. A corpse is cosmetic: the server tears it off and keeps nothing of it. Each client that has it shows
-- on its own how it falls, and removes it after a while. Players who join later never receive it (R12.5).
function Pawn:LeaveBody()
	self.bTearOff = true
	local body = self:SpawnEffect(self:GetClass(), self.Location) -- nil if nobody can see it
	if body then
		body.Rotation, body.Velocity, body.Health = self.Rotation, self.Velocity, self.Health
		body.PlayerReplicationInfo = self.PlayerReplicationInfo
		body:PlayDying()
	end
	self:Destroy()
end

-- On a client: the server has torn off the corpse.
function Pawn:TornOff()
	self:PlayDying()
end

-- Shows the death. The pawn falls, or tumbles if it has a RagdollClass, and lies for CorpseLifeSpan; a child
-- may let it break or fade here instead. It runs on every machine that may show it.
function Pawn.simulated:PlayDying()
	self:GotoState("Dying")
end

Pawn.state("Dying", {
	simulated = true,
	ignores = { "TakeDamage", "Touch", "Bump", "HitWall", "Falling", "Landed" },
})

function Pawn.state.Dying.simulated:BeginState(_)
	self:SetCollision(false, false, false) -- corpses do not block anybody
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

-- It is below the level, from where nobody returns: it dies.
function Pawn:FellOutOfWorld()
	self:TakeDamage(10000, nil, self.Location, vector(), "fell")
	if not self.bDeleteMe then
		self:Destroy()
	end
end

return Pawn
