-- AmmoPickup: ammunition for one kind of weapon. WeaponClass and Amount are keys of the level's entity.
local AmmoPickup = class("AmmoPickup", "Pickup")

AmmoPickup.properties {
	WeaponClass = classref("Weapon"), -- the weapon that the rounds fit
}

AmmoPickup.defaults {
	Amount = 10, -- rounds
	RespawnTime = 15, -- seconds
}

-- A green box with two rounds on its lid.
AmmoPickup.looks {
	size = { 24, 16, 14 }, color = "#46c46a", light = { color = "#46c46a" },
	parts = {
		{ shape = "cylinder", at = { -5, 0, 12 }, size = { 6, 6, 12 }, color = "#f0c64a" },
		{ shape = "cylinder", at = { 5, 0, 12 }, size = { 6, 6, 12 }, color = "#f0c64a" },
	},
}

AmmoPickup.replication {
	{ "WeaponClass", when = COND_InitialOnly }, -- decides how it looks
}

-- On the server: only a pawn that has the weapon, and room for more rounds, takes it.
function AmmoPickup:CanGive(pawn)
	return pawn.Health > 0 and self.WeaponClass ~= nil and pawn:FindInventory(self.WeaponClass) ~= nil
end

-- Returns how much a bot wants it: more if it has fewer rounds left for a weapon that it prefers.
function AmmoPickup:BotDesireability(pawn)
	local weapon = self.WeaponClass and pawn:FindInventory(self.WeaponClass)
	if not weapon then
		return 0
	end
	local left = (weapon:GetAmmo() + weapon:GetSpareAmmo()) / weapon.MaxAmmo
	return math.max(0, 0.7 - left) * (0.5 + weapon.AIRating)
end

-- Adds Amount rounds to the pawn's weapon. Returns false if the weapon is full.
function AmmoPickup:Give(pawn)
	local weapon = pawn:FindInventory(self.WeaponClass)
	if weapon:GiveAmmo(self.Amount) == 0 then
		return false -- the weapon is full
	end
	pawn:PickedUp(self)
	return true
end

return AmmoPickup
