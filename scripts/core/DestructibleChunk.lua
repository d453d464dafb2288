-- DestructibleChunk: a piece of a Destructible, on one machine only (R2.3): it flies off, comes to rest and
-- goes.
local DestructibleChunk = class("DestructibleChunk", "RigidBody")

DestructibleChunk.properties {
	Whole = ref("Destructible"), -- what it is a piece of
	Index = int(0, { min = 0, max = 64 }), -- and which
}

DestructibleChunk.defaults {
	Physics = PHYS_None, -- until it has its size
	LifeSpan = 6, -- seconds
	bBlockPlayers = false, -- nobody is stopped by what others do not have
	bBlockActors = false,
	BodyExtent = vector(10, 10, 10),
	CollisionRadius = 10,
	CollisionHeight = 10,
}

DestructibleChunk.looks { shape = "box", color = "#b58247" }

-- It breaks off: piece is what Destructible:GetPieces says of it.
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
