-- GameReplicationInfo (GameState): what everybody may know about the match. GameInfo makes one and keeps
-- it up to date; on every peer it is world.GameState.
local GameReplicationInfo = class("GameReplicationInfo", "ReplicationInfo")

GameReplicationInfo.properties {
	GameClass = classref("GameInfo"), -- the rules that are played
	MatchState = enum("WaitingToStart", "InProgress", "WaitingPostMatch"),
}

GameReplicationInfo.replication {
	{ "GameClass", when = COND_InitialOnly },
	{ "MatchState", notify = true },
}

-- The players in the match, in the order in which they came: an array of PlayerReplicationInfo.
function GameReplicationInfo.simulated:GetPlayerArray()
	return self:ActorsOf("PlayerReplicationInfo")
end

return GameReplicationInfo
