-- RifleAttachment: the rifle as others see it in a hand.
local RifleAttachment = class("RifleAttachment", "WeaponAttachment")

RifleAttachment.defaults {
	FireSound = "sounds/shot.toml",
	ImpactEffect = "Spark",
}

-- Long and slim: body, barrel, magazine, stock and sight.
RifleAttachment.looks {
	size = { 30, 5, 8 }, color = "#3f4a57",
	parts = {
		{
			shape = "cylinder", at = { 24, 0, 2 }, size = { 3, 3, 24 }, rotation = { 90, 0, 0 },
			color = "#22282f",
		},
		{
			shape = "box", at = { 2, 0, -8 }, size = { 6, 4, 12 }, rotation = { -12, 0, 0 },
			color = "#f08a3c",
		},
		{ shape = "box", at = { -20, 0, -2 }, size = { 14, 4, 9 }, color = "#8a6a45" },
		{ shape = "box", at = { 2, 0, 7 }, size = { 8, 2, 4 }, color = "#22282f" },
	},
	first = {
		shape = "box", size = { 30, 5, 8 }, at = { 52, 18, -21 }, color = "#3f4a57",
		parts = {
			{
				shape = "cylinder", at = { 24, 0, 2 }, size = { 3, 3, 24 }, rotation = { 90, 0, 0 },
				color = "#22282f",
			},
			{
				shape = "box", at = { 2, 0, -8 }, size = { 6, 4, 12 }, rotation = { -12, 0, 0 },
				color = "#f08a3c",
			},
			{ shape = "box", at = { 2, 0, 7 }, size = { 8, 2, 4 }, color = "#22282f" },
		},
	},
}

return RifleAttachment
