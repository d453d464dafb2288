-- Grenade: flies in a bow, bounces about, and goes off after a while, or at once on whom it hits.
local Grenade = class("Grenade", "Projectile")

Grenade.properties {
	Fuse = float(2.2, { min = 0.1, max = 30 }), -- seconds until it goes off by itself
}

Grenade.defaults {
	Speed = 1000, -- uu/s
	GravityScale = 1,
	Bounce = 0.45, -- share of the speed kept off a wall
	Damage = 90, -- at the middle, less further out
	DamageRadius = 300, -- uu
	Momentum = 450, -- uu/s
	DamageType = "grenade",
}

return Grenade
