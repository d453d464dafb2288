-- Rocket: flies straight on and blows up on whatever it meets. Try it: change Speed or DamageRadius
-- while the host runs and save the file.
local Rocket = class("Rocket", "Projectile")

Rocket.defaults {
	Speed = 1400, -- uu/s
	Damage = 85, -- at the middle, less further out
	DamageRadius = 260, -- uu
	Momentum = 500, -- uu/s
	DamageType = "rocket",
	LifeSpan = 8, -- seconds
	bNetTemporary = true, -- it flies straight: clients need to hear of it only once
}

-- Its end, on the server and on each client by itself.
function Rocket.simulated:Explode(at, normal)
	self:SpawnEffect("Explosion", at)
	self:PlaySound("sounds/boom.toml")
	Rocket.super.Explode(self, at, normal)
end

return Rocket
