-- CutlassAttachment: the cutlass as others see it in a hand. The pawn that swings it shows the stroke.
local CutlassAttachment = class("CutlassAttachment", "WeaponAttachment")

CutlassAttachment.defaults {
	FireSound = "sounds/swing.toml",
}

-- A bright blade, a guard and a grip.
CutlassAttachment.looks {
	size = { 44, 1.5, 7 }, color = "#e6f0f5", glow = 0.15,
	hold = { at = { 24, 0, 8 }, rotation = { 35, 0, 0 } },
	parts = {
		{ shape = "box", at = { -23, 0, 0 }, size = { 3, 10, 12 }, color = "#e0b23f" },
		{ shape = "box", at = { -30, 0, 0 }, size = { 12, 3, 4 }, color = "#5a3524" },
	},
	first = {
		shape = "box", size = { 44, 1.5, 7 }, at = { 42, 16, -12 }, rotation = { 30, -12, 0 },
		color = "#e6f0f5", glow = 0.15,
		parts = {
			{ shape = "box", at = { -23, 0, 0 }, size = { 3, 10, 12 }, color = "#e0b23f" },
			{ shape = "box", at = { -30, 0, 0 }, size = { 12, 3, 4 }, color = "#5a3524" },
		},
	},
	on = { PlayFire = "effects/slash.toml" },
}

return CutlassAttachment
