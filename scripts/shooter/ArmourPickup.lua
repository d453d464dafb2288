-- ArmourPickup: a vest that takes part of the damage until it is used up.
local ArmourPickup = class("ArmourPickup", "Pickup")

ArmourPickup.defaults {
	Amount = 50, -- armour
	RespawnTime = 30, -- seconds
}

return ArmourPickup
