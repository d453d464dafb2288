-- ArmourPickup: a vest that absorbs part of the damage until it is used up.
local ArmourPickup = class("ArmourPickup", "Pickup")

ArmourPickup.defaults {
	Amount = 50, -- armour
	RespawnTime = 30, -- seconds
}

-- A blue vest: a plate, and two shoulders.
ArmourPickup.looks {
	size = { 12, 30, 28 }, color = "#3f7dff", light = { color = "#3f7dff" },
	parts = {
		{ shape = "box", at = { 0, -17, 10 }, size = { 14, 10, 12 }, color = "#8fb4ff" },
		{ shape = "box", at = { 0, 17, 10 }, size = { 14, 10, 12 }, color = "#8fb4ff" },
	},
}

-- Whether a pawn may take it: a live ShooterPawn whose armour is not complete.
function ArmourPickup:CanGive(pawn)
	return pawn:IsA("ShooterPawn") and pawn.Health > 0 and pawn.Armour < pawn.ArmourMax
end

-- Returns how much a bot wants it: without armour, half as much as a new weapon.
function ArmourPickup:BotDesireability(pawn)
	return pawn:IsA("ShooterPawn") and 0.6 * (1 - pawn.Armour / pawn.ArmourMax) or 0
end

-- Adds Amount armour to the pawn, up to ArmourMax.
function ArmourPickup:Give(pawn)
	pawn.Armour = math.min(pawn.ArmourMax, pawn.Armour + self.Amount)
	pawn:PickedUp(self)
	return true
end

return ArmourPickup
