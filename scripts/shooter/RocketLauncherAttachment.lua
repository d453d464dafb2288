-- RocketLauncherAttachment: the rocket launcher as others see it in a hand.
local RocketLauncherAttachment = class("RocketLauncherAttachment", "WeaponAttachment")

RocketLauncherAttachment.defaults {
	FireSound = "sounds/launch.toml",
}

-- A tube over the shoulder, with a red mouth.
RocketLauncherAttachment.looks {
	shape = "cylinder", size = { 13, 13, 58 }, rotation = { 90, 0, 0 }, color = "#5d6f4a",
	hold = { at = { 8, 0, 12 } },
	parts = {
		{ shape = "cylinder", at = { 0, 0, 28 }, size = { 17, 17, 8 }, color = "#e0503a" },
		{ shape = "cylinder", at = { 0, 0, -28 }, size = { 16, 16, 6 }, color = "#39432f" },
		{ shape = "box", at = { 10, 0, 4 }, size = { 10, 4, 7 }, color = "#22282f" },
	},
	first = {
		shape = "cylinder", size = { 13, 13, 58 }, at = { 46, 22, -20 }, rotation = { 90, 0, 0 },
		color = "#5d6f4a",
		parts = { { shape = "cylinder", at = { 0, 0, 28 }, size = { 17, 17, 8 }, color = "#e0503a" } },
	},
	on = { PlayFire = "effects/launch.toml" },
}

return RocketLauncherAttachment
