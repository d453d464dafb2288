-- armoury: what a bot needs to know about a weapon to use it.
--
--	local armoury = require("lib.armoury")
--	local facts = armoury.Facts(weapon, mode) -- 0 is the first key, 1 the second
--
-- Facts are: speed (uu/s of its projectile; 0: it hits at once), gravity (uu/s^2 that the projectile falls
-- with), blast (uu, the radius of its blast), near and far (uu, the distances between which it is good),
-- range (uu, its maximum), automatic (it keeps firing while the key is held).
local armoury = {}

-- Without a weapon: a straight shot that hits at once.
armoury.bare = {
	speed = 0, gravity = 0, blast = 0, near = 250, far = 900, range = 4000, automatic = true,
}

function armoury.Facts(weapon, mode)
	local facts = { speed = 0, gravity = 0, blast = 0, automatic = weapon.bAutomatic }
	facts.range = weapon.AIRange * 1.5
	facts.far = weapon.AIRange * 0.6
	if weapon:IsA("WeaponProjectile") then
		local class = weapon:GetProjectileClass(mode)
		if class then
			facts.speed = world:GetDefault(class, "Speed")
			facts.gravity = -world.Gravity * world:GetDefault(class, "GravityScale")
			facts.blast = world:GetDefault(class, "DamageRadius")
		end
	end
	facts.near = math.min(facts.far * 0.5, math.max(facts.blast * 1.4, 250))
	if facts.far < 300 then -- a blade: run at the enemy
		facts.near, facts.far = 0, math.max(40, weapon.AIRange * 0.5)
	end
	return facts
end

return armoury
