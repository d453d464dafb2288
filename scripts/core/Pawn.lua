-- Pawn: a body that a controller can have. It can be hurt and die. How fast it moves stands in variables
-- that the engine's physics reads, so a child changes them in its defaults.
local savedmove = require("lib.savedmove")

local Pawn = class("Pawn", "Actor")

Pawn.properties {
	Controller = ref("Controller"), -- who decides for it; server and its own player only
	PlayerReplicationInfo = ref("PlayerReplicationInfo"), -- whose body it is, for everybody

	Health = int(100, { min = -1000, max = 10000 }),
	HealthMax = int(100, { min = 1, max = 10000 }),

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
	FlashCount = int(0, { min = 0, max = 255 }), -- goes up with every shot, round and round: others show it
	FiringMode = int(0, { min = 0, max = 15 }),
	bCrouching = false,
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

	-- What it carries.
	DefaultInventory = array(classref("Inventory"), 8), -- what it has from the start
	Inventory = ref("Inventory"), -- the first thing; each has the next (Inventory.Inventory)
	Weapon = ref("Weapon"), -- in the hand: on the server the truth, on its player's machine ahead of that
	ServerWeapon = struct { -- what the server says, with the number of the player's last switch that it knows
		Weapon = ref("Weapon"),
		Switch = int(0, { min = 0, max = 255 }),
	},
	CurrentWeaponAttachmentClass = classref("WeaponAttachment"), -- what everybody sees in the hand
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
	{ "CurrentWeaponAttachmentClass", notify = true },
	{ "Inventory", when = COND_OwnerOnly },
	{ "ServerWeapon", when = COND_OwnerOnly, notify = true },
	{ "FlashCount", when = COND_SkipOwner, notify = true },
	{ "Controller", when = COND_OwnerOnly },
	-- The player's own machine knows these before the server does.
	{ "ViewPitch", "FiringMode", "bRunning", "bAiming", when = COND_SkipOwner },
	{ "bCrouching", when = COND_SkipOwner, notify = true },
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

-- Does what a move asks for, but for the physics. It runs on the player's machine, also when the move is done
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

function Pawn:SetMoveState(_) end

-- Whether two moves that were not sent yet may be performed as one, and whether the server must not miss a
-- move.
function Pawn:CanCombineMoves(old, new)
	return savedmove.CanCombine(old, new)
end

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

-- Weapons. The keys call these on the machine of whoever decides (see Controller:HandleKeys); mode 0 is the
-- first key of firing and 1 the second.
function Pawn:StartFire(mode)
	if self.Weapon then
		self.Weapon:StartFire(mode)
	end
end

function Pawn:StopFire(mode)
	if self.Weapon then
		self.Weapon:StopFire(mode)
	end
end

function Pawn:StartReload()
	if self.Weapon then
		self.Weapon:StartReload()
	end
end

-- Nobody decides for it any more: nobody holds the key.
function Pawn:UnPossessed()
	self:StopFire()
end

-- Takes a weapon of that number into the hand; with several of one number, the next.
function Pawn:SwitchWeapon(number)
	local list = {}
	for _, weapon in ipairs(self:GetWeapons()) do
		if weapon.InventoryGroup == number then
			table.insert(list, weapon)
		end
	end
	self:SetCurrentWeapon(self:After(list, 1) or self.Weapon)
end

-- Takes the next weapon into the hand, in the order of numbers; -1 is the one before.
function Pawn:NextWeapon(step)
	local list = self:GetWeapons()
	table.sort(list, function(a, b)
		if a.InventoryGroup ~= b.InventoryGroup then
			return a.InventoryGroup < b.InventoryGroup
		end
		return a:GetClass() < b:GetClass() -- the same on every machine
	end)
	self:SetCurrentWeapon(self:After(list, step or 1) or self.Weapon)
end

-- What comes some steps after the weapon in the hand in a list, round and round; the first if it is not in
-- there.
function Pawn:After(list, step)
	for i, weapon in ipairs(list) do
		if weapon == self.Weapon then
			return list[(i + step - 1) % #list + 1]
		end
	end
	return list[1]
end

-- Takes a weapon into the hand, nil for none. The player's machine does it at once and tells the server.
function Pawn:SetCurrentWeapon(weapon)
	if weapon == self.Weapon then
		return
	end
	if not self:HasAuthority() then
		self.switches = ((self.switches or 0) + 1) % 256
		local time = weapon and weapon:GetTime() or 0
		self:ServerSetCurrentWeapon(weapon, self.switches, math.max(0, math.floor(time * 1000)))
	end
	self:ChangeWeapon(weapon)
end

-- On the server: the player has taken another weapon into the hand.
function Pawn.server.reliable:ServerSetCurrentWeapon(weapon, switch, stamp)
	if weapon and weapon.Owner ~= self then
		weapon = self.Weapon -- it is not his, or no longer: he is told of what he has
	end
	self.ServerWeapon.Switch = switch
	self:ChangeWeapon(weapon, stamp / 1000)
end

-- since is when by the player's clock, in the server's seconds; nil for now.
function Pawn:ChangeWeapon(weapon, since)
	local old = self.Weapon
	if old ~= weapon then
		local mode = old and old.bWantsToFire and old.FireMode
		if old and not old.bDeleteMe then
			old:OnUnEquip()
		end
		self.Weapon = weapon
		if weapon then
			local after = old and not old.bDeleteMe and old:GetLastShotTime() or 0
			weapon:OnEquip(since and weapon:BoundStamp(math.max(since, after)))
			if mode and weapon:IsFiredHere() then
				weapon:StartFire(mode) -- the key is still held
			end
		end
	end
	if self:HasAuthority() then
		self.ServerWeapon.Weapon = weapon
		self.CurrentWeaponAttachmentClass = weapon and weapon.AttachmentClass or nil
		self:OnRep_CurrentWeaponAttachmentClass(nil)
	end
end

-- On its player's machine: what the server says of the weapon in the hand. While it does not know of the
-- player's last switch that counts.
function Pawn:OnRep_ServerWeapon(_)
	if self.ServerWeapon.Switch == (self.switches or 0) then
		self:ChangeWeapon(self.ServerWeapon.Weapon)
	end
end

-- All it carries, from the first of the chain on.
function Pawn:GetInventory()
	local list, item = {}, self.Inventory
	while item and #list < 256 do
		table.insert(list, item)
		item = item.Inventory
	end
	return list
end

-- The weapons among that.
function Pawn:GetWeapons()
	local list = {}
	for _, item in ipairs(self:GetInventory()) do
		if item:IsA("Weapon") then
			table.insert(list, item)
		end
	end
	return list
end

-- The first thing of a class that it carries, or nil.
function Pawn:FindInventory(class)
	for _, item in ipairs(self:GetInventory()) do
		if item:IsA(class) then
			return item
		end
	end
	return nil
end

-- On the server: it carries a thing from now on. One that it has already may take over what is in the new
-- one, which is then gone. Returns what it carries now, or nil where it can have no more of that.
function Pawn:AddInventory(item)
	local class = item:GetClass()
	for _, have in ipairs(self:GetInventory()) do
		if have == item then
			return item
		elseif have:GetClass() == class then
			local taken = have:TakeOver(item)
			item:Destroy()
			return taken and have or nil
		end
	end
	item:SetOwner(self)
	item.Instigator = self
	item.Inventory = self.Inventory
	self.Inventory = item
	item:GivenTo(self)
	if item:IsA("Weapon") and (not self.Weapon or self:PrefersWeapon(item)) then
		self:ChangeWeapon(item)
	end
	return item
end

-- Whether a weapon that it was just given goes into the hand at once. A child may ask its player what he likes.
function Pawn:PrefersWeapon(weapon)
	return not self.Weapon:HasAmmo() and weapon:HasAmmo()
end

-- Makes a thing and adds it. Returns it, or nil.
function Pawn:GiveInventory(class)
	local item = self:Spawn(class, { Location = self.Location, Owner = self, Instigator = self })
	return item and self:AddInventory(item)
end

-- On the server: it no longer carries a thing. The thing itself stays and belongs to nobody.
function Pawn:DeleteInventory(item)
	local before = nil
	for _, have in ipairs(self:GetInventory()) do
		if have == item then
			if before then
				before.Inventory = item.Inventory
			else
				self.Inventory = item.Inventory
			end
			item.Inventory = nil
			if self.Weapon == item then
				self:ChangeWeapon(nil)
			end
			item:TakenFrom(self)
			item:SetOwner(nil)
			return
		end
		before = have
	end
end

-- On the server, when the game has given it to a controller: what it carries from the start.
function Pawn:AddDefaultInventory()
	for i = 1, #self.DefaultInventory do
		local class = self.DefaultInventory[i]
		if class then
			self:GiveInventory(class)
		end
	end
end

-- On the server: it is dead. What is worth it stays behind, the rest is gone.
function Pawn:DropInventory()
	for _, item in ipairs(self:GetInventory()) do
		local inHand = item == self.Weapon
		if item.bDropOnDeath and inHand then
			item:DropFrom(self.Location, vector(0, 0, 200) + self.Velocity * 0.5)
		else
			self:DeleteInventory(item)
			item:Destroy()
		end
	end
end

-- Where it aims: its mind knows that exactly, everybody else by yaw and ViewPitch.
function Pawn.simulated:GetBaseAimRotation()
	local mind = self.Controller
	if mind and mind.ViewRotation.Yaw == self.Rotation.Yaw then
		return mind.ViewRotation
	end
	return self:GetViewRotation()
end

-- Its weapon fired a shot: on the server for all others to see, here for this machine.
function Pawn:WeaponFired(_, mode)
	if self:HasAuthority() then
		self.FlashCount = (self.FlashCount + 1) % 256
		self.FiringMode = mode
		-- Whoever has the pawn hears the shot by its attachment, in PlayWeaponFire; others within hearing are told.
		local shown = self.CurrentWeaponAttachmentClass
		local sound = shown and world:DefaultOf(shown, "FireSound") or ""
		if sound ~= "" then
			self:PlaySound(sound, { bNoRepToRelevant = true })
		end
	end
	self:PlayWeaponFire(mode)
end

-- On others' machines: it fired.
function Pawn.simulated:OnRep_FlashCount(_)
	self:PlayWeaponFire(self.FiringMode)
end

-- A shot is seen and heard here.
function Pawn.simulated:PlayWeaponFire(mode)
	if self.attachment then
		self.attachment:PlayFire(mode)
	end
end

-- A shot of its weapon met something. Its player's machine shows that by itself, at once.
function Pawn:WeaponHit(at, normal)
	if self:HasAuthority() then
		self:MulticastWeaponHit(at, normal)
	else
		self:PlayWeaponHit(at, normal)
	end
end

function Pawn.multicast.unreliable.simulated:MulticastWeaponHit(at, normal)
	if self:IsLocallyControlled() and not self:HasAuthority() then
		return -- it was shown when it was fired
	end
	self:PlayWeaponHit(at, normal)
end

function Pawn.simulated:PlayWeaponHit(at, normal)
	if self.attachment then
		self.attachment:PlayImpact(at, normal)
	end
end

-- What is seen in the hand is made here, on every machine with a screen, from its class alone.
function Pawn.simulated:OnRep_CurrentWeaponAttachmentClass(_)
	local old, class = self.attachment, self.CurrentWeaponAttachmentClass
	self.attachment = nil
	if old and not old.bDeleteMe then
		old:Destroy()
	end
	if class then
		self.attachment = self:SpawnEffect(class, self.Location)
		if self.attachment then
			self.attachment:AttachTo(self)
		end
	end
end

-- It goes, and what it carries and shows with it.
function Pawn.simulated:Destroyed()
	if self.attachment and not self.attachment.bDeleteMe then
		self.attachment:Destroy()
	end
	if self:HasAuthority() then
		for _, item in ipairs(self:GetInventory()) do
			item:Destroy()
		end
	end
end

-- On the server: whoever played it leaves, or is to begin anew. It goes; a vehicle stays, and its driver
-- goes.
function Pawn:Withdraw()
	self:Destroy()
end

-- What there is to use here: a vehicle to enter, a switch. The key calls it on the machine of whoever
-- decides, and the server does it.
function Pawn:Use()
	self:ServerUse()
end

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

Pawn.params {
	ServerSetRunning = { false },
	ServerSetAiming = { false },
	ServerUse = {},
	ServerSetCurrentWeapon = { ref("Weapon"), int(0, { min = 0, max = 255 }), int(0, { min = 0 }) },
	MulticastWeaponHit = { vector(0, 0, 0), normal(0, 0, 1) },
}

-- A player may always run or aim; what that costs him the server decides by his moves.
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

-- Whose weapon it is the function itself asks: one that was just dropped is no offence.
function Pawn.validate:ServerSetCurrentWeapon(_, _, _)
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
-- Who joins later never gets it (R12.5).
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
