-- Projectile: flies straight on from where it was spawned until it hits something. ProcessTouch and Explode
-- then decide what happens; a child overrides those or changes only the numbers.
--
-- Clients receive most projectiles only once (bNetTemporary): their copies fly, hit and explode on their own,
-- and only the server's does damage. Two kinds stay synchronized with the server instead, and explode when it
-- says so: steered ones (bUpdateSimulatedPosition), and those that may kill with one hit, because a client's
-- own copy may show a hit that did not happen on the server.
local Projectile = class("Projectile", "Actor")

-- If it is younger than this, in seconds, clients may not have received it.
local YOUNG = 0.1

Projectile.properties {
	Speed = float(1000, { min = 0 }), -- uu/s, at the start, along Rotation
	MaxSpeed = float(0, { min = 0 }), -- uu/s, 0 for no limit
	GravityScale = float(0), -- share of the world's gravity: 0 flies straight, 1 falls like a stone
	Bounce = float(0, { min = 0, max = 1 }), -- share of the speed kept after hitting a wall, 0 to stop there
	Damage = float(20, { min = 0 }), -- of a direct hit, or at the centre of DamageRadius
	DamageRadius = float(0, { min = 0 }), -- uu; 0 hurts only the actor that is hit
	Momentum = float(0, { min = 0 }), -- uu/s given to the actor that is hit
	DamageType = str("projectile", { max = 32 }), -- the kind of damage that TakeDamage receives
	KillDamage = float(100, { min = 0 }), -- Damage from which one hit may kill
	ExplosionClass = classref("Actor"), -- spawned where it ends, on each machine; nil for nothing
}

Projectile.defaults {
	Physics = PHYS_Projectile,
	bCollideActors = true,
	bCollideWorld = true,
	CollisionRadius = 4,
	CollisionHeight = 4,
	bNetTemporary = true,
	bNetInitialRotation = true,
	bReplicateInstigator = true, -- on every machine, it does not hit the pawn that fired it
	NetPriority = 2.5,
	LifeSpan = 15, -- seconds, if it never hits anything
}

Projectile.looks { shape = "sphere", size = { 8, 8, 8 }, color = "#ffd23e", glow = 0.9 }

-- A projectile that is steered, or that may kill with one hit, is not bNetTemporary: the server keeps it up
-- to date.
function Projectile.simulated:PreBeginPlay()
	if self.bUpdateSimulatedPosition or self.Damage >= self.KillDamage then
		self.bNetTemporary = false
	end
end

-- On every peer: starts to move, because each copy flies on its own.
function Projectile.simulated:BeginPlay()
	self.born = world.TimeSeconds
	if self.Velocity:Size() == 0 then
		self.Velocity = self.Rotation:Vector() * self.Speed
	end
end

-- Whether this peer decides what it hits: the server, and each client for a copy that flies on its own.
function Projectile.simulated:EndsHere()
	return self.bNetTemporary or self:HasAuthority()
end

-- It touched a blocking actor other than its Instigator: calls ProcessTouch where this peer decides.
function Projectile.simulated:Touch(other)
	if other ~= self.Instigator and other.bBlockActors and self:EndsHere() then
		self:ProcessTouch(other, self.Location)
	end
end

-- It hit a mover (ProcessTouch) or the level (Explode, unless it bounces), where this peer decides.
function Projectile.simulated:HitWall(normal, wall)
	if not self:EndsHere() then
		return
	elseif wall then
		self:ProcessTouch(wall, self.Location)
	elseif self.Bounce == 0 then
		self:Explode(self.Location, normal)
	end
end

-- It hit an actor: damages it and explodes.
function Projectile.simulated:ProcessTouch(other, at)
	local way = self.Velocity:Normal()
	if self:HasAuthority() and self.DamageRadius == 0 then
		other:TakeDamage(self.Damage, self.Instigator, at, way * self.Momentum, self.DamageType)
	end
	if not self.bDeleteMe then
		self:Explode(at, -way)
	end
end

-- Ends the flight at a surface with that normal: the server applies the damage, and each client shows the
-- explosion.
function Projectile.simulated:Explode(at, normal)
	if self.ExplosionClass then
		self:SpawnEffect(self.ExplosionClass, at)
	end
	if self:HasAuthority() then
		if self.DamageRadius > 0 then
			local kind, momentum = self.DamageType, self.Momentum
			self:HurtRadius(self.Damage, self.DamageRadius, self.Instigator, kind, momentum)
			if self.bDeleteMe then
				return -- the damage has destroyed the projectile
			end
		end
		if not self.bNetTemporary or world.TimeSeconds - self.born < YOUNG then
			self:MulticastExplode(at, normal)
		end
	end
	if self:EndsHere() then
		self:Destroy()
	end
end

-- The server tells clients that it exploded: for copies that do not explode without a call, and for
-- projectiles that exploded before any client received them, such as a shot at a wall right in front of the
-- muzzle.
function Projectile.multicast.reliable.simulated:MulticastExplode(at, normal)
	if not self:HasAuthority() then
		self:Explode(at, normal)
	end
end

Projectile.params { MulticastExplode = { vector(0, 0, 0), normal(0, 0, 1) } }

return Projectile
