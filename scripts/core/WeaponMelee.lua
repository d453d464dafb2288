-- WeaponMelee: a weapon for close range. A stroke is a fan of short lines, which are judged as those of a
-- WeaponInstant; a pawn that several of them hit is hurt once.
local WeaponMelee = class("WeaponMelee", "WeaponInstant")

WeaponMelee.properties {
	Arc = float(50, { min = 0, max = 180 }), -- degrees from one end of the fan to the other
}

WeaponMelee.defaults {
	Range = 110, -- uu from the eyes
	PelletsPerShot = 7,
	AmmoPerShot = 0, ClipSize = 0, InitialAmmo = 0, MaxAmmo = 0,
	FireInterval = 0.5,
	Damage = 50,
	DamageType = "blade",
	AIRange = 130,
	AIRating = 0.2,
}

-- Performs a stroke: traces the lines of the fan and hurts each actor once.
function WeaponMelee:FireWeapon(shot)
	self.struck = {}
	WeaponMelee.super.FireWeapon(self, shot)
	self.struck = nil
end

-- Returns the direction of one line of the fan, from 1 to PelletsPerShot, spread evenly over Arc degrees.
function WeaponMelee:GetLine(shot, line)
	local share = self.PelletsPerShot > 1 and (line - 1) / (self.PelletsPerShot - 1) - 0.5 or 0
	local yaw = shot.Yaw + share * self.Arc * 65536 / 360
	return rotator(shot.Pitch, math.floor(yaw) % 65536, 0):Vector()
end

-- Handles a hit of a line; further lines that hit the same actor do nothing.
function WeaponMelee:ProcessHit(shot, hit, direction)
	local key = hit.Actor and hit.Actor:GetId() or 0
	if not self.struck[key] then
		self.struck[key] = true
		WeaponMelee.super.ProcessHit(self, shot, hit, direction)
	end
end

return WeaponMelee
