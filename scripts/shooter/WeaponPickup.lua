-- WeaponPickup: a weapon that lies in the level; ItemClass, a key of the level's entity, says
-- which. Who has it already takes its ammunition.
local WeaponPickup = class("WeaponPickup", "ItemPickup")

WeaponPickup.defaults {
	RespawnTime = 10, -- seconds
}

return WeaponPickup
