-- Pickup: an item in the level that a pawn takes by touching it. It respawns after a while.
local Pickup = class("Pickup", "Actor")

Pickup.properties {
	RespawnTime = float(20, { min = 0, max = 3600 }), -- seconds; 0 never respawns
	Amount = int(25, { min = 0, max = 10000 }), -- amount of what it gives
	bAvailable = true, -- whether it can be taken now
}

Pickup.defaults {
	bCollideActors = true,
	CollisionRadius = 30,
	CollisionHeight = 30,
}

Pickup.replication {
	{ "bAvailable", notify = true },
}

-- It rotates, floats up and down, and glows: the most saturated color in a calm level.
Pickup.looks {
	shape = "box", size = { 26, 26, 26 }, color = "#ffd75a", glow = 0.35, spin = 90, bob = 6,
	light = { color = "#ffd75a", radius = 140, intensity = 0.7 },
	trail = "effects/glow.toml",
	on = { PlayTaken = "effects/pickup.toml", PlayBack = "effects/respawn.toml" },
}

-- On a client: it was taken, or has respawned.
function Pickup.simulated:OnRep_bAvailable(_)
	if self.bAvailable then
		self:PlayBack()
	else
		self:PlayTaken()
	end
end

-- It was taken; called on every machine. A child may show more than the effect that the looks name in `on`.
function Pickup.simulated:PlayTaken() end

-- It has respawned; called on every machine.
function Pickup.simulated:PlayBack() end

Pickup.auto_state = "Waiting"

Pickup.state("Waiting", {})

-- It has respawned: a pawn that already stands on it takes it, too.
function Pickup.state.Waiting:BeginState(_)
	for _, other in ipairs(self:Touching("Pawn")) do
		if self:IsInState("Waiting") then
			self:Touch(other)
		end
	end
end

function Pickup.state.Waiting:Touch(other)
	if other:IsA("Pawn") and self:CanGive(other) and self:Give(other) ~= false then
		self:GotoState("Taken")
	end
end

Pickup.state("Taken", {})

function Pickup.state.Taken:BeginState(_)
	local again = self.RespawnTime > 0 and not (world.Game and not world.Game:ShouldRespawn(self))
	self.respawnAt = again and world.TimeSeconds + self.RespawnTime or nil
	self.bAvailable = false
	self.bHidden = true
	self:SetCollision(false)
	self:PlayTaken()
end

-- It also runs when a saved world is loaded, which may be in the middle of the pause: hence a time, no length,
-- and what was decided when it was taken. The match may be over by then.
function Pickup.state.Taken:Code()
	if not self.respawnAt then
		self:Destroy()
		return
	end
	SleepUntil(self.respawnAt)
	self:GotoState("Waiting")
end

function Pickup.state.Taken:EndState(_)
	self.bAvailable = true
	self.bHidden = false
	self:SetCollision(true)
	self:PlayBack()
end

-- Whether a pawn may take it now.
function Pickup:CanGive(pawn)
	return pawn.Health > 0 and pawn.Health < pawn.HealthMax
end

-- Gives its content to the pawn: here it heals. A child gives something else, and returns false if the pawn
-- could not take it after all.
function Pickup:Give(pawn)
	pawn.Health = math.min(pawn.HealthMax, pawn.Health + self.Amount)
	pawn:PickedUp(self)
end

return Pickup
