-- RaceGate: a line across the road that every car must cross, in the order of the gates. The first is the
-- start and finish line. A level has a dozen or more, one wherever the road turns: brains steer from gate to
-- gate.
local RaceGate = class("RaceGate", "Actor")

RaceGate.properties {
	Order = int(0, { min = 0, max = 255 }), -- its number, from 0 without gaps
	HalfWidth = float(500, { min = 50 }), -- uu from the centre to the end of the gate
}

RaceGate.defaults {
	bHidden = true,
	bStatic = true, -- never moves, and clients load it from the level
	bCollideActors = false,
}

-- How far behind the line a car still counts as crossing it, in uu: more than it travels in one tick.
local DEPTH = 400

-- Whether an actor at a location, with a velocity, has just crossed the line in the direction of the race.
function RaceGate.simulated:IsCrossedBy(place, velocity)
	local ahead, side = self.Rotation:Axes()
	local way = place - self.Location
	local along, aside = way:Dot(ahead), math.abs(way:Dot(side))
	return along >= 0 and along < DEPTH and aside <= self.HalfWidth and velocity:Dot(ahead) > 0
end

return RaceGate
