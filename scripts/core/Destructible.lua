-- Destructible: a body that breaks into chunks when it is hurt or hit hard enough (R12.8). The server decides
-- what breaks, and says so by a seed and the state of each chunk; each client builds the same pieces from the
-- seed, by itself, and throws them about: they are for the eyes, unknown to the server, and gone after a
-- while.
local Destructible = class("Destructible", "RigidBody")

-- How many chunks there are at most. CHUNKS says the same for the array below.
local MOST = 16

Destructible.properties {
	ChunksX = int(2, { min = 1, max = 4 }), -- pieces along each of its own axes; at most 16 in all
	ChunksY = int(2, { min = 1, max = 4 }), -- to the right
	ChunksZ = int(2, { min = 1, max = 4 }), -- upwards
	ChunkClass = classref("DestructibleChunk"), -- what a piece is on clients

	bSimulatePhysics = true, -- it can be pushed; without, it stands where it is until it breaks
	ChunkHealth = float(20, { min = 0 }), -- damage a chunk takes before it breaks off
	DamageThreshold = float(5, { min = 0 }), -- less damage than this does nothing
	ImpactThreshold = float(20000, { min = 0 }), -- kg uu/s; a blow harder than this is damage
	ImpactDamage = float(1, { min = 0 }), -- damage for each thousand kg uu/s above it
	BreakShare = float(0.5, { min = 0, max = 1 }), -- with so much of it gone, the rest goes, too
	ScatterSpeed = float(220, { min = 0 }), -- uu/s at which pieces fly off

	Seed = int(0, { min = 0, max = 65535 }), -- from which pieces are cut and fly; the server draws it
	Chunks = array(enum("Whole", "Broken"), 16), -- each of its own: only what changed crosses
	bBroken = false, -- all of it: what is left is gone
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

-- The server draws the seed before any client receives the actor.
function Destructible:PreBeginPlay()
	if self.Seed == 0 then
		self.Seed = math.random(1, 65535)
	end
	if not self.bSimulatePhysics then
		self:SetPhysics(PHYS_None)
	end
end

-- All that came with it is there: what was broken before this peer heard of it is not shown breaking.
function Destructible.simulated:PostNetBeginPlay()
	self.shown = {}
	for i = 1, self:CountChunks() do
		self.shown[i] = self.Chunks[i] == "Broken" or self.bBroken
	end
	self.healths = {}
end

-- The number of pieces it breaks into: the product of ChunksX, ChunksY and ChunksZ, at most 16.
function Destructible.simulated:CountChunks()
	return math.min(MOST, self.ChunksX * self.ChunksY * self.ChunksZ)
end

-- The pieces, from the seed alone and so the same on every peer: for each where its middle lies in the whole
-- (uu along its own axes), half its size, and which way it flies. Cuts are a little off the even.
function Destructible.simulated:GetPieces()
	local seed = self.Seed
	local function draw()
		seed = (seed * 16807) % 2147483647 -- Park and Miller's; exact in whole numbers
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

-- Where the middle of a piece is in the world.
function Destructible.simulated:PlaceOf(piece)
	local forward, right, up = self.Rotation:Axes()
	local m = piece.Middle
	return self.Location + forward * m.X + right * m.Y + up * m.Z
end

-- What breaks is the server's to say.

-- On the server: damage of at least DamageThreshold hurts the pieces near at, its middle by default.
function Destructible:TakeDamage(amount, instigator, at, momentum, kind)
	Destructible.super.TakeDamage(self, amount, instigator, at, momentum, kind)
	if self:HasAuthority() and amount >= self.DamageThreshold then
		self:HurtChunks(amount, at or self.Location, instigator)
	end
end

-- A blow: of its own fall, or of what runs into it.
function Destructible:RigidBodyCollision(other, at, normal, impulse, speed)
	Destructible.super.RigidBodyCollision(self, other, at, normal, impulse, speed)
	if impulse > self.ImpactThreshold and not self.bDeleteMe then
		self:HurtChunks((impulse - self.ImpactThreshold) / 1000 * self.ImpactDamage, at, self.Instigator)
	end
end

-- Damage goes to the chunk nearest to a place, and what is left of it to the next.
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

-- With too little left, all of it goes.
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
	self:SetTimer(2, false, "Gone") -- those who are near have heard of it by then
end

-- All of it is broken: a child leaves something behind here, or blows up.
function Destructible:BrokenBy(_) end

-- On the server: all of it broke a while ago, and clients have seen that; it is destroyed.
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

-- One piece, for the eyes of this machine.
function Destructible.simulated:ThrowPiece(index, piece)
	local place = self:PlaceOf(piece)
	local chunk = self:SpawnEffect(self.ChunkClass, place)
	if chunk then
		chunk:Throw(self, index, piece)
	end
end

return Destructible
