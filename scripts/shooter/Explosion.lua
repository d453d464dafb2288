-- Explosion: a burst of light, for machines with a screen. It does nothing; what hurts is what made
-- it.
local Explosion = class("Explosion", "Actor")

Explosion.defaults {
	RemoteRole = ROLE_None,
	LifeSpan = 0.8, -- seconds
	DrawScale = 2,
}

-- Nothing of its own: the effect is all there is to see.
Explosion.looks { shape = "none", on = { BeginPlay = "effects/explosion.toml" } }

return Explosion
