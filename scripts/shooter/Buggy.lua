-- Buggy: the vehicle of the sample game: light, fast and easily overturned. Use gets in and out. Try it:
-- change EngineForce or Grip while somebody drives.
local Buggy = class("Buggy", "Vehicle")

Buggy.defaults {
	Mass = 900, -- kg
	EngineForce = 650000, -- kg uu/s^2
	Grip = 1.4, -- share of its load that a tyre can hold
	Health = 300,
	HealthMax = 300,
	SoundRadius = 1500, -- uu
}

-- A low hull, a cab with dark glass, two headlights, a roll bar, and wheels wider than the hull.
Buggy.looks {
	size = { 214, 96, 40 }, color = "#ef5b3c",
	on = { PlayExplosion = "effects/explosion.toml" },
	parts = {
		{ shape = "box", at = { -20, 0, 38 }, size = { 92, 78, 40 }, color = "#f2efe6" },
		{ shape = "box", at = { -12, 0, 42 }, size = { 92, 70, 22 }, color = "#22303a" },
		{ shape = "box", at = { 72, 0, 24 }, size = { 64, 84, 10 }, color = "#c7402a" },
		{ shape = "sphere", at = { 106, 30, 4 }, size = { 10, 16, 16 }, color = "#fff3c4", glow = 0.8 },
		{ shape = "sphere", at = { 106, -30, 4 }, size = { 10, 16, 16 }, color = "#fff3c4", glow = 0.8 },
		{
			shape = "cylinder", at = { -64, 0, 66 }, size = { 8, 8, 84 }, rotation = { 0, 0, 90 },
			color = "#2b2b2e",
		},
		{
			shape = "cylinder", at = { 78, 50, -36 }, size = { 46, 46, 20 }, rotation = { 0, 0, 90 },
			color = "#26262a", wheel = 23,
		},
		{ shape = "box", at = { 78, 60, -36 }, size = { 36, 4, 8 }, color = "#9aa1a8", wheel = 23 },
		{
			shape = "cylinder", at = { 78, -50, -36 }, size = { 46, 46, 20 }, rotation = { 0, 0, 90 },
			color = "#26262a", wheel = 23,
		},
		{ shape = "box", at = { 78, -60, -36 }, size = { 36, 4, 8 }, color = "#9aa1a8", wheel = 23 },
		{
			shape = "cylinder", at = { -78, 50, -36 }, size = { 46, 46, 20 }, rotation = { 0, 0, 90 },
			color = "#26262a", wheel = 23,
		},
		{ shape = "box", at = { -78, 60, -36 }, size = { 36, 4, 8 }, color = "#9aa1a8", wheel = 23 },
		{
			shape = "cylinder", at = { -78, -50, -36 }, size = { 46, 46, 20 }, rotation = { 0, 0, 90 },
			color = "#26262a", wheel = 23,
		},
		{ shape = "box", at = { -78, -60, -36 }, size = { 36, 4, 8 }, color = "#9aa1a8", wheel = 23 },
	},
	when = {
		{ "Health < HealthMax * 0.4", trail = "effects/smoke.toml" },
	},
}

-- The boxes that shots hit: locations and half sizes in uu, forward, right and up from its centre.
Buggy.hitboxes {
	{ name = "hull", at = vector(0, 0, 0), size = vector(110, 52, 28) },
	{ name = "cab", at = vector(-20, 0, 50), size = vector(45, 40, 26) },
}

-- A driver got in or out: starts or stops the engine sound.
function Buggy.simulated:DrivingStatusChanged()
	Buggy.super.DrivingStatusChanged(self)
	if self:HasAuthority() then
		self.AmbientSound = self.bDriving and "sounds/engine.toml" or ""
	end
end

-- Shows the explosion, on every machine separately.
function Buggy.simulated:PlayExplosion(at)
	self:SpawnEffect("Explosion", at)
	self:PlaySound("sounds/boom.toml")
end

return Buggy
