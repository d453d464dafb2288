-- WeaponPickup: a weapon in the level; the entity's key ItemClass selects which. A pawn that already has that
-- weapon takes its ammunition.
local WeaponPickup = class("WeaponPickup", "ItemPickup")

WeaponPickup.defaults {
	RespawnTime = 10, -- seconds
}

-- A weapon of any kind: barrel, body and grip, in a blue that no level uses.
WeaponPickup.looks {
	size = { 34, 7, 9 }, color = "#38b6ff", spin = 120,
	parts = {
		{
			shape = "cylinder", at = { 24, 0, 2 }, size = { 5, 5, 22 }, rotation = { 90, 0, 0 },
			color = "#e8f6ff",
		},
		{
			shape = "box", at = { -12, 0, -9 }, size = { 8, 6, 14 }, rotation = { 20, 0, 0 },
			color = "#17415c",
		},
	},
}

return WeaponPickup
