-- GameInfo (GameMode): the rules of a match. It lives on the server and standalone only; on a client
-- world.Game is nil, and what players may know stands in world.GameState.
--
-- The engine calls InitGame when the level starts and StartPlay when it is there; PreLogin, Login and
-- PostLogin for every player who comes, Logout when one leaves. A game is a child of this class that
-- overrides what differs; the start URL chooses it: arena?game=DeathMatch?maxplayers=16.
--
-- A match waits to start, is in progress and then over (SetMatchState); after that the next level comes, or
-- the same again. A plain GameInfo starts at once, never ends, and leaves the dead dead.
local GameInfo = class("GameInfo", "Info")

GameInfo.properties {
	DefaultPawnClass = classref("Pawn"),
	SpectatorClass = classref("SpectatorPawn"), -- what those fly with who only watch
	PlayerControllerClass = classref("PlayerController"),
	BotClass = classref("AIController"),
	GameStateClass = classref("GameReplicationInfo"),
	PlayerStateClass = classref("PlayerReplicationInfo"),

	-- Who may come in.
	MaxPlayers = int(64, { min = 1, max = 1024 }), -- ?maxplayers=
	MaxSpectators = int(8, { min = 0, max = 1024 }), -- ?maxspectators=
	Password = str("", { max = 64 }), -- ?password=, what players have to know to come in; "" for nothing
	ReconnectGrace = float(120, { min = 0, max = 86400 }), -- ?grace=, seconds in which who left may come back
	MaxInactive = int(64, { min = 0, max = 1024 }), -- of those, who are remembered at once; the oldest go first
	MaxRecordTime = float(0.4, { min = 0.05, max = 4 }), -- seconds for which shots may be judged by the past
	NumPlayers = int(0, { min = 0 }), -- players that are in, bots and spectators not counted
	NumSpectators = int(0, { min = 0 }),
	NumBots = int(0, { min = 0 }),
	NumTravellingPlayers = int(0, { min = 0 }), -- connected, and still loading; the host counts them
	NextPlayerID = int(0, { min = 0 }),

	-- The match.
	bDelayedStart = false, -- nobody has a pawn until the match starts
	MinPlayers = int(1, { min = 0, max = 1024 }), -- ?minplayers=, with bots; a delayed match waits for so many
	WarmupTime = float(0, { min = 0, max = 3600 }), -- ?warmup=, seconds from then until a delayed match starts
	TimeLimit = float(0, { min = 0, max = 1440 }), -- ?timelimit=, minutes; 0 for no end
	GoalScore = int(0, { min = 0, max = 100000 }), -- ?goalscore=, whoever has it ends the match; 0 for no end
	PostMatchTime = float(10, { min = 0, max = 3600 }), -- seconds between the end and the next match
	RespawnDelay = float(-1, { min = -1, max = 600 }), -- seconds from a death to the next life; negative: none
	BotCount = int(0, { min = 0, max = 64 }), -- ?bots=
	bKeepScores = false, -- scores go along into the next level

	bTeamGame = false, -- players have teams; TeamGame is such a game

	bRateStarts = false, -- choose among PlayerStarts by RatePlayerStart; else they are used in turn
	NextStart = int(1, { min = 1 }), -- the PlayerStart to use next, from 1; past the last it begins again
	GameState = ref("GameReplicationInfo"),
}

GameInfo.defaults {
	DefaultPawnClass = "Character",
	SpectatorClass = "SpectatorPawn",
	PlayerControllerClass = "PlayerController",
	BotClass = "Bot",
	GameStateClass = "GameReplicationInfo",
	PlayerStateClass = "PlayerReplicationInfo",
}

-- The numbers that the start URL may set: option, property, least, most, whether it is whole.
local numbers = {
	{ "maxplayers", "MaxPlayers", 1, 1024, true },
	{ "maxspectators", "MaxSpectators", 0, 1024, true },
	{ "minplayers", "MinPlayers", 0, 1024, true },
	{ "grace", "ReconnectGrace", 0, 86400 },
	{ "warmup", "WarmupTime", 0, 3600 },
	{ "timelimit", "TimeLimit", 0, 1440 },
	{ "goalscore", "GoalScore", 0, 100000, true },
	{ "bots", "BotCount", 0, 64, true },
}

-- The match is set up, before any actor of the level exists. options are those of the start URL,
-- "?name=value?name=value". Returning a text that is not empty stops the host with it.
function GameInfo:InitGame(options)
	self.options = options
	for _, number in ipairs(numbers) do
		local option, property, least, most, whole = unpack(number)
		local text = self:ParseOption(options, option)
		if text then
			local n = tonumber(text)
			if not n or not (n >= least and n <= most) or whole and n ~= math.floor(n) then
				local kind = whole and "a whole number" or "a number"
				return ("%s=%s: expected %s from %d to %d"):format(option, text, kind, least, most)
			end
			self[property] = n
		end
	end
	local password = self:ParseOption(options, "password") or ""
	if #password > 64 then
		return "password=…: expected at most 64 bytes, got " .. #password
	end
	self.Password = password
	for address in (self:ParseOption(options, "ban") or ""):gmatch("[^,]+") do
		self:BanAddress(address)
	end
	self.GameState = self:Spawn(self.GameStateClass, { GameClass = self:GetClass() })
	return nil
end

-- The level's actors are there, players are still to come: from here on the match may begin.
function GameInfo:StartPlay()
	if self.BotCount > self.NumBots then
		self:AddBots()
	end
	self:SetMatchState("WaitingToStart")
	self:StartWhenReady()
end

-- 1 Match states

-- Moves the match on. It is the only place that does.
function GameInfo:SetMatchState(state)
	local old = self.GameState.MatchState
	self.GameState.MatchState = state
	self.GameState:ForceNetUpdate()
	self:ClearTimer("MatchStateOver")
	self:OnMatchStateSet(state, old)
end

-- The match is in another state: how long it lasts is told to everybody, and the state begins.
function GameInfo:OnMatchStateSet(state, _)
	if state == "WaitingToStart" then
		self:EndMatchStateIn(0)
	elseif state == "InProgress" then
		self:EndMatchStateIn(self.TimeLimit * 60)
		self:HandleMatchHasStarted()
	else
		self:EndMatchStateIn(self.PostMatchTime)
		self:HandleMatchHasEnded()
		if self.PostMatchTime == 0 then
			self:RestartGame()
		end
	end
end

-- The present state is over in so many seconds; 0 takes the end away.
function GameInfo:EndMatchStateIn(seconds)
	if seconds > 0 then
		self.GameState.MatchStateEnds = world.TimeSeconds + seconds
		self:SetTimer(seconds, false, "MatchStateOver")
	else
		self.GameState.MatchStateEnds = 0
		self:ClearTimer("MatchStateOver")
	end
end

-- The time of the present state has run out.
function GameInfo:MatchStateOver()
	local state = self.GameState.MatchState
	if state == "WaitingToStart" then
		self:StartMatch()
	elseif state == "InProgress" then
		self:EndMatch("time limit")
	else
		self:RestartGame()
	end
end

function GameInfo:IsMatchInProgress()
	return self.GameState.MatchState == "InProgress"
end

-- Whether a delayed match has whom it waits for: all who are connected have loaded, and they are enough.
function GameInfo:ReadyToStartMatch()
	if not self.bDelayedStart then
		return true
	end
	local there = self.NumPlayers + self.NumBots
	return self.NumTravellingPlayers == 0 and there >= math.max(1, self.MinPlayers)
end

-- Starts a waiting match when it is ready, after the countdown if there is one. It is asked whenever somebody
-- has come, gone or loaded.
function GameInfo:StartWhenReady()
	if self.GameState.MatchState ~= "WaitingToStart" then
		return
	end
	if not self:ReadyToStartMatch() then
		self:EndMatchStateIn(0)
	elseif not self.bDelayedStart or self.WarmupTime == 0 then
		self:StartMatch()
	elseif self.GameState.MatchStateEnds == 0 then
		self:EndMatchStateIn(self.WarmupTime)
	end
end

-- The host counts who is connected and still loads.
function GameInfo:TravellingPlayersChanged(count)
	self.NumTravellingPlayers = count
	self:StartWhenReady()
end

function GameInfo:StartMatch()
	if self.GameState.MatchState == "WaitingToStart" then
		self:SetMatchState("InProgress")
	end
end

-- why is for the log and for children: "time limit", "goal", or whatever the game ends by.
function GameInfo:EndMatch(why)
	if self:IsMatchInProgress() then
		self.endedBy = why
		self:SetMatchState("WaitingPostMatch")
	end
end

-- The match begins: whoever plays gets a pawn.
function GameInfo:HandleMatchHasStarted()
	for _, controller in ipairs(self:ActorsOf("Controller")) do
		if not controller.Pawn and self:PlayerCanRestart(controller) then
			self:RestartPlayer(controller)
		end
	end
end

-- The match is over: nobody can be hurt any more, and who is dead stays so. A child shows who has won.
function GameInfo:HandleMatchHasEnded() end

-- After the match: the next level, or the same again. All players go along.
function GameInfo:RestartGame()
	self:ClearTimer("MatchStateOver")
	world:Travel(self:GetNextLevel())
end

-- The URL of the level to play next: ?next= names one, ?maps=arena,canyon a round of them; else it is this one.
function GameInfo:GetNextLevel()
	local once = self:ParseOption(self.options, "next")
	if once and once ~= "" then
		return once
	end
	local first, found
	for level in (self:ParseOption(self.options, "maps") or ""):gmatch("[^,]+") do
		first = first or level
		if found then
			return level
		end
		found = level == world.LevelName
	end
	return first or world.LevelName
end

-- 2 Coming and going

-- A player wants to join and nothing was spawned for him yet: options are what his machine asks for, address is
-- where it is. Returning a text refuses him with it, a second value is a code for his machine. A child that has
-- more to ask calls this one, too.
function GameInfo:PreLogin(options, address)
	if self:IsBanned(address) then
		return "this server has banned you", "banned"
	end
	if self.Password ~= "" and self:ParseOption(options, "password") ~= self.Password then
		return "this server wants a password, and yours is not it", "password"
	end
	return self:CheckRoom(self:WantsToSpectate(options))
end

-- What refuses one more player or spectator, nil where there is room.
function GameInfo:CheckRoom(spectator)
	if spectator then
		if self.NumSpectators >= self.MaxSpectators then
			return "the server is full: " .. self.MaxSpectators .. " spectators", "full"
		end
	elseif self.NumPlayers >= self.MaxPlayers then
		return "the server is full: " .. self.MaxPlayers .. " players", "full"
	end
	return nil
end

-- Whether a player joins to watch only: ?spectator=1.
function GameInfo:WantsToSpectate(options)
	local value = self:ParseOption(options, "spectator")
	return value ~= nil and value ~= "0"
end

-- An address without its port, which is another with every connection.
local function machineOf(address)
	return address:match("^(%[.*%]):%d+$") or address:match("^([^:]*):%d+$") or address
end

-- Keeps a machine out from now on; who is in stays. ?ban=192.0.2.7,192.0.2.8 in the start URL does it from the
-- start.
function GameInfo:BanAddress(address)
	self.banned = self.banned or {}
	self.banned[machineOf(address)] = true
end

-- Whether a machine is kept out; override it for a list of your own.
function GameInfo:IsBanned(address)
	return self.banned ~= nil and self.banned[machineOf(address)] == true
end

-- Makes the PlayerController of a player who joins, with his PlayerState. portal is where he wants to
-- come in, options what his machine asked for. Returning nil and a text refuses him.
function GameInfo:Login(_, options)
	local spectator = self:WantsToSpectate(options)
	local full, code = self:CheckRoom(spectator) -- others came in since PreLogin
	if full then
		return nil, full, code
	end
	local pc = self:SpawnPlayerController(self.PlayerControllerClass)
	if not pc then
		return nil, "the player's controller could not be made"
	end
	local player = self:InitPlayerState(pc, self:ParseOption(options, "name"))
	player.bIsSpectator = spectator
	if self.bTeamGame and not spectator then
		player.Team = self:PickTeam(tonumber(self:ParseOption(options, "team") or ""))
	end
	return pc
end

-- A controller at a start: from there its player sees the level until he has a pawn.
function GameInfo:SpawnPlayerController(class)
	local start = self:FindPlayerStart()
	return self:Spawn(class, {
		Location = start and start.Location or vector(),
		Rotation = start and start.Rotation or rotator(),
	})
end

-- Gives a controller its PlayerState. Where a connection proves who its player is, the host puts that into
-- UniqueId before PostLogin; nobody can have an id of another.
function GameInfo:InitPlayerState(controller, name)
	local id = self.NextPlayerID
	self.NextPlayerID = id + 1
	local bot = not controller:IsA("PlayerController")
	if not name or name == "" then
		name = (bot and "Bot" or "Player") .. id
	end
	local player = self:Spawn(self.PlayerStateClass, {
		Owner = controller,
		PlayerID = id,
		PlayerName = name:sub(1, 32),
		UniqueId = (bot and "bot-" or "guest-") .. id,
		StartTime = world.TimeSeconds,
		bBot = bot,
	})
	controller.PlayerReplicationInfo = player
	return player
end

-- The player is in: the first moment in which functions can be called on his machine.
function GameInfo:PostLogin(pc)
	self:FindInactivePlayer(pc)
	if pc.PlayerReplicationInfo.bIsSpectator then
		self.NumSpectators = self.NumSpectators + 1
		self:StartSpectating(pc)
		return
	end
	self.NumPlayers = self.NumPlayers + 1
	if self:IsMatchInProgress() then
		self:RestartPlayer(pc)
	else
		self:StartSpectating(pc)
		self:StartWhenReady()
	end
end

-- The player leaves, for whatever reason; called exactly once.
function GameInfo:Logout(pc)
	local player = pc.PlayerReplicationInfo
	if player and player.bIsSpectator then
		self.NumSpectators = math.max(0, self.NumSpectators - 1)
	else
		self.NumPlayers = math.max(0, self.NumPlayers - 1)
	end
	if pc.Pawn then
		pc.Pawn:Destroy()
	end
	if player then
		self:AddInactivePlayer(player.UniqueId, player:SaveState(false))
		player:Destroy()
	end
	self:BalanceTeams()
	self:StartWhenReady()
end

-- A player has left: his PlayerState's state is kept for as long as ReconnectGrace says, on the server only.
-- Guests and bots have no name that they could prove when they come back.
function GameInfo:AddInactivePlayer(uniqueId, state)
	if self.ReconnectGrace <= 0 or uniqueId:find("^guest%-") or uniqueId:find("^bot%-") then
		return
	end
	self.inactive = self.inactive or {}
	self:TakeInactivePlayer(uniqueId)
	while #self.inactive >= math.max(1, self.MaxInactive) do
		table.remove(self.inactive, 1)
	end
	if self.MaxInactive > 0 then
		local ends = world.TimeSeconds + self.ReconnectGrace
		table.insert(self.inactive, { UniqueId = uniqueId, State = state, Ends = ends })
	end
end

-- The state kept for a player who was here, or nil; it is forgotten with that.
function GameInfo:TakeInactivePlayer(uniqueId)
	local found
	local kept = {}
	for _, entry in ipairs(self.inactive or {}) do
		if entry.Ends > world.TimeSeconds and entry.UniqueId ~= uniqueId then
			kept[#kept + 1] = entry
		elseif entry.Ends > world.TimeSeconds then
			found = entry.State
		end
	end
	self.inactive = kept
	return found
end

-- Somebody who was here within the grace time gets back what he had.
function GameInfo:FindInactivePlayer(pc)
	local player = pc.PlayerReplicationInfo
	local state = player and self:TakeInactivePlayer(player.UniqueId)
	if state then
		player:RestoreState(state)
	end
	return state ~= nil
end

-- 3 Starts and pawns

-- Gives a controller a new pawn at a start.
function GameInfo:RestartPlayer(controller)
	local start, index = self:FindPlayerStart(controller)
	if not start then
		self:Log("the level has no PlayerStart; " .. tostring(controller) .. " stays without a pawn")
		return
	end
	self.NextStart = (index or self.NextStart) + 1
	local old = controller.Pawn
	if old and old:IsA("SpectatorPawn") then
		old:Destroy()
	end
	local pawn = self:Spawn(self:GetDefaultPawnClass(controller), {
		Location = start.Location,
		Rotation = rotator(0, start.Rotation.Yaw, 0),
	})
	if pawn then
		controller:Possess(pawn)
		controller:ClientSetRotation(pawn.Rotation)
		pawn:AddDefaultInventory()
	end
end

-- Whether a controller may have a pawn now: it plays, and the match is on.
function GameInfo:PlayerCanRestart(controller)
	local player = controller.PlayerReplicationInfo
	return self:IsMatchInProgress() and player ~= nil and not player.bIsSpectator
end

-- The class of pawn for a controller; override it for teams and classes.
function GameInfo:GetDefaultPawnClass(_)
	return self.DefaultPawnClass
end

-- Where a controller's next pawn begins, nil where the level has no place for it.
function GameInfo:FindPlayerStart(controller)
	return self:ChoosePlayerStart(controller)
end

-- The PlayerStart that RatePlayerStart likes best, and its number. Of equals it is the next one in turn, so
-- that without ratings they are used in their order and again from the first.
function GameInfo:ChoosePlayerStart(controller)
	local starts = self:ActorsOf("PlayerStart")
	local best, bestRating, bestIndex
	for i = 0, #starts - 1 do
		local index = (self.NextStart - 1 + i) % #starts + 1
		local rating = self:RatePlayerStart(starts[index], controller)
		if rating and (not best or rating > bestRating) then
			best, bestRating, bestIndex = starts[index], rating, index
		end
	end
	return best, bestIndex
end

-- How good a start is for a controller: nil for not at all. With bRateStarts a free one is better than a
-- taken one, and one far from enemies and out of their sight better than one at hand.
function GameInfo:RatePlayerStart(start, controller)
	local player = controller and controller.PlayerReplicationInfo
	local team = player and player.Team or -1
	if not start.bEnabled or start.Team >= 0 and team >= 0 and start.Team ~= team then
		return nil
	end
	if not self.bRateStarts then
		return 0
	end
	local far = 5000 -- uu; enemies beyond that do not count
	local rating = far
	for _, pawn in ipairs(self:ActorsInRadius("Pawn", far, start.Location)) do
		local distance = pawn.Location:Distance(start.Location)
		if pawn.bBlockPlayers and distance < start.CollisionRadius + pawn.CollisionRadius then
			rating = rating - 2 * far
		elseif pawn.Controller and self:IsEnemy(controller, pawn.Controller) then
			local seen = pawn:VisibleFrom(start.Location)
			rating = math.min(rating, seen and distance / 2 or distance)
		end
	end
	return rating
end

-- Whether two controllers fight each other.
function GameInfo:IsEnemy(one, other)
	return one ~= other and not self:OnSameTeam(one, other)
end

-- Whether two controllers are on one team; in a game without teams nobody is.
function GameInfo:OnSameTeam(one, other)
	local a = one and one.PlayerReplicationInfo
	local b = other and other.PlayerReplicationInfo
	return self.bTeamGame and a ~= nil and b ~= nil and a.Team >= 0 and a.Team == b.Team
end

-- Whether an item that was taken comes back; Pickup asks when its time has come.
function GameInfo:ShouldRespawn(item)
	return item.RespawnTime > 0 and self.GameState.MatchState ~= "WaitingPostMatch"
end

-- 4 Damage, deaths and scores

-- What is left of some damage before it counts; kind is a word for it, instigator the pawn who does it or
-- nil. Outside of the match nobody is hurt.
function GameInfo:ReduceDamage(amount, _, _, _, _, _)
	return self:IsMatchInProgress() and amount or 0
end

-- A pawn died. killer and victim are controllers, or nil where nobody was behind it; kind is a word for how.
function GameInfo:Killed(killer, victim, pawn, kind)
	local dead = victim and victim.PlayerReplicationInfo
	if dead then
		dead.Deaths = dead.Deaths + 1
	end
	if self:IsMatchInProgress() then
		self:ScoreKill(killer, victim)
	end
	self:BroadcastDeath(killer, victim, pawn, kind)
	if victim and self.RespawnDelay >= 0 and not victim.bDeleteMe then
		victim:SetTimer(math.max(0.01, self.RespawnDelay), false, "Respawn")
	end
end

-- Who gets how much for a death: the killer a point; whoever kills himself, or one of his own, loses one.
function GameInfo:ScoreKill(killer, victim)
	if killer and killer ~= victim then
		self:AddScore(killer, self:OnSameTeam(killer, victim) and -1 or 1)
	elseif victim then
		self:AddScore(victim, -1)
	end
end

-- Gives points to a controller, and ends the match where that was the goal.
function GameInfo:AddScore(controller, points)
	local player = controller.PlayerReplicationInfo
	if player then
		player.Score = player.Score + points
		player:ForceNetUpdate()
		if self.GoalScore > 0 and player.Score >= self.GoalScore then
			self:EndMatch("goal")
		end
	end
end

-- A death is made known; a child shows it to the players.
function GameInfo:BroadcastDeath(_, _, _, _) end

-- 5 Spectators

-- Gives a player something to fly with who has no pawn: he watches, or waits for the match.
function GameInfo:StartSpectating(pc)
	local pawn = self:Spawn(self.SpectatorClass, {
		Location = pc.Location,
		Rotation = rotator(0, pc.Rotation.Yaw, 0),
		Owner = pc,
	})
	if pawn then
		pc:Possess(pawn)
	end
end

-- A player leaves the game to watch it. Returns whether he may.
function GameInfo:BecomeSpectator(pc)
	local player = pc.PlayerReplicationInfo
	if player.bIsSpectator or self.NumSpectators >= self.MaxSpectators then
		return false
	end
	local at = pc.Pawn and pc.Pawn:GetViewLocation()
	if pc.Pawn then
		pc.Pawn:Destroy()
	end
	if at then
		pc:SetLocation(at)
	end
	player.bIsSpectator = true
	player.bReadyToPlay = false
	player.Team = -1
	self.NumPlayers = math.max(0, self.NumPlayers - 1)
	self.NumSpectators = self.NumSpectators + 1
	self:StartSpectating(pc)
	self:BalanceTeams()
	self:StartWhenReady()
	return true
end

-- Who has watched so far plays from now on. Returns whether he may.
function GameInfo:BecomeActivePlayer(pc)
	local player = pc.PlayerReplicationInfo
	if not player.bIsSpectator or self.NumPlayers >= self.MaxPlayers then
		return false
	end
	player.bIsSpectator = false
	self.NumSpectators = math.max(0, self.NumSpectators - 1)
	self.NumPlayers = self.NumPlayers + 1
	pc:SetViewTarget(nil)
	if self.bTeamGame then
		player.Team = self:PickTeam()
	end
	if self:IsMatchInProgress() then
		self:RestartPlayer(pc)
	else
		self:StartWhenReady()
	end
	return true
end

-- 6 Teams: TeamGame fills these

-- The team for who comes in or begins to play; wish is the one he asked for, or nil.
function GameInfo:PickTeam(_)
	return -1
end

-- Puts a player into another team. Returns whether he may.
function GameInfo:ChangeTeam(_, _)
	return false
end

-- Somebody left or changed sides.
function GameInfo:BalanceTeams() end

-- 7 Bots

-- As many bots as the game is to have.
function GameInfo:AddBots()
	while self.NumBots < self.BotCount do
		if not self:AddBot() then
			return
		end
	end
end

-- A bot comes in: a mind of BotClass with a PlayerState like anybody's. Without a name it gets one.
function GameInfo:AddBot(name)
	local bot = self:Spawn(self.BotClass)
	if not bot then
		return nil
	end
	local player = self:InitPlayerState(bot, name or self:GetBotName())
	self.NumBots = self.NumBots + 1
	if self.bTeamGame then
		player.Team = self:PickTeam()
	end
	if self:IsMatchInProgress() then
		self:RestartPlayer(bot)
	end
	return bot
end

-- A bot goes, with its pawn.
function GameInfo:RemoveBot(bot)
	if bot.Pawn then
		bot.Pawn:Destroy()
	end
	if bot.PlayerReplicationInfo then
		bot.PlayerReplicationInfo:Destroy()
	end
	bot:Destroy()
	self.NumBots = math.max(0, self.NumBots - 1)
	self:BalanceTeams()
end

local botNames = { "Ada", "Bo", "Cleo", "Dag", "Esra", "Finn", "Gil", "Hana" }

-- A name that no other bot has.
function GameInfo:GetBotName()
	local round = math.floor(self.NumBots / #botNames)
	return botNames[self.NumBots % #botNames + 1] .. (round > 0 and round + 1 or "")
end

-- 8 Travel

-- What of a controller goes along into the next level: a table of plain values, which the next game gets in
-- HandleSeamlessTravelPlayer. A child adds what it wants to keep.
function GameInfo:GetSeamlessTravelState(controller)
	local player = controller.PlayerReplicationInfo
	local state = player:SaveState(true)
	if self.bKeepScores then
		state.Score, state.Deaths = player.Score, player.Deaths
	end
	return { PlayerState = state, bBot = player.bBot }
end

-- What of the match goes along: the next game's PostSeamlessTravel gets it.
function GameInfo:GetMatchTravelState()
	local inactive = {}
	for _, entry in ipairs(self.inactive or {}) do
		local left = entry.Ends - world.TimeSeconds
		if left > 0 then
			inactive[#inactive + 1] = { UniqueId = entry.UniqueId, State = entry.State, Left = left }
		end
	end
	return { NextPlayerID = self.NextPlayerID, Inactive = inactive }
end

-- Somebody comes over from the last level, in place of PreLogin and Login; PostLogin follows for players.
-- state is what the last game's GetSeamlessTravelState gave. Returns his new controller.
function GameInfo:HandleSeamlessTravelPlayer(state, _)
	local controller
	if state.bBot then
		controller = self:Spawn(self.BotClass)
		self.NumBots = self.NumBots + 1
	else
		controller = self:SpawnPlayerController(self.PlayerControllerClass)
	end
	local player = self:InitPlayerState(controller, state.PlayerState.PlayerName)
	player:RestoreState(state.PlayerState)
	if self.bTeamGame and not player.bIsSpectator then
		player.Team = self:PickTeam(player.Team)
	elseif not self.bTeamGame then
		player.Team = -1
	end
	return controller
end

-- Somebody's connection ended on the way into this level: he may still come back.
function GameInfo:SeamlessTravelLost(state)
	self:AddInactivePlayer(state.PlayerState.UniqueId, state.PlayerState)
end

-- The world has come over from another level, with its bots; StartPlay is next, and players follow as they
-- load.
function GameInfo:PostSeamlessTravel(state)
	self.NextPlayerID = math.max(self.NextPlayerID, state.NextPlayerID)
	self.inactive = {}
	for _, entry in ipairs(state.Inactive) do
		table.insert(self.inactive, {
			UniqueId = entry.UniqueId, State = entry.State, Ends = world.TimeSeconds + entry.Left,
		})
	end
end

-- Travel to a level did not work, and everything is where it was. After a match the same level is tried again.
function GameInfo:TravelFailed(url, why)
	self:Log("cannot travel to " .. url .. ": " .. why)
	if self.GameState.MatchState == "WaitingPostMatch" and url ~= world.LevelName then
		world:Travel(world.LevelName)
	end
end

-- The value of an option in a URL's tail ("?team=1?name=Ann"), or nil; an option without = has "".
function GameInfo:ParseOption(options, key)
	for pair in (options or ""):gmatch("[^?]+") do
		local name, value = pair:match("^([^=]*)=?(.*)$")
		if name:lower() == key:lower() then
			return value
		end
	end
	return nil
end

return GameInfo
