-- PlayerReplicationInfo (PlayerState): what everybody may know about one player. It outlives the
-- player's pawns: score and name are kept here.
--
-- The game and the host set all of it, but for two flags that are a mod's own to give a meaning: bAdmin and
-- bHasFlag. No class that comes with the host sets them or goes by them; they cross, and bAdmin is kept for who
-- comes back and goes along into the next level, as Unreal's do. A game sets bAdmin in its PostLogin, by the
-- UniqueId that the connection proved, and bHasFlag where a pawn takes, drops or brings home what it carries.
local PlayerReplicationInfo = class("PlayerReplicationInfo", "ReplicationInfo")

PlayerReplicationInfo.properties {
	PlayerName = str("", { max = 32 }), -- unique among players
	Score = float(0), -- points in this match
	Deaths = int(0, { min = 0 }), -- in this match
	Team = int(-1, { min = -1, max = 255 }), -- -1: no team
	bIsSpectator = false, -- only watches
	bReadyToPlay = false, -- has said so (ServerSetReady)
	bAdmin = false, -- may do more than others, whatever that is in the game that sets it
	bHasFlag = false, -- carries what the game is about; the game that has such a thing sets it
	StartTime = float(0, { min = 0 }), -- the server's seconds when the player came
	UniqueId = str("", { max = 64 }), -- who it is: proved by the connection, or "guest-…", "bot-…"
	Ping = int(0, { min = 0, max = 9999 }), -- ms, of the round trip; the host measures it
	PacketLoss = int(0, { min = 0, max = 100 }), -- percent
	PlayerID = int(0, { min = 0 }), -- the player's number in this match
	bBot = false, -- the host plays this one
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

-- On every peer: GameState's list of players is made where it is read and never crosses.
function PlayerReplicationInfo.simulated:PostNetBeginPlay()
	local state = world.GameState
	if state then
		state:AddPRI(self)
	end
end

-- On every peer: it leaves the GameState's list of players.
function PlayerReplicationInfo.simulated:Destroyed()
	local state = world.GameState
	if state then
		state:RemovePRI(self)
	end
end

-- The variables that a player who comes back within the grace time finds as they were, and those that go
-- along into the next level. A child that has more overrides SaveState.
local kept = { "PlayerName", "Score", "Deaths", "Team", "bAdmin", "PlayerID", "StartTime" }
local travels = { "PlayerName", "Team", "bIsSpectator", "bAdmin", "PlayerID", "UniqueId" }

-- On the server: what outlives this PlayerState, as a table of plain values by name. travelling tells the
-- next level from a player who may come back to this one.
function PlayerReplicationInfo:SaveState(travelling)
	local state = {}
	for _, name in ipairs(travelling and travels or kept) do
		state[name] = self[name]
	end
	state.muted = self.muted
	return state
end

-- On the server: takes over what SaveState gave, before anybody has heard of the player.
function PlayerReplicationInfo:RestoreState(state)
	for name, value in pairs(state) do
		self[name] = value
	end
	if world.GameState then -- PlayerArray goes by PlayerID
		world.GameState:RemovePRI(self)
		world.GameState:AddPRI(self)
	end
end

-- The most players that one can mute: the oldest are forgotten.
local MAX_MUTED = 64

-- On the server: the player does not want to hear, or hears again, what the player with a UniqueId says. It
-- outlives connections and levels of both.
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

-- The name as it stands in a sentence: in quotes where it is more than one word, since a player may be called
-- "Ann killed Bob".
function PlayerReplicationInfo.simulated:GetQuotedName()
	local name = self.PlayerName
	if name:find("^[%w_\128-\255-]+$") then
		return name
	end
	return '"' .. name:gsub('"', "'") .. '"'
end

-- The controller of the player who sits at this machine, if this is their PlayerState, or nil.
function PlayerReplicationInfo.simulated:GetLocalPlayer()
	for _, player in ipairs(self:ActorsOf("PlayerController")) do
		if player.PlayerReplicationInfo == self and player:IsLocalPlayer() then
			return player
		end
	end
	return nil
end

-- Puts the player into a team; the server does. A player at the server's own machine is told here, others when
-- it has come to them.
function PlayerReplicationInfo:SetTeam(team)
	local old = self.Team
	if team ~= old then
		self.Team = team
		self:OnRep_Team(old)
	end
end

-- Team has changed: actors that follow the local player's team are told (NotifyLocalPlayerTeamReceived).
function PlayerReplicationInfo:OnRep_Team(_)
	local player = self:GetLocalPlayer()
	if player then
		player:TellTeam()
	end
end

return PlayerReplicationInfo
