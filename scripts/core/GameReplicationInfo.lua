-- GameReplicationInfo (GameState): what everybody may know about the match. GameInfo makes one and keeps
-- it up to date; on every peer it is world.GameState.
--
-- self.PlayerArray lists the players: their PlayerStates, by PlayerID. Every peer makes its own list of those
-- that it has, so it is no variable and does not cross.
local GameReplicationInfo = class("GameReplicationInfo", "ReplicationInfo")

GameReplicationInfo.properties {
	GameClass = classref("GameInfo"), -- the rules that are played
	MatchState = enum("WaitingToStart", "InProgress", "WaitingPostMatch"),
}

GameReplicationInfo.replication {
	{ "GameClass", when = COND_InitialOnly },
	{ "MatchState", notify = true },
}

function GameReplicationInfo.simulated:PreBeginPlay()
	self.PlayerArray = {}
end

-- On a client some players may have come before their GameState.
function GameReplicationInfo.simulated:PostNetBeginPlay()
	for _, player in ipairs(self:ActorsOf("PlayerReplicationInfo")) do
		self:AddPRI(player)
	end
end

-- A player is here; the PlayerState says so itself.
function GameReplicationInfo.simulated:AddPRI(player)
	self:RemovePRI(player)
	table.insert(self.PlayerArray, player)
	table.sort(self.PlayerArray, function(a, b) return a.PlayerID < b.PlayerID end)
end

-- A player is gone, or about to go.
function GameReplicationInfo.simulated:RemovePRI(player)
	local others = {}
	for _, other in ipairs(self.PlayerArray) do
		if other ~= player and not other.bDeleteMe then
			others[#others + 1] = other
		end
	end
	self.PlayerArray = others
end

-- The players in the match, in the order in which they came: a list of one's own, which does not change.
function GameReplicationInfo.simulated:GetPlayerArray()
	return { unpack(self.PlayerArray) }
end

return GameReplicationInfo
