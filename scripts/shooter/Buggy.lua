-- Buggy: the vehicle of the sample game: light, fast and soon on its back. Use gets in and out. Try
-- it: change EngineForce or Grip while somebody drives.
local Buggy = class("Buggy", "Vehicle")

Buggy.defaults {
	Mass = 900, -- kg
	EngineForce = 650000, -- kg uu/s^2
	Grip = 1.4, -- share of its load a tyre can hold
	Health = 300,
	HealthMax = 300,
	SoundRadius = 1500, -- uu
}

-- Where shots hit it: places and half sizes in uu, forward, right and up from its middle.
Buggy.hitboxes {
	{ name = "hull", at = vector(0, 0, 0), size = vector(110, 52, 28) },
	{ name = "cab", at = vector(-20, 0, 50), size = vector(45, 40, 26) },
}

-- Somebody got in or out: the engine runs, or not.
function Buggy.simulated:DrivingStatusChanged()
	Buggy.super.DrivingStatusChanged(self)
	if self:HasAuthority() then
		self.AmbientSound = self.bDriving and "sounds/engine.toml" or ""
	end
end

-- It goes up, on every machine by itself.
function Buggy.simulated:PlayExplosion(at)
	self:SpawnEffect("Explosion", at)
	self:PlaySound("sounds/boom.toml")
end

return Buggy
