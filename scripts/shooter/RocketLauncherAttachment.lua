-- RocketLauncherAttachment: the rocket launcher as others see it in a hand.
local RocketLauncherAttachment = class("RocketLauncherAttachment", "WeaponAttachment")

RocketLauncherAttachment.defaults {
	FireSound = "sounds/launch.toml",
}

return RocketLauncherAttachment
