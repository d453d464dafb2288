-- Destructible: a rigid body that breaks into chunks when it is damaged or hit hard enough (R12.8). The
-- server decides what breaks and replicates a seed and the state of each chunk. Each client computes the same
-- pieces from the seed and throws them around. These pieces are cosmetic: the server does not know them, and
-- they disappear after a while.
local Destructible = class("Destructible", "RigidBody")

-- Maximum number of chunks. It must match the array size of Chunks below.
local MOST = 16

Destructible.properties {
	ChunksX = int(2, { min = 1, max = 4 }), -- pieces along its own X axis; at most 16 in all
	ChunksY = int(2, { min = 1, max = 4 }), -- to the right
	ChunksZ = int(2, { min = 1, max = 4 }), -- upwards
	ChunkClass = classref("DestructibleChunk"), -- class of the pieces on clients

	bSimulatePhysics = true, -- it can be pushed; if false, it stands still until it breaks
	ChunkHealth = float(20, { min = 0 }), -- damage a chunk takes before it breaks off
	DamageThreshold = float(5, { min = 0 }), -- smaller amounts of damage are ignored
	ImpactThreshold = float(20000, { min = 0 }), -- kg uu/s; a harder impact causes damage
	ImpactDamage = float(1, { min = 0 }), -- damage for each thousand kg uu/s above ImpactThreshold
	BreakShare = float(0.5, { min = 0, max = 1 }), -- once this share is broken, the rest breaks, too
	ScatterSpeed = float(220, { min = 0 }), -- uu/s at which pieces fly off

	Seed = int(0, { min = 0, max = 65535 }), -- the server chooses it
	Chunks = array(enum("Whole", "Broken"), 16), -- state of each chunk: only changed ones are sent
	bBroken = false, -- all of it is broken, and what was left is gone
}

Destructible.defaults {
	ChunkClass = "DestructibleChunk",
	bGenerateHitEvents = true,
}

Destructible.looks {
	color = "#c9964f",
	on = { ShowChunks = "effects/splinters.toml" },
}

Destructible.replication {
	{ "Seed", "ChunksX", "ChunksY", "ChunksZ", when = COND_InitialOnly },
	{ "Chunks", notify = true },
	{ "bBroken", notify = true },
}

-- The server chooses the seed before any client receives the actor.
function Destructible:PreBeginPlay()
	if self.Seed == 0 then
		self.Seed = math.random(1, 65535)
	end
	if not self.bSimulatePhysics then
		self:SetPhysics(PHYS_None)
	end
end

-- The initial state has arrived: chunks that broke before are not shown breaking.
function Destructible.simulated:PostNetBeginPlay()
	self.shown = {}
	for i = 1, self:CountChunks() do
		self.shown[i] = self.Chunks[i] == "Broken" or self.bBroken
	end
	self.healths = {}
end

-- Returns the number of pieces it breaks into: the product of ChunksX, ChunksY and ChunksZ, at most 16.
function Destructible.simulated:CountChunks()
	return math.min(MOST, self.ChunksX * self.ChunksY * self.ChunksZ)
end

-- Returns the pieces, computed from the seed alone and therefore equal on every peer: for each, its centre
-- within the whole (uu along its own axes), half its size, and the direction in which it flies. The cuts are
-- slightly uneven.
function Destructible.simulated:GetPieces()
	local seed = self.Seed
	local function draw()
		seed = (seed * 16807) % 2147483647 -- the generator of Park and Miller; exact in whole numbers
		return seed / 2147483647
	end
	local function cuts(n, half)
		local at = { -half }
		for i = 1, n - 1 do
			at[i + 1] = -half + 2 * half * (i + 0.4 * (draw() - 0.5)) / n
		end
		at[n + 1] = half
		return at
	end
	local e = self.BodyExtent
	local xs, ys, zs = cuts(self.ChunksX, e.X), cuts(self.ChunksY, e.Y), cuts(self.ChunksZ, e.Z)
	local pieces = {}
	for i = 1, self.ChunksX do
		for j = 1, self.ChunksY do
			for k = 1, self.ChunksZ do
				local half = vector(xs[i + 1] - xs[i], ys[j + 1] - ys[j], zs[k + 1] - zs[k]) * 0.5
				table.insert(pieces, {
					Middle = vector(xs[i] + xs[i + 1], ys[j] + ys[j + 1], zs[k] + zs[k + 1]) * 0.5,
					Half = half * 0.9,
					Spin = vector(draw() - 0.5, draw() - 0.5, draw() - 0.5) * 12,
					Speed = (0.6 + 0.8 * draw()) * self.ScatterSpeed,
				})
			end
		end
	end
	return pieces
end

-- Returns the world location of a piece's centre.
function Destructible.simulated:PlaceOf(piece)
	local forward, right, up = self.Rotation:Axes()
	local m = piece.Middle
	return self.Location + forward * m.X + right * m.Y + up * m.Z
end

-- The server decides what breaks.

-- On the server: damage of at least DamageThreshold hurts the pieces nearest to at; by default, nearest to
-- the centre.
function Destructible:TakeDamage(amount, instigator, at, momentum, kind)
	Destructible.super.TakeDamage(self, amount, instigator, at, momentum, kind)
	if self:HasAuthority() and amount >= self.DamageThreshold then
		self:HurtChunks(amount, at or self.Location, instigator)
	end
end

-- An impact: it fell on something, or something hit it.
function Destructible:RigidBodyCollision(other, at, normal, impulse, speed)
	Destructible.super.RigidBodyCollision(self, other, at, normal, impulse, speed)
	if impulse > self.ImpactThreshold and not self.bDeleteMe then
		self:HurtChunks((impulse - self.ImpactThreshold) / 1000 * self.ImpactDamage, at, self.Instigator)
	end
end

-- Damages the chunk nearest to a location; the remaining damage goes to the next chunk.
function Destructible:HurtChunks(amount, at, instigator)
	local order = {}
	for i, piece in ipairs(self:GetPieces()) do
		if i <= MOST and self.Chunks[i] == "Whole" then
			table.insert(order, { index = i, far = (self:PlaceOf(piece) - at):Size() })
		end
	end
	table.sort(order, function(a, b) return a.far < b.far or a.far == b.far and a.index < b.index end)
	for _, entry in ipairs(order) do
		if amount <= 0 then
			break
		end
		local health = self.healths[entry.index] or self.ChunkHealth
		local taken = math.min(health, amount)
		self.healths[entry.index] = health - taken
		amount = amount - taken
		if health - taken <= 0 then
			self.Chunks[entry.index] = "Broken"
		end
	end
	self:CheckBroken(instigator)
	self:ShowChunks()
end

-- If too little is left, breaks all of it.
function Destructible:CheckBroken(instigator)
	local broken, all = 0, self:CountChunks()
	for i = 1, all do
		if self.Chunks[i] == "Broken" then
			broken = broken + 1
		end
	end
	if self.bBroken or broken == 0 or broken < all * self.BreakShare then
		return
	end
	for i = 1, all do
		self.Chunks[i] = "Broken"
	end
	self.bBroken = true
	self:SetPhysics(PHYS_None)
	self:SetCollision(false, false, false)
	self.bHidden = true
	self:ForceNetUpdate()
	self:BrokenBy(instigator)
	self:SetTimer(2, false, "Gone") -- nearby clients have received it by then
end

-- All of it is broken: a child class spawns debris or explodes here.
function Destructible:BrokenBy(_) end

-- On the server: everything broke a while ago, and clients have seen that; destroys the actor.
function Destructible:Gone()
	self:Destroy()
end

-- What everybody sees.

-- On a client: the state of the pieces was received; shows what broke off.
function Destructible.simulated:OnRep_Chunks(_)
	self:ShowChunks()
end

-- On a client: bBroken was received; a broken one no longer collides, and its last pieces are shown.
function Destructible.simulated:OnRep_bBroken(_)
	if self.bBroken then
		self:SetCollision(false, false, false)
		self:SetPhysics(PHYS_None)
	end
	self:ShowChunks()
end

-- Throws off each piece that is broken and was not shown so yet.
function Destructible.simulated:ShowChunks()
	if not self.shown then
		return -- what came with it; see PostNetBeginPlay
	end
	local pieces
	for i = 1, self:CountChunks() do
		if self.Chunks[i] == "Broken" and not self.shown[i] then
			pieces = pieces or self:GetPieces()
			self.shown[i] = true
			self:ThrowPiece(i, pieces[i])
		end
	end
end

-- Throws one piece, on this machine only.
function Destructible.simulated:ThrowPiece(index, piece)
	local place = self:PlaceOf(piece)
	local chunk = self:SpawnEffect(self.ChunkClass, place)
	if chunk then
		chunk:Throw(self, index, piece)
	end
end

return Destructible
