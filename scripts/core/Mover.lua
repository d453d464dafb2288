-- Mover: a moving part of the level: a lift, a door, a bridge. Its shape are the brushes of its entity, and it
-- carries whatever stands on it. In the level, MoveTo, MoveTime, StayOpenTime and so on are keys of the
-- entity.
local Mover = class("Mover", "Actor")

Mover.properties {
	MoveTo = vector(0, 0, 0), -- uu from where it begins to where it opens to
	MoveTime = float(1, { min = 0.01, max = 3600 }), -- seconds for the way
	StayOpenTime = float(2, { min = 0, max = 3600 }), -- seconds it waits there
	StartDelay = float(0, { min = 0, max = 3600 }), -- seconds from being asked to moving
	bTriggerOnly = false, -- moves when a Trigger asks, not when somebody steps on it
	bLoop = false, -- goes to and fro by itself
	EncroachDamage = float(0, { min = 0 }), -- hurts what is in the way, every time it is met
	-- What it does if it cannot push a pawn aside: goes back, waits until the path is free, kills the pawn, or
	-- goes through it.
	EncroachType = enum("Return", "Stop", "Crush", "Ignore"),
}

Mover.defaults {
	Physics = PHYS_Interpolating,
	bNoDelete = true, -- part of the level: clients have their own
	bAlwaysRelevant = true,
	bUpdateSimulatedPosition = true,
	bCollideActors = true,
	bBlockActors = true,
	bBlockPlayers = true,
}

-- Its brushes are drawn with the materials of their textures.
Mover.looks { shape = "hull" }

Mover.auto_state = "Closed"

-- At rest where it began.
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

-- On its way out, waiting there, and on its way back.
Mover.state("Opening", {})

function Mover.state.Opening:Code()
	Sleep(self.StartDelay)
	self:StartMove(self.MoveTo, self.MoveTime)
	FinishMove()
	self:Opened()
	Sleep(self.StayOpenTime)
	self:StartMove(vector(), self.MoveTime)
	FinishMove()
	self:Closed()
	self:GotoState("Closed")
end

function Mover.state.Opening:EncroachedBy(other)
	if self.EncroachDamage > 0 then
		other:TakeDamage(self.EncroachDamage, nil, other.Location, vector(), "crushed")
	end
end

-- A Trigger or a script asks it to move.
function Mover:Trigger(_) end

-- It has come to its open end; a child plays a sound here.
function Mover:Opened() end

-- It is back where it began; a child plays a sound here.
function Mover:Closed() end

return Mover
