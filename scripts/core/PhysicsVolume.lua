-- PhysicsVolume: a part of the level with different physics: water, wind, less gravity. Its shape is given by
-- the brushes of the level, or by its cylinder if a script spawns it. Server and clients load it from the
-- level, so moves of players are predicted in it as everywhere else (R9.10). A body is inside if its centre
-- is.
local PhysicsVolume = class("PhysicsVolume", "Actor")

PhysicsVolume.properties {
	GravityZ = float(-980), -- uu/s^2 in place of the level's gravity, negative downwards
	ZoneVelocity = vector(0, 0, 0), -- uu/s, a current that carries everything that moves in it
	bWaterVolume = false, -- pawns swim in it
	FluidFriction = float(1.2, { min = 0 }), -- 1/s by which water slows a swimming pawn
	Priority = float(0), -- where volumes overlap, the highest counts
}

PhysicsVolume.defaults {
	bNoDelete = true, -- part of the level: clients load their own copy
	bAlwaysRelevant = true,
	bHidden = true,
	bCollideActors = true, -- Touch and UnTouch are called for actors that enter and leave; it blocks nothing
}

PhysicsVolume.replication {
	{ "GravityZ", "ZoneVelocity", "bWaterVolume", "FluidFriction", "Priority" },
}

return PhysicsVolume
