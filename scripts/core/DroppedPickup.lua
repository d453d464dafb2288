-- DroppedPickup: what a dead pawn left behind. It flies for a moment, lies there, and is gone after a while
-- or once taken.
local DroppedPickup = class("DroppedPickup", "ItemPickup")

DroppedPickup.defaults {
	RespawnTime = 0, -- never comes back
	LifeSpan = 20, -- seconds
	Physics = PHYS_Falling,
	bCollideWorld = true,
	bUpdateSimulatedPosition = true,
}

return DroppedPickup
