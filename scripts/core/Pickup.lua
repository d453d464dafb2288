-- Pickup: something that lies in the level and that a pawn takes by touching it. It comes back after a while.
local Pickup = class("Pickup", "Actor")

Pickup.properties {
	RespawnTime = float(20, { min = 0, max = 3600 }), -- seconds; 0 never comes back
	Amount = int(25, { min = 0, max = 10000 }), -- of whatever it gives
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

Pickup.auto_state = "Waiting"

Pickup.state("Waiting", {})

-- It has come back: who stands on it need not go away first.
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
	self.bAvailable = false
	self.bHidden = true
	self:SetCollision(false)
end

function Pickup.state.Taken:Code()
	if self.RespawnTime == 0 or world.Game and not world.Game:ShouldRespawn(self) then
		self:Destroy()
		return
	end
	Sleep(self.RespawnTime)
	self:GotoState("Waiting")
end

function Pickup.state.Taken:EndState(_)
	self.bAvailable = true
	self.bHidden = false
	self:SetCollision(true)
end

-- Whether a pawn may have it now.
function Pickup:CanGive(pawn)
	return pawn.Health > 0 and pawn.Health < pawn.HealthMax
end

-- Gives it: here it heals. A child gives something else, and returns false where the pawn could not take it
-- after all.
function Pickup:Give(pawn)
	pawn.Health = math.min(pawn.HealthMax, pawn.Health + self.Amount)
	pawn:PickedUp(self)
end

return Pickup
