-- RocketLauncher: the petrel. It fires a Rocket.
local RocketLauncher = class("RocketLauncher", "WeaponProjectile")

RocketLauncher.defaults {
	ItemName = "petrel",
	InventoryGroup = 4,
	AttachmentClass = "RocketLauncherAttachment",
	ProjectileClass = "Rocket",
	FireInterval = 0.9, -- seconds
	InitialAmmo = 6, MaxAmmo = 24, -- rockets
	bDropOnDeath = true, -- a pawn that dies with it drops it
	DamageType = "rocket",
	AIRange = 3000, -- uu
	AIRating = 0.9,
}

return RocketLauncher
