-- GrenadeLauncher: throws what is in Grenade.lua in a bow.
local GrenadeLauncher = class("GrenadeLauncher", "WeaponProjectile")

GrenadeLauncher.defaults {
	ItemName = "depth charger",
	InventoryGroup = 5,
	AttachmentClass = "GrenadeLauncherAttachment",
	ProjectileClass = "Grenade",
	FireInterval = 0.8, -- seconds
	InitialAmmo = 6, MaxAmmo = 24, -- grenades
	bDropOnDeath = true,
	DamageType = "grenade",
	AIRange = 1200, -- uu
	AIRating = 0.6,
}

return GrenadeLauncher
