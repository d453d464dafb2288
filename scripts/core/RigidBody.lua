-- RigidBody: a thing that falls, tumbles, rolls, piles up and comes to rest: a crate, a barrel, a ball. The
-- server and every client simulate it. While it is awake the server sends its state, once more exactly when
-- it falls asleep, and then nothing (R10.3). Errors on a client are corrected here.
local RigidBody = class("RigidBody", "Actor")

RigidBody.properties {
	-- What it is, read when it begins to play.
	BodyShape = enum("Box", "Sphere"),
	BodyExtent = vector(30, 30, 30), -- uu, half the size along its own axes; of a sphere X is the radius
	Mass = float(50, { min = 0.01, max = 1000000 }), -- kg
	Friction = float(0.6, { min = 0, max = 10 }), -- share of its load that holds it back
	Restitution = float(0.1, { min = 0, max = 1 }), -- share of the speed it bounces back with
	LinearDamping = float(0.05, { min = 0, max = 100 }), -- share of its speed lost a second
	AngularDamping = float(0.2, { min = 0, max = 100 }), -- share of its turning lost a second
	GravityScale = float(1), -- share of the world's gravity
	bStartAsleep = false, -- costs nothing until somebody touches it
	bGenerateHitEvents = false, -- RigidBodyCollision, Bump and HitWall are called for what it hits

	-- How pawns deal with it.
	PushForce = float(120000, { min = 0 }), -- kg uu/s^2, the most a pawn that walks against it pushes with
	HitDamage = float(0, { min = 0 }), -- what it hurts a pawn by, for each 100 uu/s above SafeSpeed; 0 never
	SafeSpeed = float(400, { min = 0 }), -- uu/s
	HurtPause = float(1, { min = 0 }), -- seconds between two hits that hurt the same pawn
	Instigated = float(5, { min = 0 }), -- seconds for which who pushed it last is to blame

	-- How it crosses, in one piece (R10.1). The engine writes it; the factors are those of
	-- docs/bodies.md.
	RigidBodyState = struct {
		Position = quantized(vector(0, 0, 0), 100), -- uu
		Quaternion = vector(0, 0, 0), -- X, Y and Z over 1 + W, times 32767; W follows
		LinVel = vector(0, 0, 0), -- uu/s times 8
		AngVel = vector(0, 0, 0), -- rad/s times 500
		bNewData = local_(false), -- it has come and physics has not read it yet
	},
	SnapDistance = float(100, { min = 0 }), -- uu; a larger error is corrected at once (R10.2)
	CorrectionShare = float(0.2, { min = 0, max = 1 }), -- share of a small error that is corrected at once
	CorrectionTime = float(0.2, { min = 0.02, max = 5 }), -- seconds in which velocity does the rest
}

RigidBody.defaults {
	Physics = PHYS_RigidBody,
	bCollideActors = true,
	bCollideWorld = true,
	bBlockActors = true,
	bBlockPlayers = true,
	CollisionRadius = 30,
	CollisionHeight = 30,
	bUpdateSimulatedPosition = false, -- RigidBodyState says it better
	bNetInitialRotation = true,
	NetUpdateFrequency = 20,
}

RigidBody.looks { color = "#b9a27c" }

RigidBody.replication {
	{ "RigidBodyState", notify = "always" },
	-- What a level or a spawner gave it, so that every peer simulates the same thing.
	{
		"BodyShape", "BodyExtent", "Mass", "Friction", "Restitution", "LinearDamping", "AngularDamping",
		"GravityScale", "bStartAsleep",
		when = COND_InitialOnly,
	},
}

-- On a client: a state was received. It is read when there is a body to correct.
function RigidBody.simulated:OnRep_RigidBodyState(_)
	self.RigidBodyState.bNewData = true
	self:ReadRigidBodyState()
end

-- On a client: brings the body to the state that came last (R10.2). One that moves is corrected a little at
-- once and for the rest by its velocity, so that nobody sees it; one that rests, or is far off, at once.
function RigidBody.simulated:ReadRigidBodyState()
	if not self.RigidBodyState.bNewData or not self:HasRigidBody() then
		return -- the first one of all is where its body begins
	end
	self.RigidBodyState.bNewData = false
	local off = self:GetBodyError()
	if self:IsStateAtRest() or off > self.SnapDistance then
		self:CorrectBody(1)
	else
		self:CorrectBody(self.CorrectionShare, self.CorrectionTime)
	end
end

-- It came to rest. On the server nothing more is said of it. On a client it may be that only this peer woke
-- it, or laid it down elsewhere: the server's word counts.
function RigidBody.simulated:OnSleepRBPhysics()
	if not self:HasAuthority() and self:IsStateAtRest() and self:GetBodyError() > 0.02 then
		self:CorrectBody(1)
	end
end

-- A pawn walks against it, or it hit something. A pawn pushes it in the direction in which it walks. One that a
-- game holds still has no body to push.
function RigidBody.simulated:Bump(other)
	if other:IsA("Pawn") and not other:HasRigidBody() and self:HasRigidBody() then
		self:PushedBy(other)
	end
end

-- A pawn walks against it: pushes it the way the pawn wants to go, at most once a tick and no faster than the
-- pawn walks. It runs on the server and on the machine of the pushing player, who predicts it.
function RigidBody.simulated:PushedBy(pawn)
	if self.pushedAt == world.TimeSeconds then
		return -- once a tick, however many of the player's moves were performed in it
	end
	local mind = pawn.Controller
	if mind and mind:IsA("MoveController") then
		mind:NotePush()
	end
	local wish = pawn.Acceleration
	if wish:Size2D() < 1 then
		wish = pawn.Velocity
	end
	local way = wish:With{ Z = 0 }:Normal()
	local against = way:Dot((self.Location - pawn.Location):With{ Z = 0 }:Normal())
	local gain = pawn.GroundSpeed - self.Velocity:Dot(way)
	if gain <= 0 or against < 0.3 then
		return -- it is faster already, or the pawn only brushes against it
	end
	local most = self.PushForce * against * world.DeltaSeconds
	self.pushedAt = world.TimeSeconds
	self:AddImpulse(way * math.min(gain * self.Mass, most), self.Location)
	self:NoteInstigator(pawn)
end

-- The pawn that is responsible for its hits for a while.
function RigidBody.simulated:NoteInstigator(pawn)
	if self:HasAuthority() then
		self.Instigator = pawn
		self:SetTimer(self.Instigated, false, "ForgetInstigator")
	end
end

-- The pawn that pushed it last is no longer responsible for its hits.
function RigidBody:ForgetInstigator()
	self.Instigator = nil
end

-- It hit something (with bGenerateHitEvents): a pawn may be hurt by it.
function RigidBody:RigidBodyCollision(other, at, normal, _, speed)
	if self.HitDamage == 0 or not other or not other:IsA("Pawn") or self.Instigator == other then
		return
	end
	local again = self.hurt == other and world.TimeSeconds - self.hurtTime < self.HurtPause
	if speed > self.SafeSpeed and not again then
		self.hurt, self.hurtTime = other, world.TimeSeconds
		local damage = self.HitDamage * (speed - self.SafeSpeed) / 100
		other:TakeDamage(damage, self.Instigator, at, normal * -speed * 0.3, "crushed")
	end
end

-- Shots and explosions push it; momentum is what they would give a pawn of 100 kg, in uu/s.
function RigidBody:TakeDamage(_, instigator, at, momentum, _)
	if self:HasAuthority() and momentum and momentum:Size() > 0 and self:HasRigidBody() then
		self:AddImpulse(momentum * 100, at or self.Location)
		if instigator then
			self:NoteInstigator(instigator)
		end
	end
end

return RigidBody
