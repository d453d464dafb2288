-- WeaponPickup: a weapon that lies in the level. Who has one already takes its ammunition.
local WeaponPickup = class("WeaponPickup", "Pickup")

return WeaponPickup
