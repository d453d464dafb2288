-- ShooterPawn: the body of everybody in the sample game, player or bot. It begins with a rifle and
-- a cutlass, can wear armour, and can dash: a leap forward on the second fire key, where the weapon
-- in the hand has no use for that.
--
-- The dash shows what a class does to have an action of its own predicted (R9.9): a flag of the
-- move asks for it, what it depends on is the move's state, and what it draws by lot it draws from
-- the move. The player's machine and the server run the same few lines below, and agree.
local ShooterPawn = class("ShooterPawn", "Character")

local savedmove = require("lib.savedmove")

ShooterPawn.properties {
	Armour = int(0, { min = 0, max = 200 }), -- takes part of the damage until it is used up
	ArmourMax = int(100, { min = 0, max = 200 }), -- the most armour it can wear
	ArmourShare = float(0.5, { min = 0, max = 1 }), -- part of the damage that armour takes

	DashSpeed = float(850, { min = 0 }), -- uu/s
	DashLift = float(170, { min = 0 }), -- uu/s upwards
	DashTime = int(1500, { min = 0, max = 60000 }), -- ms from one dash to the next
	DashWait = int(0, { min = 0, max = 60000 }), -- ms until it may dash again
	bPressedDash = false, -- the key was pressed, and the next move will ask for it
}

ShooterPawn.defaults {
	DefaultInventory = { "Rifle", "Cutlass" },
}

ShooterPawn.replication {
	{ "Armour", when = COND_OwnerOnly }, -- how strong one is, enemies have to find out
}

-- Whether the second fire key dashes: the weapon in the hand has no use for it.
function ShooterPawn:DashesByKey()
	return not (self.Weapon and self.Weapon.NumFireModes > 1)
end

-- A key was pressed: on the machine of whoever decides. A player's next move asks for the dash; a bot of
-- the server makes no moves, and dashes at once.
function ShooterPawn:StartFire(mode)
	if mode ~= 1 or not self:DashesByKey() then
		ShooterPawn.super.StartFire(self, mode)
	elseif self.Controller and not self.Controller:IsA("PlayerController") then
		if self:GetLeap() > 0 then
			self.botDashAt = world.TimeSeconds + self.DashTime / 1000
			self:Dash(math.random())
		end
	else
		self.bPressedDash = true
	end
end

-- How far a dash carries over level ground, for brains that think of one.
function ShooterPawn:GetLeap()
	local due = self.DashWait == 0 and world.TimeSeconds >= (self.botDashAt or 0)
	local stands = self.Physics == PHYS_Walking and not self.bCrouching
	local fall = -world.Gravity * self.GravityScale
	if not due or not stands or fall <= 0 or not self:DashesByKey() then
		return 0
	end
	return self.DashSpeed * 2 * self.DashLift / fall
end

-- The next move asks for what was pressed.
function ShooterPawn:FillMove(move)
	ShooterPawn.super.FillMove(self, move)
	if self.bPressedDash then
		self.bPressedDash = false
		move.Flags = savedmove.With(move.Flags, savedmove.CUSTOM1)
	end
end

-- A move, on the player's machine and on the server, and once more where it is done over.
function ShooterPawn:ProcessMove(move)
	ShooterPawn.super.ProcessMove(self, move)
	self.DashWait = math.max(0, self.DashWait - math.floor(move.Delta * 1000 + 0.5))
	if savedmove.Has(move.Flags, savedmove.CUSTOM1) and self.DashWait == 0 then
		self.DashWait = self.DashTime
		self:Dash(self.Controller:MoveRandom(1))
	end
end

-- Leaps the way it runs, or the way it looks if it stands. No wave is like the last: it strays by
-- three degrees; which way says the lot, from 0 to 1.
function ShooterPawn:Dash(lot)
	local way = self.Acceleration:With{ Z = 0 }
	local yaw = (way:Size() > 0 and way:Rotation() or self.Rotation).Yaw
	local stray = (lot - 0.5) * 1092 -- rotator units
	self.Velocity = rotator(0, math.floor(yaw + stray) % 65536, 0):Vector() * self.DashSpeed
		+ vector(0, 0, self.DashLift)
	self:SetPhysics(PHYS_Falling)
	if self:HasAuthority() then
		self:PlaySound("sounds/jump.toml")
	end
end

-- All that a move depends on beside what every pawn has: it is put back before moves are done over.
function ShooterPawn:GetMoveState()
	return tostring(self.DashWait)
end

-- Restores how long the dash has to wait, from what GetMoveState returned.
function ShooterPawn:SetMoveState(state)
	self.DashWait = tonumber(state) or 0
end

-- Armour takes its share before health does; but not of what has no maker, a fall say.
function ShooterPawn:TakeDamage(amount, instigator, at, momentum, kind)
	if self:HasAuthority() and self.Armour > 0 and instigator and world.Game:IsMatchInProgress() then
		local stopped = math.min(self.Armour, math.floor(amount * self.ArmourShare + 0.5))
		self.Armour = self.Armour - stopped
		amount = amount - stopped
	end
	ShooterPawn.super.TakeDamage(self, amount, instigator, at, momentum, kind)
end

return ShooterPawn
