-- Grenade: a ball that flies, bounces and rolls as bodies do, and goes off when its fuse has burnt down, or
-- at once when it hits a pawn. The server simulates it and so does every client (see RigidBody).
--
-- The player who throws one sees it at once: their machine spawns one of its own, and the server's
-- continues from there when it arrives (R9.9). Throw matches the two.
local Grenade = class("Grenade", "RigidBody")

Grenade.properties {
	Speed = float(1000, { min = 0 }), -- uu/s, at the start, along Rotation
	Fuse = float(2.2, { min = 0.1, max = 30 }), -- seconds until it goes off by itself
	Damage = float(90, { min = 0 }), -- at the middle, less further out
	DamageRadius = float(300, { min = 0 }), -- uu
	Momentum = float(450, { min = 0 }), -- uu/s given to what is near
	Launcher = ref("GrenadeLauncher"), -- what threw it
	Throw = int(0, { min = 0, max = 65535 }), -- and the number of that shot
}

Grenade.defaults {
	BodyShape = "Sphere",
	BodyExtent = vector(9, 9, 9),
	CollisionRadius = 9,
	CollisionHeight = 9,
	Mass = 5, -- kg
	Restitution = 0.45,
	AngularDamping = 1.5,
	bBlockPlayers = false, -- it touches pawns, and they do not stumble over it
	bGenerateHitEvents = true,
	bSkipActorPropertyReplication = true, -- RigidBodyState says all that clients need
	SnapDistance = 400, -- uu; what was thrown here is ahead of the server's by a round trip
	NetPriority = 2.5,
}

-- A green ball with a band that glows, and a thread of sparks.
Grenade.looks {
	shape = "sphere", color = "#6fd13c", glow = 0.15,
	parts = {
		{ shape = "cylinder", size = { 19, 19, 4 }, color = "#ffef5a", glow = 0.9 },
		{ shape = "cylinder", at = { 0, 0, 10 }, size = { 6, 6, 5 }, color = "#33402a" },
	},
	trail = "effects/fuse.toml",
	light = { color = "#c8ff5a", radius = 120, intensity = 0.6 },
}

Grenade.replication {
	{ "Launcher", "Throw", when = COND_OwnerOnly },
}

-- On the server, and for the one that a client made for itself: it is thrown.
function Grenade:BeginPlay()
	self.Velocity = self.Rotation:Vector() * self.Speed
	if world.NetMode == NM_Client then
		self.LifeSpan = 1 -- the server refused the shot, if its own has not come by then
	else
		self:SetTimer(self.Fuse, false, "Explode")
	end
end

-- On a client: the server's has come. Its body is there by the end of the tick.
function Grenade.simulated:PostNetBeginPlay()
	if not self:HasAuthority() then
		self:SetTimer(0.001, false, "GoOnFromShown")
	end
end

-- If this machine has shown the throw already, the server's grenade goes on from there, and is
-- drawn back to where the server says little by little.
function Grenade.simulated:GoOnFromShown()
	local shown = self.Launcher and self.Launcher:TakeShown(self.Throw)
	if shown then
		self:SetLocation(shown.Location)
		self.Velocity = shown.Velocity
		shown:Destroy()
	end
end

-- It hit a pawn other than the one that threw it.
function Grenade:Touch(other)
	if other:IsA("Pawn") and other ~= self.Instigator and world.NetMode ~= NM_Client then
		self:Explode()
	end
end

-- It bounces.
function Grenade.simulated:RigidBodyCollision(_, _, _, _, speed)
	if speed > 100 then
		self:PlaySound("sounds/bounce.toml")
	end
end

-- On the server: it goes off.
function Grenade:Explode()
	if self.bDeleteMe then
		return
	end
	self:MulticastExplode(self.Location)
	self:HurtRadius(self.Damage, self.DamageRadius, self.Instigator, "grenade", self.Momentum)
	if not self.bDeleteMe then -- the damage may have destroyed it
		self:Destroy()
	end
end

-- How that looks and sounds, everywhere.
function Grenade.multicast.reliable.simulated:MulticastExplode(at)
	self:SpawnEffect("Explosion", at)
	self:PlaySound("sounds/boom.toml")
end
Grenade.params { MulticastExplode = { vector(0, 0, 0) } }

-- Nothing else breaks it.
function Grenade:TakeDamage(_, instigator, at, momentum, kind)
	Grenade.super.TakeDamage(self, 0, instigator, at, momentum * 0.05, kind)
end

return Grenade
