-- WeaponProjectile: a weapon whose shots fly. The server makes the projectile; clients receive it like any
-- actor.
local WeaponProjectile = class("WeaponProjectile", "Weapon")

WeaponProjectile.properties {
	ProjectileClass = classref("Actor"), -- of the first mode: a Projectile, or a body
	AltProjectileClass = classref("Actor"), -- of the second; nil: the same
	ProjectilesPerShot = int(1, { min = 1, max = 32 }), -- projectiles that one shot makes
	Spread = float(0, { min = 0, max = 1 }), -- how far a shot strays: the sine of the greatest angle
}

WeaponProjectile.defaults {
	ClipSize = 0, InitialAmmo = 10, MaxAmmo = 30, FireInterval = 0.8, bAutomatic = true,
}

-- The class of what a mode fires: AltProjectileClass for 1 where there is one, else ProjectileClass.
function WeaponProjectile:GetProjectileClass(mode)
	return mode == 1 and self.AltProjectileClass or self.ProjectileClass
end

-- On the server: spawns the projectiles of a shot. A client waits for them.
function WeaponProjectile:FireWeapon(shot)
	if not self:HasAuthority() then
		return -- the server's projectile is on its way
	end
	for i = 1, self.ProjectilesPerShot do
		self:FireProjectile(shot, self:GetSpreadDirection(shot, i, self.Spread))
	end
end

-- Makes one projectile. Returns it.
function WeaponProjectile:FireProjectile(shot, direction)
	local pawn = self:GetPawn()
	local class = self:GetProjectileClass(shot.Mode)
	if not pawn or not class then
		return nil
	end
	-- Not through a wall that the muzzle reaches into.
	local eyes = pawn:GetViewLocation()
	local muzzle = eyes + direction * self.MuzzleForward
	local hit = pawn:Trace(eyes, muzzle, { actors = false })
	return self:Spawn(class, {
		Location = hit and hit.Location + hit.Normal * 2 or muzzle,
		Rotation = direction:Rotation(),
		Owner = pawn,
		Instigator = pawn,
	})
end

return WeaponProjectile
