-- HealthPickup: heals the pawn that takes it by Amount, which a level may set.
local HealthPickup = class("HealthPickup", "Pickup")

HealthPickup.defaults {
	Amount = 25, -- health
	RespawnTime = 20, -- seconds
}

return HealthPickup
