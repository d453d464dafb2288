-- Projectile: flies straight on from where it was spawned until it meets something. What happens then is
-- in ProcessTouch and Explode; a child overrides those or only the numbers.
local Projectile = class("Projectile", "Actor")

Projectile.properties {
	Speed = float(1000, { min = 0 }), -- uu/s, at the start, along Rotation
	MaxSpeed = float(0, { min = 0 }), -- uu/s, 0 for no limit
	GravityScale = float(0), -- share of the world's gravity: 0 flies straight, 1 like a stone
	Bounce = float(0, { min = 0, max = 1 }), -- share of the speed kept off a wall, 0 to stop there
	Damage = float(20, { min = 0 }),
	DamageRadius = float(0, { min = 0 }), -- uu; 0 hurts only what is hit
	Momentum = float(0, { min = 0 }), -- uu/s given to what is hit
	DamageType = str("projectile", { max = 32 }),
}

Projectile.defaults {
	Physics = PHYS_Projectile,
	bCollideActors = true,
	bCollideWorld = true,
	CollisionRadius = 4,
	CollisionHeight = 4,
	bNetInitialRotation = true,
	NetPriority = 2.5,
	LifeSpan = 15, -- seconds, should it never meet anything
}

-- Runs on every peer: the copies fly by themselves.
function Projectile.simulated:BeginPlay()
	if self.Velocity:Size() == 0 then
		self.Velocity = self.Rotation:Vector() * self.Speed
	end
end

function Projectile.simulated:Touch(other)
	if other ~= self.Instigator and other.bBlockActors then
		self:ProcessTouch(other, self.Location)
	end
end

function Projectile.simulated:HitWall(normal, wall)
	if wall then
		self:ProcessTouch(wall, self.Location)
	elseif self.Bounce == 0 then
		self:Explode(self.Location, normal)
	end
end

-- It met an actor.
function Projectile.simulated:ProcessTouch(other, at)
	if self:HasAuthority() and self.DamageRadius == 0 then
		local push = self.Velocity:Normal() * self.Momentum
		other:TakeDamage(self.Damage, self.Instigator, at, push, self.DamageType)
	end
	self:Explode(at, -self.Velocity:Normal())
end

-- The end of its flight, against a surface that faces normal.
function Projectile.simulated:Explode(_, _)
	if self:HasAuthority() and self.DamageRadius > 0 then
		self:HurtRadius(self.Damage, self.DamageRadius, self.Instigator, self.DamageType, self.Momentum)
	end
	self:Destroy()
end

return Projectile
