-- PlayerReplicationInfo (PlayerState): what everybody may know about one player. It outlives the
-- player's pawns: score and name are kept here.
local PlayerReplicationInfo = class("PlayerReplicationInfo", "ReplicationInfo")

PlayerReplicationInfo.properties {
	PlayerName = str("", { max = 32 }),
	Score = float(0),
	Deaths = int(0, { min = 0 }),
	Team = int(-1, { min = -1, max = 255 }), -- -1: no team
	bIsSpectator = false,
	bReadyToPlay = false,
	Ping = int(0, { min = 0, max = 9999 }), -- ms, of the round trip
	PlayerID = int(0, { min = 0 }), -- the player's number in this match
	bBot = false,
}

PlayerReplicationInfo.replication {
	{ "PlayerName", "Score", "Deaths", "Team", "bIsSpectator", "bReadyToPlay", notify = true },
	{ "Ping", when = COND_SkipOwner }, -- its owner measures it himself
	{ "PlayerID", "bBot", when = COND_InitialOnly },
}

return PlayerReplicationInfo
