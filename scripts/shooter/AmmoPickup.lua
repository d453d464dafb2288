-- AmmoPickup: rounds for one kind of weapon, for who has it.
local AmmoPickup = class("AmmoPickup", "Pickup")

return AmmoPickup
