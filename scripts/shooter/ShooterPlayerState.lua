-- ShooterPlayerState: what outlives the matches of a player of the sample game (docs/data.md).
local ShooterPlayerState = class("ShooterPlayerState", "PlayerReplicationInfo")

ShooterPlayerState.persistent {
	Kills = int(0, { min = 0 }), -- enemies killed in all matches so far
}

ShooterPlayerState.properties {
	BestPlace = int(0, { min = 0, max = 500 }), -- place in the list of the best, 0 for none
}

ShooterPlayerState.replication {
	{ "Kills", "BestPlace", when = COND_OwnerOnly }, -- all know the best ten (ShooterState)
}

return ShooterPlayerState
