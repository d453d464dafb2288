-- Crate: a wooden box used as cover. It can be pushed, stacked and climbed, until somebody shoots it to
-- pieces.
local Crate = class("Crate", "Destructible")

Crate.defaults {
	BodyExtent = vector(40, 40, 40),
	CollisionRadius = 40,
	CollisionHeight = 40,
	Mass = 80,
	Friction = 0.7,
	ChunkHealth = 10,
	ImpactThreshold = 60000, -- a fall of three metres does no damage, one of ten breaks it
	ImpactDamage = 3,
	bStartAsleep = true, -- it stays where the level placed it
}

-- Planks, and a darker frame along its edges that is slightly larger than the box.
Crate.looks {
	shape = "box", color = "#d39a4e",
	parts = {
		{ shape = "box", at = { 0, 0, 36 }, size = { 83, 83, 10 }, color = "#8f6230" },
		{ shape = "box", at = { 0, 0, -36 }, size = { 83, 83, 10 }, color = "#8f6230" },
		{ shape = "box", at = { 36, 36, 0 }, size = { 11, 11, 82 }, color = "#8f6230" },
		{ shape = "box", at = { 36, -36, 0 }, size = { 11, 11, 82 }, color = "#8f6230" },
		{ shape = "box", at = { -36, 36, 0 }, size = { 11, 11, 82 }, color = "#8f6230" },
		{ shape = "box", at = { -36, -36, 0 }, size = { 11, 11, 82 }, color = "#8f6230" },
	},
}

return Crate
