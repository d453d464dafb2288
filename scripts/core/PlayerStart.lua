-- PlayerStart: a place in the level where players begin, facing the way it faces.
local PlayerStart = class("PlayerStart", "Actor")

PlayerStart.properties {
	Team = int(-1, { min = -1, max = 255 }), -- for whom; -1 for all
	bEnabled = true, -- false: nobody begins here
}

PlayerStart.defaults {
	bHidden = true,
	bStatic = true, -- never moves, never ticks, and clients have it from the level
	CollisionRadius = 34,
	CollisionHeight = 88,
}

return PlayerStart
