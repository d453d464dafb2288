-- CutlassAttachment: the cutlass as others see it in a hand. Whoever swings it shows the stroke.
local CutlassAttachment = class("CutlassAttachment", "WeaponAttachment")

CutlassAttachment.defaults {
	FireSound = "sounds/swing.toml",
}

return CutlassAttachment
