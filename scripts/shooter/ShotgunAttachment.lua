-- ShotgunAttachment: the shotgun as others see it in a hand.
local ShotgunAttachment = class("ShotgunAttachment", "WeaponAttachment")

ShotgunAttachment.defaults {
	FireSound = "sounds/shot.toml",
	ImpactEffect = "Spark",
}

return ShotgunAttachment
