-- GameReplicationInfo (GameState): what everybody may know about the match. GameInfo spawns it and keeps it
-- up to date; on every peer it is world.GameState.
--
-- self.PlayerArray lists the PlayerStates of the players, sorted by PlayerID. Every peer builds its own list
-- from the PlayerStates that it has, so the list is not a variable and does not replicate.
local GameReplicationInfo = class("GameReplicationInfo", "ReplicationInfo")

GameReplicationInfo.properties {
	GameClass = classref("GameInfo"), -- the rules of the match
	MatchState = enum("WaitingToStart", "InProgress", "WaitingPostMatch"), -- phase of the match
	MatchStateEnds = float(0, { min = 0 }), -- server time in seconds when the phase ends, 0 if it has no limit
	TeamScores = array(float(0), 4), -- scores of teams 0 to 3
	TeamNames = array(str("", { max = 16 }), 4), -- names of the game's teams
	JoinText = str("", { max = 1000 }), -- on the server: lines for the join screen of browsers
}

GameReplicationInfo.replication {
	{ "GameClass", "TeamNames", when = COND_InitialOnly },
	{ "MatchState", "MatchStateEnds", "TeamScores", notify = true },
}

-- On every peer: starts with an empty list of players.
function GameReplicationInfo.simulated:PreBeginPlay()
	self.PlayerArray = {}
	self.listed = {} -- by PlayerState, true if it is in PlayerArray
end

-- On a client: adds players that arrived before their GameState.
function GameReplicationInfo.simulated:PostNetBeginPlay()
	for _, player in ipairs(self:ActorsOf("PlayerReplicationInfo")) do
		self:AddPRI(player)
	end
end

-- Adds a player; the PlayerState calls it. Most arrive in the order of their numbers, so the position is
-- searched from the end.
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

-- Removes a player that is about to be destroyed. It builds new lists: a loop over the old list is not
-- disturbed, and a table would keep every key that it ever had, so players who left long ago would stay in
-- memory.
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

-- Returns a new list of the players in the match, in the order in which they joined.
function GameReplicationInfo.simulated:GetPlayerArray()
	return { unpack(self.PlayerArray) }
end

-- Returns the player with a name, without regard to case; otherwise the only one whose name begins with it;
-- otherwise nil.
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

-- Returns the seconds until the present state of the match is over, by this peer's estimate of the server
-- time; nil if it has no limit.
function GameReplicationInfo.simulated:GetTimeLeft(serverTime)
	if self.MatchStateEnds <= 0 then
		return nil
	end
	return math.max(0, self.MatchStateEnds - serverTime)
end

-- On every peer: the match entered another state. A child starts music or shows who has won here.
function GameReplicationInfo.simulated:OnMatchState(_, _) end

-- On a client: MatchState was received; calls OnMatchState.
function GameReplicationInfo.simulated:OnRep_MatchState(old)
	self:OnMatchState(self.MatchState, old)
end

return GameReplicationInfo
