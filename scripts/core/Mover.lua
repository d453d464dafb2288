-- Mover: a moving part of the level: a lift, a door, a bridge. The brushes of its entity are its shape, and
-- it carries actors that stand on it. In the level, MoveTo, MoveTime, StayOpenTime and so on are keys of the
-- entity.
local Mover = class("Mover", "Actor")

Mover.properties {
	MoveTo = vector(0, 0, 0), -- uu from the closed position to the open one
	MoveTime = float(1, { min = 0.01, max = 3600 }), -- seconds from one end to the other
	StayOpenTime = float(2, { min = 0, max = 3600 }), -- seconds for which it stays open
	StartDelay = float(0, { min = 0, max = 3600 }), -- seconds from the trigger to the movement
	bTriggerOnly = false, -- moves only when a Trigger calls it, not when somebody steps on it
	bLoop = false, -- moves back and forth without a trigger
	EncroachDamage = float(0, { min = 0 }), -- damage to what blocks it, at every contact
	-- What it does if it cannot push a pawn aside: returns, waits until the path is free, kills the pawn, or
	-- passes through it.
	EncroachType = enum("Return", "Stop", "Crush", "Ignore"),
}

Mover.defaults {
	Physics = PHYS_Interpolating,
	bNoDelete = true, -- part of the level: clients load their own copy
	bAlwaysRelevant = true,
	bUpdateSimulatedPosition = true,
	bCollideActors = true,
	bBlockActors = true,
	bBlockPlayers = true,
}

-- Draws its brushes with the materials of their textures.
Mover.looks { shape = "hull" }

Mover.auto_state = "Closed"

-- At rest in the closed position.
Mover.state("Closed", {})

function Mover.state.Closed:BeginState(_)
	if self.bLoop then
		self:GotoState("Opening")
	end
end

function Mover.state.Closed:Touch(other)
	if not self.bTriggerOnly and other:IsA("Pawn") then
		self:GotoState("Opening")
	end
end

function Mover.state.Closed:Bump(other)
	if not self.bTriggerOnly and other:IsA("Pawn") then
		self:GotoState("Opening")
	end
end

function Mover.state.Closed:Attach(other)
	if not self.bTriggerOnly and other:IsA("Pawn") then
		self:GotoState("Opening")
	end
end

function Mover.state.Closed:Trigger(_)
	self:GotoState("Opening")
end

-- Opening, waiting at the open end, and closing.
Mover.state("Opening", {})

function Mover.state.Opening:BeginState(_)
	self:BeginPart("delay", self.StartDelay)
end

-- When a saved world is loaded, this code begins again: a mover that was on its way skips the parts before.
function Mover.state.Opening:Code()
	if self.part == "delay" then
		SleepUntil(self.partEnds)
		self:StartMove(self.MoveTo, self.MoveTime)
		self:BeginPart("opening", 0)
	end
	if self.part == "opening" then
		FinishMove()
		self:Opened()
		self:BeginPart("open", self.StayOpenTime)
	end
	if self.part == "open" then
		SleepUntil(self.partEnds)
		self:StartMove(vector(), self.MoveTime)
		self:BeginPart("closing", 0)
	end
	FinishMove()
	self:Closed()
	self:GotoState("Closed")
end

function Mover.state.Opening:EncroachedBy(other)
	if self.EncroachDamage > 0 then
		other:TakeDamage(self.EncroachDamage, nil, other.Location, vector(), "crushed")
	end
end

-- Notes the part of its movement that begins, and for a pause how many seconds it takes.
function Mover:BeginPart(part, seconds)
	self.part = part
	self.partEnds = world.TimeSeconds + seconds
end

-- A Trigger or a script makes it move.
function Mover:Trigger(_) end

-- It has reached its open end; a child plays a sound here.
function Mover:Opened() end

-- It is closed again; a child plays a sound here.
function Mover:Closed() end

return Mover
