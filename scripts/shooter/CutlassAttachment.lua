-- CutlassAttachment: the cutlass as others see it in a hand. The pawn that swings it shows the stroke.
local CutlassAttachment = class("CutlassAttachment", "WeaponAttachment")

CutlassAttachment.defaults {
	FireSound = "sounds/swing.toml",
}

return CutlassAttachment
