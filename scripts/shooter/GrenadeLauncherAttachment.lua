-- GrenadeLauncherAttachment: the grenade launcher as others see it in a hand.
local GrenadeLauncherAttachment = class("GrenadeLauncherAttachment", "WeaponAttachment")

GrenadeLauncherAttachment.defaults {
	FireSound = "sounds/launch.toml",
}

-- A drum between a short barrel and a stock.
GrenadeLauncherAttachment.looks {
	size = { 22, 6, 8 }, color = "#46505a",
	parts = {
		{
			shape = "cylinder", at = { 4, 0, -3 }, size = { 18, 18, 14 }, rotation = { 90, 0, 0 },
			color = "#c9a13b",
		},
		{
			shape = "cylinder", at = { 24, 0, 1 }, size = { 10, 10, 22 }, rotation = { 90, 0, 0 },
			color = "#2b3138",
		},
		{ shape = "box", at = { -16, 0, -2 }, size = { 14, 5, 9 }, color = "#7b5c3a" },
	},
	first = {
		shape = "box", size = { 22, 6, 8 }, at = { 50, 18, -21 }, color = "#46505a",
		parts = {
			{
				shape = "cylinder", at = { 4, 0, -3 }, size = { 18, 18, 14 }, rotation = { 90, 0, 0 },
				color = "#c9a13b",
			},
			{
				shape = "cylinder", at = { 24, 0, 1 }, size = { 10, 10, 22 }, rotation = { 90, 0, 0 },
				color = "#2b3138",
			},
		},
	},
	on = { PlayFire = "effects/launch.toml" },
}

return GrenadeLauncherAttachment
