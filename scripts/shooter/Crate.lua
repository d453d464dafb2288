-- Crate: a box to hide behind, until somebody shoots it to pieces.
local Crate = class("Crate", "Actor")

Crate.defaults {
	bCollideActors = true,
	bBlockActors = true,
	bBlockPlayers = true,
	CollisionRadius = 40,
	CollisionHeight = 40,
}

return Crate
