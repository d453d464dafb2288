-- ShooterPawn: the pawn of every player and bot in the sample game. It starts with a rifle and a cutlass, can
-- wear armour, and has two abilities: a dash on the second fire key, if the weapon in the hand does not use
-- that key, and a jet pack on the key to rise.
--
-- The abilities are components that take part in the moves of a player (R9.9): each defines its requests and
-- its state in its own file, and none of that is here.
local ShooterPawn = class("ShooterPawn", "Character")

ShooterPawn.properties {
	Armour = int(0, { min = 0, max = 200 }), -- absorbs part of the damage until it is used up
	ArmourMax = int(100, { min = 0, max = 200 }), -- the most armour it can wear
	ArmourShare = float(0.5, { min = 0, max = 1 }), -- share of the damage that armour absorbs
	bJetBurning = false, -- whether its jet pack burns
}

ShooterPawn.defaults {
	DefaultInventory = { "Rifle", "Cutlass" },
}

-- The flame of the jet pack.
ShooterPawn.looks {
	when = {
		{ "bJetBurning", trail = "effects/jet.toml" },
	},
}

ShooterPawn.components { Dash = "DashAbility", Jet = "JetPack" }

ShooterPawn.replication {
	{ "Armour", when = COND_OwnerOnly }, -- hidden from enemies
	{ "bJetBurning", when = COND_SkipOwner }, -- the owner's machine knows it first
}

-- Whether the second fire key dashes: if the weapon in the hand does not use it.
function ShooterPawn:DashesByKey()
	return not (self.Weapon and self.Weapon.NumFireModes > 1)
end

-- A fire key was pressed: on the player's machine, or for a bot on the server.
function ShooterPawn:StartFire(mode)
	if mode == 1 and self:DashesByKey() then
		self.Dash:Press()
	else
		ShooterPawn.super.StartFire(self, mode)
	end
end

-- Returns how far a dash carries over level ground, for brains that consider one.
function ShooterPawn:GetLeap()
	return self:DashesByKey() and self.Dash:GetDistance() or 0
end

-- Returns what its player sees of the abilities besides health and weapon.
function ShooterPawn:GetStatus()
	local wait = self.Dash.Wait
	local dash = wait > 0 and ("dash in %.1f s"):format(wait / 1000) or "dash ready"
	return ("%s, jet %d %%"):format(dash, math.floor(self.Jet.Fuel * 100 + 0.5))
end

-- Its jet pack starts or stops: called on its player's machine and on the server.
function ShooterPawn:JetSwitched(on)
	self.bJetBurning = on
end

-- It no longer has a controller, so no key is held.
function ShooterPawn:UnPossessed()
	ShooterPawn.super.UnPossessed(self)
	self.Jet:SetBurning(false)
end

-- Armour absorbs its share before health does, but not of damage without an instigator, such as a fall.
function ShooterPawn:TakeDamage(amount, instigator, at, momentum, kind)
	local takes = self:HasAuthority() and self.Armour > 0 and not self:IsSpared(kind)
	if takes and instigator and world.Game:IsMatchInProgress() then
		local stopped = math.min(self.Armour, math.floor(amount * self.ArmourShare + 0.5))
		self.Armour = self.Armour - stopped
		amount = amount - stopped
	end
	local before, enemy = self.Health, instigator and instigator ~= self and instigator.Controller
	ShooterPawn.super.TakeDamage(self, amount, instigator, at, momentum, kind)
	local killed = self.bDeleteMe or self.Health <= 0
	if enemy and enemy:IsA("ShooterPlayer") and (killed or self.Health < before) then
		enemy:ClientHit(killed)
	end
end

return ShooterPawn
