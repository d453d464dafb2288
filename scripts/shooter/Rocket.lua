-- Rocket: flies straight on and explodes on whatever it hits. Try it: change Speed or DamageRadius and save
-- the file while the host runs.
local Rocket = class("Rocket", "Projectile")

Rocket.defaults {
	Speed = 1400, -- uu/s
	Damage = 85, -- at the centre, less farther out
	DamageRadius = 260, -- uu
	Momentum = 500, -- uu/s
	DamageType = "rocket",
	LifeSpan = 8, -- seconds
	bNetTemporary = true, -- it flies straight: clients need to receive it only once
}

-- A bright body with a nose and fins, a light, and a trail of smoke.
Rocket.looks {
	shape = "cylinder", size = { 7, 7, 24 }, rotation = { -90, 0, 0 }, color = "#ffb52e", glow = 0.5,
	parts = {
		{ shape = "cone", at = { 0, 0, 15 }, size = { 7, 7, 9 }, color = "#ff4030", glow = 0.5 },
		{ shape = "box", at = { 0, 0, -10 }, size = { 18, 1, 7 }, color = "#ff4030" },
		{ shape = "box", at = { 0, 0, -10 }, size = { 1, 18, 7 }, color = "#ff4030" },
	},
	trail = "effects/smoke.toml",
	light = { color = "#ffa040", radius = 320 },
}

-- Ends the flight, on the server and on each client separately.
function Rocket.simulated:Explode(at, normal)
	self:SpawnEffect("Explosion", at)
	self:PlaySound("sounds/boom.toml")
	Rocket.super.Explode(self, at, normal)
end

return Rocket
