-- GameReplicationInfo (GameState): what everybody may know about the match. GameInfo makes one and keeps
-- it up to date; on every peer it is world.GameState.
--
-- self.PlayerArray lists the players: their PlayerStates, by PlayerID. Every peer makes its own list of those
-- that it has, so it is no variable and does not cross.
local GameReplicationInfo = class("GameReplicationInfo", "ReplicationInfo")

GameReplicationInfo.properties {
	GameClass = classref("GameInfo"), -- the rules that are played
	MatchState = enum("WaitingToStart", "InProgress", "WaitingPostMatch"), -- how far the match is
	MatchStateEnds = float(0, { min = 0 }), -- the server's seconds when that is over, 0 where no clock ends it
	TeamScores = array(float(0), 4), -- of teams 0 to 3
	TeamNames = array(str("", { max = 16 }), 4), -- of those teams that the game has
}

GameReplicationInfo.replication {
	{ "GameClass", "TeamNames", when = COND_InitialOnly },
	{ "MatchState", "MatchStateEnds", "TeamScores", notify = true },
}

-- On every peer: the list of players begins empty.
function GameReplicationInfo.simulated:PreBeginPlay()
	self.PlayerArray = {}
	self.listed = {} -- who is in PlayerArray: true by player
end

-- On a client some players may have come before their GameState.
function GameReplicationInfo.simulated:PostNetBeginPlay()
	for _, player in ipairs(self:ActorsOf("PlayerReplicationInfo")) do
		self:AddPRI(player)
	end
end

-- A player is here; the PlayerState says so itself. Most come in the order of their numbers, so the place is
-- looked for from the end.
function GameReplicationInfo.simulated:AddPRI(player)
	if self.listed[player] then
		return
	end
	self.listed[player] = true
	local list = self.PlayerArray
	local place = #list + 1
	while place > 1 and list[place - 1].PlayerID > player.PlayerID do
		place = place - 1
	end
	table.insert(list, place, player)
end

-- A player is gone, or about to go. It makes new lists: a loop over the old one is not disturbed, and a table
-- keeps every key that it ever had, so that players who left long ago would stay in memory.
function GameReplicationInfo.simulated:RemovePRI(player)
	if not self.listed[player] then
		return
	end
	local others, listed = {}, {}
	for _, other in ipairs(self.PlayerArray) do
		if other ~= player then
			others[#others + 1] = other
			listed[other] = true
		end
	end
	self.PlayerArray, self.listed = others, listed
end

-- A new list of the players in the match, in the order in which they joined.
function GameReplicationInfo.simulated:GetPlayerArray()
	return { unpack(self.PlayerArray) }
end

-- The player who is called name, in small or capital letters; else the only one whose name begins so; else nil.
function GameReplicationInfo.simulated:FindPlayer(name)
	local wanted, found, more = name:lower(), nil, false
	for _, player in ipairs(self.PlayerArray) do
		local called = player.PlayerName:lower()
		if called == wanted then
			return player
		elseif wanted ~= "" and called:sub(1, #wanted) == wanted then
			found, more = player, found ~= nil
		end
	end
	return not more and found or nil
end

-- Seconds until the present state of the match is over, as far as this peer knows the server's time; nil
-- where no clock ends it.
function GameReplicationInfo.simulated:GetTimeLeft(serverTime)
	if self.MatchStateEnds <= 0 then
		return nil
	end
	return math.max(0, self.MatchStateEnds - serverTime)
end

-- On every peer: the match has gone on to another state. A child starts music or shows who has won here.
function GameReplicationInfo.simulated:OnMatchState(_, _) end

-- On a client: MatchState was received; calls OnMatchState.
function GameReplicationInfo.simulated:OnRep_MatchState(old)
	self:OnMatchState(self.MatchState, old)
end

return GameReplicationInfo
