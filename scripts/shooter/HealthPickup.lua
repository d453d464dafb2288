-- HealthPickup: heals the pawn that takes it by Amount, which a level may set.
local HealthPickup = class("HealthPickup", "Pickup")

HealthPickup.defaults {
	Amount = 25, -- health
	RespawnTime = 20, -- seconds
}

-- A white box with a red cross on all four sides.
HealthPickup.looks {
	size = { 26, 26, 22 }, color = "#f7f3ea", light = { color = "#ff5468" },
	parts = {
		{ shape = "box", size = { 28, 6, 16 }, color = "#ff3d55", glow = 0.4 },
		{ shape = "box", size = { 28, 16, 6 }, color = "#ff3d55", glow = 0.4 },
		{ shape = "box", size = { 6, 28, 16 }, color = "#ff3d55", glow = 0.4 },
		{ shape = "box", size = { 16, 28, 6 }, color = "#ff3d55", glow = 0.4 },
	},
}

return HealthPickup
