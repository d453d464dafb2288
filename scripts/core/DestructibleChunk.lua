-- DestructibleChunk: a piece of a Destructible, on one machine only (R2.3). It flies off, comes to rest and
-- disappears.
local DestructibleChunk = class("DestructibleChunk", "RigidBody")

DestructibleChunk.properties {
	Whole = ref("Destructible"), -- the Destructible it broke off
	Index = int(0, { min = 0, max = 64 }), -- and which
}

DestructibleChunk.defaults {
	Physics = PHYS_None, -- set once its size is known
	LifeSpan = 6, -- seconds
	bBlockPlayers = false, -- other peers do not have it, so it must not block players
	bBlockActors = false,
	BodyExtent = vector(10, 10, 10),
	CollisionRadius = 10,
	CollisionHeight = 10,
}

DestructibleChunk.looks { shape = "box", color = "#b58247" }

-- Breaks the piece off; piece is an element of Destructible:GetPieces.
function DestructibleChunk:Throw(whole, index, piece)
	self.Whole, self.Index = whole, index
	self.BodyExtent = piece.Half
	local size = piece.Half.X * piece.Half.Y * piece.Half.Z
	local all = whole.BodyExtent.X * whole.BodyExtent.Y * whole.BodyExtent.Z
	self.Mass = math.max(0.1, whole.Mass * size / all)
	self:SetRotation(whole.Rotation)
	local out = (self.Location - whole.Location):Normal()
	self.Velocity = whole.Velocity + out * piece.Speed + vector(0, 0, piece.Speed * 0.5)
	self:SetPhysics(PHYS_RigidBody)
	self:SetAngularVelocity(piece.Spin)
end

return DestructibleChunk
