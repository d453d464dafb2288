-- Grenade: a ball that flies, bounces and rolls as a rigid body, and explodes when its fuse has burnt down,
-- or at once when it hits a pawn. The server and every client simulate it (see RigidBody).
--
-- The player who throws one sees it at once: their machine spawns a copy, and the server's grenade continues
-- from that copy when it arrives (R9.9). Throw matches the two.
local Grenade = class("Grenade", "RigidBody")

Grenade.properties {
	Speed = float(1000, { min = 0 }), -- uu/s, at the start, along Rotation
	Fuse = float(2.2, { min = 0.1, max = 30 }), -- seconds until it explodes
	Damage = float(90, { min = 0 }), -- at the centre, less farther out
	DamageRadius = float(300, { min = 0 }), -- uu
	Momentum = float(450, { min = 0 }), -- uu/s given to actors nearby
	Launcher = ref("GrenadeLauncher"), -- the weapon that threw it
	Throw = int(0, { min = 0, max = 65535 }), -- the number of that shot
}

Grenade.defaults {
	BodyShape = "Sphere",
	BodyExtent = vector(9, 9, 9),
	CollisionRadius = 9,
	CollisionHeight = 9,
	Mass = 5, -- kg
	Restitution = 0.45,
	AngularDamping = 1.5,
	bBlockPlayers = false, -- it touches pawns, but does not block them
	bGenerateHitEvents = true,
	bSkipActorPropertyReplication = true, -- RigidBodyState contains all that clients need
	SnapDistance = 400, -- uu; the client's copy is ahead of the server's by a round trip
	NetPriority = 2.5,
}

-- A green ball with a band that glows, and a trail of sparks.
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

-- Throws it, on the server, and on a client for the client's own copy.
function Grenade:BeginPlay()
	self.Velocity = self.Rotation:Vector() * self.Speed
	if world.NetMode == NM_Client then
		self.LifeSpan = 1 -- the server rejected the shot if its grenade has not arrived by then
	else
		self:SetTimer(self.Fuse, false, "Explode")
	end
end

-- On a client: the server's grenade has arrived. Its body exists by the end of the tick.
function Grenade.simulated:PostNetBeginPlay()
	if not self:HasAuthority() then
		self:SetTimer(0.001, false, "GoOnFromShown")
	end
end

-- If this machine has shown the throw already, the server's grenade continues from there, and is gradually
-- moved to the server's location.
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

-- It hit something hard: plays the sound of a bounce.
function Grenade.simulated:RigidBodyCollision(_, _, _, _, speed)
	if speed > 100 then
		self:PlaySound("sounds/bounce.toml")
	end
end

-- On the server: explodes.
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

-- Shows the explosion, on every machine.
function Grenade.multicast.reliable.simulated:MulticastExplode(at)
	self:SpawnEffect("Explosion", at)
	self:PlaySound("sounds/boom.toml")
end
Grenade.params { MulticastExplode = { vector(0, 0, 0) } }

-- Ignores damage except its push: only the fuse and a hit set it off.
function Grenade:TakeDamage(_, instigator, at, momentum, kind)
	Grenade.super.TakeDamage(self, 0, instigator, at, momentum * 0.05, kind)
end

return Grenade
