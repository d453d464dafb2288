-- BrainWeapons: how a brain uses its weapons: which weapon, which fire key, and where to aim. Brain descends
-- from it.
local armoury = require("lib.armoury")

local BrainWeapons = class("BrainWeapons", "BrainGoals")

BrainWeapons.properties {
	mode = int(0), -- the fire key that it uses: 0 the first, 1 the second
	factsOf = ref("Weapon"), -- the weapon that self.facts describes, with fire key factsMode
	factsMode = int(0), -- the fire key of self.facts
	chooseWeaponAt = float(0), -- world time of the next choice of a weapon
	weaponKey = int(0), -- the weapon number that it presses until weaponKeyUntil
	weaponKeyUntil = float(0), -- world time in seconds
	reloadUntil = float(0), -- world time until which it presses the reload key
}

local WEAPON_PAUSE = 1 -- seconds between two choices of a weapon
local GOOD = 0.5 -- AIRating from which a weapon counts as good

-- Begins to play with a skill from 0 to 7: see BrainSenses.
function BrainWeapons:Start(skill)
	BrainWeapons.super.Start(self, skill)
	self.taste = {} -- by weapon class, how much it likes the weapon
end

-- Whether it has a loaded weapon better than the default ones.
function BrainWeapons:IsWellArmed(pawn)
	for _, weapon in ipairs(pawn:GetWeapons()) do
		if weapon.AIRating >= GOOD and weapon:HasAmmo() then
			return true
		end
	end
	return false
end

-- Returns the facts about the weapon in the hand that a brain needs; see lib.armoury.
function BrainWeapons:WeaponFacts(pawn)
	local weapon = pawn.Weapon
	if not weapon then
		return armoury.bare
	end
	if self.factsOf ~= weapon or self.factsMode ~= self.mode then
		self.factsOf, self.factsMode, self.facts = weapon, self.mode, armoury.Facts(weapon, self.mode)
	end
	return self.facts
end

-- Returns the fire key that suits a weapon at a distance, 0 or 1. The weapon decides (BestMode).
function BrainWeapons:ChooseMode(weapon, distance)
	local mode = weapon and weapon:BestMode(distance, self.Enemy) or 0
	return mode == 1 and weapon.NumFireModes > 1 and 1 or 0 -- a key that does not fire may do something else
end

-- Returns how good a weapon is at a distance, 0 for useless. Each bot has its own preferences.
function BrainWeapons:RateWeapon(weapon, distance)
	if not weapon:HasAmmo() then
		return 0
	end
	local class = weapon:GetClass()
	local taste = self.taste[class]
	if not taste then
		taste = 0.6 + 0.8 * math.random()
		self.taste[class] = taste
	end
	local rating = (weapon.AIRating + 0.05) * taste
	if distance > weapon.AIRange then
		rating = rating * (weapon.AIRange / distance) ^ 2
	end
	local facts = armoury.Facts(weapon, self:ChooseMode(weapon, distance))
	if facts.blast > 0 and distance < facts.blast * 1.2 then
		rating = rating * 0.15
	end
	return rating
end

-- Switches to another weapon if that is better at a distance, and reloads a half-empty one when there is
-- time.
function BrainWeapons:ChooseWeapon(_, pawn, distance)
	local now, weapon = world.TimeSeconds, pawn.Weapon
	if not weapon or now < self.chooseWeaponAt then
		return
	end
	self.chooseWeaponAt = now + WEAPON_PAUSE
	local best, bestRating = weapon, self:RateWeapon(weapon, distance) * 1.1
	for _, other in ipairs(pawn:GetWeapons()) do
		local rating = other ~= weapon and self:RateWeapon(other, distance) or 0
		if rating > bestRating then
			best, bestRating = other, rating
		end
	end
	if best ~= weapon then
		self.weaponKey, self.weaponKeyUntil = best.InventoryGroup, now + 0.2
	elseif not self.Enemy and weapon.ClipSize > 0 and weapon:GetAmmo() * 2 < weapon.ClipSize
		and weapon:GetSpareAmmo() > 0 then
		self.reloadUntil = now + 0.2
	end
end

-- Whether a shot of the weapon in the hand would explode so near that it hurts the shooter.
function BrainWeapons:BlastsItself(pawn, view, distance)
	local near = self:WeaponFacts(pawn).blast * 0.8
	local eyes = pawn:GetViewLocation()
	return near > 0 and (distance < near or not world:FastTrace(eyes, eyes + view:Vector() * near))
end

-- Returns where to aim, seen from the eyes: where the enemy will be when the shot arrives.
function BrainWeapons:AimPoint(pawn, eyes, weapon)
	local seen = self.seen
	local ahead = world.TimeSeconds - seen.time
	local at = seen.Location
	local x, y, z = at.X - eyes.X, at.Y - eyes.Y, at.Z - eyes.Z
	local v = seen.Velocity
	local far = math.sqrt(x * x + y * y + z * z)
	if weapon.speed > 0 then
		ahead = ahead + far / weapon.speed * (0.4 + 0.6 * math.min(1, self.Skill / 4)) -- beginners lead too little
	end
	x, y = x + v.X * ahead, y + v.Y * ahead
	if weapon.blast > 100 and far < 1500 then
		z = z - pawn.CollisionHeight * 0.7 -- at the feet: a projectile that hits the floor explodes, too
	end
	if weapon.gravity ~= 0 and weapon.speed > 0 then
		local t = far / weapon.speed
		z = z + 0.5 * weapon.gravity * t * t
	end
	return x, y, z, far, v
end

return BrainWeapons
