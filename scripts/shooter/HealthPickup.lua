-- HealthPickup: mends whoever takes it. What it gives stands in Amount, which a level may set.
local HealthPickup = class("HealthPickup", "Pickup")

HealthPickup.defaults {
	Amount = 25, -- health
	RespawnTime = 20, -- seconds
}

return HealthPickup
