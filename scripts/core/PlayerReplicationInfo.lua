-- PlayerReplicationInfo (PlayerState): what everybody may know about one player. It outlives the
-- player's pawns: score and name are kept here.
--
-- The game and the host set all of it, except two flags whose meaning a mod defines: bAdmin and bHasFlag. No
-- class of the host sets or reads them. Both replicate, and as in Unreal, bAdmin is kept for a player who
-- reconnects and for the next level. A game sets bAdmin in its PostLogin, by the UniqueId that the connection
-- proved, and bHasFlag where a pawn takes, drops or delivers the flag.
local PlayerReplicationInfo = class("PlayerReplicationInfo", "ReplicationInfo")

PlayerReplicationInfo.properties {
	PlayerName = str("", { max = 32 }), -- unique among players
	Score = float(0), -- points in this match
	Deaths = int(0, { min = 0 }), -- deaths in this match
	Team = int(-1, { min = -1, max = 255 }), -- -1: no team
	bIsSpectator = false, -- only watches
	bReadyToPlay = false, -- the player is ready (ServerSetReady)
	bAdmin = false, -- has additional rights, which the game that sets it defines
	bHasFlag = false, -- carries the flag or another objective; the game that has one sets it
	StartTime = float(0, { min = 0 }), -- server time in seconds when the player joined
	UniqueId = str("", { max = 64 }), -- identity proved by the connection, or "guest-…", "bot-…"
	Ping = int(0, { min = 0, max = 9999 }), -- round trip in ms; the host measures it
	PacketLoss = int(0, { min = 0, max = 100 }), -- percent
	PlayerID = int(0, { min = 0 }), -- the player's number in this match
	bBot = false, -- the host controls this player
	bGuest = false, -- on the server: has no key beyond this visit (?guest), so nothing of theirs is kept
}

PlayerReplicationInfo.replication {
	{
		"PlayerName", "Score", "Deaths", "Team", "bIsSpectator", "bReadyToPlay", "bAdmin", "bHasFlag",
		"StartTime", "UniqueId",
		notify = true,
	},
	{ "Ping", "PacketLoss", when = COND_SkipOwner }, -- the owner measures them locally
	{ "PlayerID", "bBot", when = COND_InitialOnly },
}

-- On every peer: adds it to the GameState's list of players, which is local and not replicated.
function PlayerReplicationInfo.simulated:PostNetBeginPlay()
	local state = world.GameState
	if state then
		state:AddPRI(self)
	end
end

-- On every peer: removes it from the GameState's list of players.
function PlayerReplicationInfo.simulated:Destroyed()
	local state = world.GameState
	if state then
		state:RemovePRI(self)
	end
end

-- The variables that are restored for a player who reconnects within the grace time, and those that are kept
-- in the next level. A child that has more overrides SaveState.
local kept = { "PlayerName", "Score", "Deaths", "Team", "bAdmin", "PlayerID", "StartTime" }
local travels = { "PlayerName", "Team", "bIsSpectator", "bAdmin", "PlayerID", "UniqueId", "bGuest" }

-- On the server: returns what outlives this PlayerState, as a table of plain values by name. travelling is
-- true for the next level, and false for a player who may reconnect to this one.
function PlayerReplicationInfo:SaveState(travelling)
	local state = {}
	for _, name in ipairs(travelling and travels or kept) do
		state[name] = self[name]
	end
	state.muted = self.muted
	return state
end

-- On the server: restores the result of SaveState, before anybody has received this PlayerState.
function PlayerReplicationInfo:RestoreState(state)
	for name, value in pairs(state) do
		self[name] = value
	end
	if world.GameState then -- PlayerArray is sorted by PlayerID
		world.GameState:RemovePRI(self)
		world.GameState:AddPRI(self)
	end
end

-- The most players that one can mute: the oldest are forgotten.
local MAX_MUTED = 64

-- On the server: mutes the player with a UniqueId for this player, or ends that. It outlives connections and
-- levels of both.
function PlayerReplicationInfo:SetMuted(uniqueId, on)
	local muted = {}
	for _, id in ipairs(self.muted or {}) do
		if id ~= uniqueId then
			table.insert(muted, id)
		end
	end
	if on then
		table.insert(muted, uniqueId)
	end
	if #muted > MAX_MUTED then
		table.remove(muted, 1)
	end
	self.muted = muted
end

-- On the server: whether the player with a UniqueId is muted.
function PlayerReplicationInfo:HasMuted(uniqueId)
	for _, id in ipairs(self.muted or {}) do
		if id == uniqueId then
			return true
		end
	end
	return false
end

-- Returns the name for use in a sentence: in quotes if it is more than one word, because a player may be
-- called "Ann killed Bob".
function PlayerReplicationInfo.simulated:GetQuotedName()
	local name = self.PlayerName
	if name:find("^[%w_\128-\255-]+$") then
		return name
	end
	return '"' .. name:gsub('"', "'") .. '"'
end

-- Returns the controller of the player at this machine, if this is their PlayerState; otherwise nil.
function PlayerReplicationInfo.simulated:GetLocalPlayer()
	for _, player in ipairs(self:ActorsOf("PlayerController")) do
		if player.PlayerReplicationInfo == self and player:IsLocalPlayer() then
			return player
		end
	end
	return nil
end

-- On the server: moves the player to a team. A player at the server's own machine is notified here, others
-- when they receive the change.
function PlayerReplicationInfo:SetTeam(team)
	local old = self.Team
	if team ~= old then
		self.Team = team
		self:OnRep_Team(old)
	end
end

-- Team was received: notifies the actors that follow the local player's team (NotifyLocalPlayerTeamReceived).
function PlayerReplicationInfo:OnRep_Team(_)
	local player = self:GetLocalPlayer()
	if player then
		player:TellTeam()
	end
end

return PlayerReplicationInfo
