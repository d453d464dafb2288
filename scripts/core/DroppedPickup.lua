-- DroppedPickup: an item that a dead pawn dropped. It flies for a moment, lies there, and disappears after a
-- while or when it is taken.
local DroppedPickup = class("DroppedPickup", "ItemPickup")

DroppedPickup.defaults {
	RespawnTime = 0, -- never comes back
	LifeSpan = 20, -- seconds
	Physics = PHYS_Falling,
	bCollideWorld = true,
	bUpdateSimulatedPosition = true,
}

return DroppedPickup
