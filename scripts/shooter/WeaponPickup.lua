-- WeaponPickup: a weapon that lies in the level; ItemClass, a key of the level's entity, says which. A pawn
-- that already has it takes its ammunition.
local WeaponPickup = class("WeaponPickup", "ItemPickup")

WeaponPickup.defaults {
	RespawnTime = 10, -- seconds
}

return WeaponPickup
