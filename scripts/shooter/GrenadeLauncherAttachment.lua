-- GrenadeLauncherAttachment: the grenade launcher as others see it in a hand.
local GrenadeLauncherAttachment = class("GrenadeLauncherAttachment", "WeaponAttachment")

GrenadeLauncherAttachment.defaults {
	FireSound = "sounds/launch.toml",
}

return GrenadeLauncherAttachment
