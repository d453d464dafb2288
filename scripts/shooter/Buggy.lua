-- Buggy: the vehicle of the sample game: light, fast and soon on its back. Use gets in and out. Try it: change
-- EngineForce or Grip while somebody drives.
local Buggy = class("Buggy", "Vehicle")

Buggy.defaults {
	Mass = 900, -- kg
	EngineForce = 650000, -- kg uu/s^2
	Grip = 1.4, -- share of its load a tyre can hold
	Health = 300,
	HealthMax = 300,
	AmbientSound = "sounds/engine.toml",
	SoundRadius = 1500, -- uu
}

-- It goes up, on every machine by itself.
function Buggy.simulated:PlayExplosion(at)
	self:SpawnEffect("Explosion", at)
	self:PlaySound("sounds/boom.toml")
end

return Buggy
