-- Explosion: a burst of light, for machines with a screen. It is cosmetic: the actor that exploded does the
-- damage.
local Explosion = class("Explosion", "Actor")

Explosion.defaults {
	RemoteRole = ROLE_None,
	LifeSpan = 0.8, -- seconds
	DrawScale = 2,
}

-- No shape of its own: only the effect is visible.
Explosion.looks { shape = "none", on = { BeginPlay = "effects/explosion.toml" } }

return Explosion
