-- Shotgun: the barnacle. It fires nine pellets in a cone: deadly at close range, weak at a distance. The
-- second key fires a slug instead: one ball that flies straight.
local Shotgun = class("Shotgun", "WeaponInstant")

Shotgun.properties {
	SlugDamage = float(45, { min = 0 }), -- damage of a slug
	SlugSpread = float(0.01, { min = 0, max = 1 }), -- deviation of a slug: the sine of the greatest angle
	SlugInterval = float(1.1, { min = 0.02, max = 60 }), -- seconds between two slugs
	SlugRange = float(650, { min = 0 }), -- uu from which bots fire slugs
}

Shotgun.defaults {
	ItemName = "barnacle",
	InventoryGroup = 3,
	AttachmentClass = "ShotgunAttachment",
	NumFireModes = 2,
	PelletsPerShot = 9,
	Spread = 0.07, -- deviation of a pellet: the sine of the greatest angle
	Range = 3000, -- uu
	FireInterval = 0.9, -- seconds
	ClipSize = 6, InitialAmmo = 12, MaxAmmo = 36, -- rounds
	ReloadTime = 2.2, -- seconds
	Damage = 10, -- a pellet
	Momentum = 60, -- uu/s per pellet
	bDropOnDeath = true, -- a pawn that dies with it drops it
	DamageType = "shotgun",
	AIRange = 1500, -- uu
	AIRating = 0.7,
}

-- At close range a cone of pellets hits more, farther away a slug does.
function Shotgun:BestMode(distance, _)
	return distance > self.SlugRange and 1 or 0
end

-- Returns the seconds between two shots of a mode: SlugInterval for slugs.
function Shotgun:GetFireInterval(mode)
	return mode == 1 and self.SlugInterval or self.FireInterval
end

-- Returns the number of balls in a shot: one slug in mode 1, else PelletsPerShot.
function Shotgun:GetPellets(mode)
	return mode == 1 and 1 or self.PelletsPerShot
end

-- Returns the direction of one ball; a slug deviates by SlugSpread.
function Shotgun:GetLine(shot, line)
	return self:GetSpreadDirection(shot, line, shot.Mode == 1 and self.SlugSpread or self.Spread)
end

-- Returns the damage of one ball: SlugDamage for a slug.
function Shotgun:GetDamage(shot, hit)
	return shot.Mode == 1 and self.SlugDamage or Shotgun.super.GetDamage(self, shot, hit)
end

-- A reload begins: the player's machine shows it at once, and the server replicates it to everybody else.
function Shotgun:PlayReload()
	local pawn = self:GetPawn()
	if pawn then
		pawn:PlayMontage("animations/reload.toml", nil, 1.6 / self.ReloadTime)
		pawn:PlaySound("sounds/reload.toml")
	end
end

return Shotgun
