-- PhysicsVolume: a part of the level in which other laws hold: water, wind, less gravity. Its shape are the
-- brushes the level gives it, or its cylinder where a script spawns one. Server and clients have it from the
-- level, so moves of players are predicted in it as anywhere (R9.10). What counts is where a body's middle
-- is.
local PhysicsVolume = class("PhysicsVolume", "Actor")

PhysicsVolume.properties {
	GravityZ = float(-980), -- uu/s^2 instead of the level's gravity, negative downwards
	ZoneVelocity = vector(0, 0, 0), -- uu/s that carry along whatever moves by itself in it
	bWaterVolume = false, -- pawns swim in it
	FluidFriction = float(1.2, { min = 0 }), -- 1/s by which water slows who swims
	Priority = float(0), -- where several are in one place, the highest counts
}

PhysicsVolume.defaults {
	bNoDelete = true, -- part of the level: clients have their own
	bAlwaysRelevant = true,
	bHidden = true,
	bCollideActors = true, -- Touch and UnTouch tell who comes and goes; it stops nobody
}

PhysicsVolume.replication {
	{ "GravityZ", "ZoneVelocity", "bWaterVolume", "FluidFriction", "Priority" },
}

return PhysicsVolume
