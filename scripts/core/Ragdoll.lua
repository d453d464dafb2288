-- Ragdoll: the hip of a dead pawn, a rigid body that tumbles and comes to rest. When a pawn with this as its
-- RagdollClass dies, each machine with a view spawns its own. It is never replicated, and is destroyed with
-- the pawn.
local Ragdoll = class("Ragdoll", "RigidBody")

Ragdoll.defaults {
	BodyExtent = vector(20, 30, 14), -- uu, half sizes: a lying body is flatter than a standing one
	Mass = 70,
	Friction = 0.8,
	LinearDamping = 0.2,
	AngularDamping = 1.5, -- limbs absorb rotation
	CollisionRadius = 20,
	CollisionHeight = 14,
	bBlockActors = false,
	bBlockPlayers = false,
	bCollideActors = false,
}

-- Not drawn: only the pawn attached to it is visible.
Ragdoll.looks { shape = "none" }

-- Attaches a dead pawn to the hip, which starts with the pawn's velocity at its death.
function Ragdoll:CarryBody(pawn)
	self.body = pawn
	self.LifeSpan = pawn.CorpseLifeSpan
	pawn:SetPhysics(PHYS_None)
	pawn:SetBase(self, true)
	self:AddImpulse(pawn.Velocity * self.Mass, self.Location + vector(0, 0, 20)) -- above the centre: it tips over
end

return Ragdoll
