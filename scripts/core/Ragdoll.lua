-- Ragdoll: the hip of a dead pawn, a rigid body that tumbles and comes to rest. Each machine with a view
-- makes its own when a pawn with this as its RagdollClass dies; it is never replicated, and goes with the pawn.
local Ragdoll = class("Ragdoll", "RigidBody")

Ragdoll.defaults {
	BodyExtent = vector(20, 30, 14), -- uu, half sizes: a body lies flatter than it stood
	Mass = 70,
	Friction = 0.8,
	LinearDamping = 0.2,
	AngularDamping = 1.5, -- limbs take up what turns it
	CollisionRadius = 20,
	CollisionHeight = 14,
	bBlockActors = false,
	bBlockPlayers = false,
	bCollideActors = false,
}

-- The pawn that it carries is what is seen.
Ragdoll.looks { shape = "none" }

-- Takes a dead pawn onto its back: it goes where the hip goes, from how it moved when it died.
function Ragdoll:CarryBody(pawn)
	self.body = pawn
	self.LifeSpan = pawn.CorpseLifeSpan
	pawn:SetPhysics(PHYS_None)
	pawn:SetBase(self, true)
	self:AddImpulse(pawn.Velocity * self.Mass, self.Location + vector(0, 0, 20)) -- above its middle: it tips over
end

return Ragdoll
