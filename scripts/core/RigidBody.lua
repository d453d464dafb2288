-- RigidBody: an object that falls, tumbles, rolls, piles up and comes to rest: a crate, a barrel, a ball. The
-- server and every client simulate it. While it is awake the server sends its state, once more exactly when
-- it falls asleep, and then nothing (R10.3). Errors on a client are corrected here.
local RigidBody = class("RigidBody", "Actor")

RigidBody.properties {
	-- Shape and material, read when it begins to play.
	BodyShape = enum("Box", "Sphere"),
	BodyExtent = vector(30, 30, 30), -- uu, half the size along its own axes; X is the radius of a sphere
	Mass = float(50, { min = 0.01, max = 1000000 }), -- kg
	Friction = float(0.6, { min = 0, max = 10 }), -- friction coefficient
	Restitution = float(0.1, { min = 0, max = 1 }), -- share of the speed kept after a bounce
	LinearDamping = float(0.05, { min = 0, max = 100 }), -- share of its velocity lost per second
	AngularDamping = float(0.2, { min = 0, max = 100 }), -- share of its angular velocity lost per second
	GravityScale = float(1), -- share of the world's gravity
	bStartAsleep = false, -- costs nothing until something touches it
	bGenerateHitEvents = false, -- whether RigidBodyCollision, Bump and HitWall are called for its hits

	-- Contact with pawns.
	PushForce = float(120000, { min = 0 }), -- kg uu/s^2, the maximum force of a pawn that walks against it
	HitDamage = float(0, { min = 0 }), -- damage to a pawn, per 100 uu/s above SafeSpeed; 0 never
	SafeSpeed = float(400, { min = 0 }), -- uu/s
	HurtPause = float(1, { min = 0 }), -- least seconds between two hits that hurt the same pawn
	Instigated = float(5, { min = 0 }), -- seconds for which the pawn that pushed it last is responsible

	-- Its replicated state, sent as one unit (R10.1). The engine writes it; docs/bodies.md explains the
	-- factors.
	RigidBodyState = struct {
		Position = quantized(vector(0, 0, 0), 100), -- uu
		Quaternion = vector(0, 0, 0), -- X, Y and Z over 1 + W, times 32767; W follows
		LinVel = vector(0, 0, 0), -- uu/s times 8
		AngVel = vector(0, 0, 0), -- rad/s times 500
		bNewData = local_(false), -- a state was received that physics has not read yet
	},
	SnapDistance = float(100, { min = 0 }), -- uu; a larger error is corrected at once (R10.2)
	CorrectionShare = float(0.2, { min = 0, max = 1 }), -- share of a small error that is corrected at once
	CorrectionTime = float(0.2, { min = 0.02, max = 5 }), -- seconds in which velocity corrects the rest
}

RigidBody.defaults {
	Physics = PHYS_RigidBody,
	bCollideActors = true,
	bCollideWorld = true,
	bBlockActors = true,
	bBlockPlayers = true,
	CollisionRadius = 30,
	CollisionHeight = 30,
	bUpdateSimulatedPosition = false, -- RigidBodyState replicates it more exactly
	bNetInitialRotation = true,
	NetUpdateFrequency = 20,
}

RigidBody.looks { color = "#b9a27c" }

RigidBody.replication {
	{ "RigidBodyState", notify = "always" },
	-- What a level or a spawner sets, so that every peer simulates the same object.
	{
		"BodyShape", "BodyExtent", "Mass", "Friction", "Restitution", "LinearDamping", "AngularDamping",
		"GravityScale", "bStartAsleep",
		when = COND_InitialOnly,
	},
}

-- On a client: a state was received. It is read once there is a body to correct.
function RigidBody.simulated:OnRep_RigidBodyState(_)
	self.RigidBodyState.bNewData = true
	self:ReadRigidBodyState()
end

-- On a client: corrects the body towards the newest state (R10.2). A moving body is corrected a little at
-- once and otherwise through its velocity, so that nobody notices; a resting body, or one that is far off, at
-- once.
function RigidBody.simulated:ReadRigidBodyState()
	if not self.RigidBodyState.bNewData or not self:HasRigidBody() then
		return -- the first state is where its body begins
	end
	self.RigidBodyState.bNewData = false
	local off = self:GetBodyError()
	if self:IsStateAtRest() or off > self.SnapDistance then
		self:CorrectBody(1)
	else
		self:CorrectBody(self.CorrectionShare, self.CorrectionTime)
	end
end

-- It came to rest. The server sends nothing more. On a client, only this peer may have woken it or moved it
-- elsewhere: the server's state counts.
function RigidBody.simulated:OnSleepRBPhysics()
	if not self:HasAuthority() and self:IsStateAtRest() and self:GetBodyError() > 0.02 then
		self:CorrectBody(1)
	end
end

-- A pawn walks against it, or it hit something. A pawn pushes it in its walking direction. A body held still
-- by the game cannot be pushed.
function RigidBody.simulated:Bump(other)
	if other:IsA("Pawn") and not other:HasRigidBody() and self:HasRigidBody() then
		self:PushedBy(other)
	end
end

-- A pawn walks against it: pushes it in the direction the pawn wants to go, at most once a tick and no faster
-- than the pawn walks. It runs on the server and on the machine of the pushing player, who predicts it.
function RigidBody.simulated:PushedBy(pawn)
	if self.pushedAt == world.TimeSeconds then
		return -- once a tick, regardless of how many moves were performed in it
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

-- Makes a pawn responsible for its hits for a while.
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

-- It hit something (with bGenerateHitEvents): a pawn may be hurt.
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

-- Shots and explosions push it; momentum is the velocity that a pawn of 100 kg would gain, in uu/s.
function RigidBody:TakeDamage(_, instigator, at, momentum, _)
	if self:HasAuthority() and momentum and momentum:Size() > 0 and self:HasRigidBody() then
		self:AddImpulse(momentum * 100, at or self.Location)
		if instigator then
			self:NoteInstigator(instigator)
		end
	end
end

return RigidBody
