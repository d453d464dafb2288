-- ShooterPawn: the body of everybody in the sample game, player or bot. It begins with a cutlass and a rifle, can wear
-- armour, and falls over when it dies.
local ShooterPawn = class("ShooterPawn", "Character")

ShooterPawn.properties {
	Armour = int(0, { min = 0, max = 200 }), -- takes part of the damage until it is used up
	ArmourMax = int(100, { min = 0, max = 200 }),
	ArmourShare = float(0.5, { min = 0, max = 1 }), -- part of the damage that armour takes
}

ShooterPawn.defaults {
	DefaultInventory = { "Rifle", "Cutlass" },
}

ShooterPawn.replication {
	{ "Armour", when = COND_OwnerOnly }, -- how strong one is, enemies have to find out
}

-- Armour takes its share before health does. Damage of which there is no body, a fall say, it does not stop.
function ShooterPawn:TakeDamage(amount, instigator, at, momentum, kind)
	if self:HasAuthority() and self.Armour > 0 and instigator and world.Game:IsMatchInProgress() then
		local stopped = math.min(self.Armour, math.floor(amount * self.ArmourShare + 0.5))
		self.Armour = self.Armour - stopped
		amount = amount - stopped
	end
	ShooterPawn.super.TakeDamage(self, amount, instigator, at, momentum, kind)
end

-- What others call it.
function ShooterPawn.simulated:GetDisplayName()
	local player = self.PlayerReplicationInfo
	return player and player.PlayerName or self.Name
end

return ShooterPawn
