-- WeaponProjectile: a weapon that fires projectiles. The server spawns the projectile, and clients receive it
-- like any actor.
local WeaponProjectile = class("WeaponProjectile", "Weapon")

WeaponProjectile.properties {
	ProjectileClass = classref("Actor"), -- class for the first mode: a Projectile, or a rigid body
	AltProjectileClass = classref("Actor"), -- class for the second mode; nil: the same
	ProjectilesPerShot = int(1, { min = 1, max = 32 }), -- projectiles per shot
	Spread = float(0, { min = 0, max = 1 }), -- deviation of a shot: the sine of the greatest angle
}

WeaponProjectile.defaults {
	ClipSize = 0, InitialAmmo = 10, MaxAmmo = 30, FireInterval = 0.8, bAutomatic = true,
}

-- Returns the projectile class of a mode: AltProjectileClass for 1 if it is set, else ProjectileClass.
function WeaponProjectile:GetProjectileClass(mode)
	return mode == 1 and self.AltProjectileClass or self.ProjectileClass
end

-- On the server: spawns the projectiles of a shot. A client waits for them.
function WeaponProjectile:FireWeapon(shot)
	if not self:HasAuthority() then
		return -- the server's projectile will arrive
	end
	for i = 1, self.ProjectilesPerShot do
		self:FireProjectile(shot, self:GetSpreadDirection(shot, i, self.Spread))
	end
end

-- Spawns one projectile and returns it.
function WeaponProjectile:FireProjectile(shot, direction)
	local pawn = self:GetPawn()
	local class = self:GetProjectileClass(shot.Mode)
	if not pawn or not class then
		return nil
	end
	-- The muzzle may be inside a wall: the shot must not start on its far side.
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
