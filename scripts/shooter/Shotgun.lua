-- Shotgun: the barnacle. Nine pellets in a cone: deadly at arm's length, a nuisance across a hall. The
-- second key fires a slug instead: one ball, which goes straight.
local Shotgun = class("Shotgun", "WeaponInstant")

Shotgun.properties {
	SlugDamage = float(45, { min = 0 }), -- of a slug
	SlugSpread = float(0.01, { min = 0, max = 1 }), -- the sine of the widest angle by which it strays
	SlugInterval = float(1.1, { min = 0.02, max = 60 }), -- seconds from one to the next shot
	SlugRange = float(650, { min = 0 }), -- uu from which on a bot fires it
}

Shotgun.defaults {
	ItemName = "barnacle",
	InventoryGroup = 3,
	AttachmentClass = "ShotgunAttachment",
	NumFireModes = 2,
	PelletsPerShot = 9,
	Spread = 0.07, -- the sine of the widest pellet's angle
	Range = 3000, -- uu
	FireInterval = 0.9, -- seconds
	ClipSize = 6, InitialAmmo = 12, MaxAmmo = 36, -- rounds
	ReloadTime = 2.2, -- seconds
	Damage = 10, -- a pellet
	Momentum = 60, -- uu/s a pellet
	bDropOnDeath = true, -- a pawn that dies with it drops it
	DamageType = "shotgun",
	AIRange = 1500, -- uu
	AIRating = 0.7,
}

-- Near by a cone of pellets hits more, further away a slug does.
function Shotgun:BestMode(distance, _)
	return distance > self.SlugRange and 1 or 0
end

-- Seconds between two shots of a mode: SlugInterval for slugs.
function Shotgun:GetFireInterval(mode)
	return mode == 1 and self.SlugInterval or self.FireInterval
end

-- Balls in a shot: one slug in mode 1, else PelletsPerShot.
function Shotgun:GetPellets(mode)
	return mode == 1 and 1 or self.PelletsPerShot
end

-- The direction of one of its balls; a slug strays by SlugSpread.
function Shotgun:GetLine(shot, line)
	return self:GetSpreadDirection(shot, line, shot.Mode == 1 and self.SlugSpread or self.Spread)
end

-- What one of its balls does: SlugDamage for a slug.
function Shotgun:GetDamage(shot, hit)
	return shot.Mode == 1 and self.SlugDamage or Shotgun.super.GetDamage(self, shot, hit)
end

-- It is being reloaded: the player's machine shows that at once, the server tells everybody else.
function Shotgun:PlayReload()
	local pawn = self:GetPawn()
	if pawn then
		pawn:PlayMontage("animations/reload.toml", nil, 1.6 / self.ReloadTime)
		pawn:PlaySound("sounds/reload.toml")
	end
end

return Shotgun
