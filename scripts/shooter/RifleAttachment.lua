-- RifleAttachment: the rifle as others see it in a hand.
local RifleAttachment = class("RifleAttachment", "WeaponAttachment")

RifleAttachment.defaults {
	FireSound = "sounds/shot.toml",
	ImpactEffect = "Spark",
}

return RifleAttachment
