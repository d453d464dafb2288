-- PlayerStart: a location in the level where players start, facing in its direction.
local PlayerStart = class("PlayerStart", "Actor")

PlayerStart.properties {
	Team = int(-1, { min = -1, max = 255 }), -- the team that may use it; -1 for all
	bEnabled = true, -- false: nobody starts here
}

PlayerStart.defaults {
	bHidden = true,
	bStatic = true, -- never moves or ticks, and clients load it from the level
	CollisionRadius = 34,
	CollisionHeight = 88,
}

return PlayerStart
