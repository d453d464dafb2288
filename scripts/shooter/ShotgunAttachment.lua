-- ShotgunAttachment: the shotgun as others see it in a hand.
local ShotgunAttachment = class("ShotgunAttachment", "WeaponAttachment")

ShotgunAttachment.defaults {
	FireSound = "sounds/shot.toml",
	ImpactEffect = "Spark",
}

-- Short and thick: two barrels over a wooden pump.
ShotgunAttachment.looks {
	size = { 22, 7, 9 }, color = "#50463c",
	parts = {
		{
			shape = "cylinder", at = { 22, -2.5, 3 }, size = { 5, 5, 26 }, rotation = { 90, 0, 0 },
			color = "#2a2a2c",
		},
		{
			shape = "cylinder", at = { 22, 2.5, 3 }, size = { 5, 5, 26 }, rotation = { 90, 0, 0 },
			color = "#2a2a2c",
		},
		{ shape = "box", at = { 20, 0, -3 }, size = { 14, 7, 5 }, color = "#b5763c" },
		{ shape = "box", at = { -16, 0, -3 }, size = { 16, 5, 9 }, color = "#b5763c" },
	},
	first = {
		shape = "box", size = { 22, 7, 9 }, at = { 52, 18, -22 }, color = "#50463c",
		parts = {
			{
				shape = "cylinder", at = { 22, -2.5, 3 }, size = { 5, 5, 26 }, rotation = { 90, 0, 0 },
				color = "#2a2a2c",
			},
			{
				shape = "cylinder", at = { 22, 2.5, 3 }, size = { 5, 5, 26 }, rotation = { 90, 0, 0 },
				color = "#2a2a2c",
			},
			{ shape = "box", at = { 20, 0, -3 }, size = { 14, 7, 5 }, color = "#b5763c" },
		},
	},
}

return ShotgunAttachment
