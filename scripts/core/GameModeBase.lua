-- GameModeBase: players, spectators and bots join, get a pawn, leave, reconnect, and travel to another level.
-- Its parent GameLogin decides who may join. GameInfo, from which every game descends, defines the
-- match and its goal.
--
-- The engine calls InitGame when the level starts and StartPlay when its actors exist; PreLogin, Login and
-- PostLogin for every player who joins, and Logout when one leaves.
local GameModeBase = class("GameModeBase", "GameLogin")

GameModeBase.properties {
	DefaultPawnClass = classref("Pawn"), -- the pawn of a player
	SpectatorClass = classref("SpectatorPawn"), -- the pawn of a spectator
	PlayerControllerClass = classref("PlayerController"), -- the controller of a player
	HUDType = classref("HUD"), -- what a player sees over the world, nil for nothing
	BotClass = classref("AIController"), -- the controller of a bot
	GameStateClass = classref("GameReplicationInfo"), -- what everybody may know about the match
	PlayerStateClass = classref("PlayerReplicationInfo"), -- what everybody may know about a player

	BotCount = int(0, { min = 0, max = 64 }), -- ?bots=
	BotSkill = int(3, { min = 0, max = 7 }), -- ?skill=, the skill of bots

	NumBots = int(0, { min = 0 }), -- bots in the match
	NumTravellingPlayers = int(0, { min = 0 }), -- connected players who are still loading; the host counts them
	NextPlayerID = int(0, { min = 0 }), -- number of the next player

	bTeamGame = false, -- players have teams; TeamGame is such a game
	bRateStarts = false, -- choose PlayerStarts by RatePlayerStart; otherwise they are used in turn
	NextStart = int(1, { min = 1 }), -- index of the PlayerStart to use next, from 1; wraps after the last
	bKeepScores = false, -- scores are kept in the next level
	GameState = ref("GameReplicationInfo"), -- the match's, world.GameState on all peers
}

GameModeBase.defaults {
	DefaultPawnClass = "Character",
	SpectatorClass = "SpectatorPawn",
	PlayerControllerClass = "PlayerController",
	HUDType = "HUD",
	BotClass = "Bot",
	GameStateClass = "GameReplicationInfo",
	PlayerStateClass = "PlayerReplicationInfo",
}

-- Sets up the match, before any actor of the level exists. options are those of the start URL,
-- "?name=value?name=value". If it returns a text that is not empty, the host stops with that text.
function GameModeBase:InitGame(options)
	self.options = options
	local wrong = self:TakeNumber("bots", "BotCount", 0, 64)
		or self:TakeNumber("skill", "BotSkill", 0, 7)
		or GameModeBase.super.InitGame(self, options)
	if wrong then
		return wrong
	end
	self.GameState = self:Spawn(self.GameStateClass, { GameClass = self:GetClass() })
	return nil
end

-- The level's actors exist, but no players yet.
function GameModeBase:StartPlay()
	if self:ParseOption(self.options, "bots") then
		self:RemoveSurplusBots()
	end
	self:AddBots()
end

-- Whether a match is running, in which controllers have pawns; GameInfo overrides it.
function GameModeBase:IsMatchInProgress()
	return true
end

-- A player joined, left or finished loading; GameInfo may have waited for that.
function GameModeBase:StartWhenReady() end

-- Called by the host with the number of connected players who are still loading.
function GameModeBase:TravellingPlayersChanged(count)
	self.NumTravellingPlayers = count
	self:StartWhenReady()
end

-- 1 Joining and leaving

-- Makes the PlayerController and PlayerState of a player who joins. The first argument is the requested
-- start; options come from the player's machine. If it returns nil and a text, the player is refused.
function GameModeBase:Login(_, options)
	local spectator = self:WantsToSpectate(options)
	local full, code = self:CheckRoom(spectator) -- others joined since PreLogin
	if full then
		return nil, full, code
	end
	local pc = self:SpawnPlayerController(self.PlayerControllerClass)
	if not pc then
		return nil, "the player's controller could not be made"
	end
	local player = self:InitPlayerState(pc, self:ParseOption(options, "name"))
	player.bIsSpectator = spectator
	player.bGuest = self:ParseOption(options, "guest") ~= nil
	if self.bTeamGame and not spectator then
		player.Team = self:PickTeam(tonumber(self:ParseOption(options, "team") or ""))
	end
	return pc
end

-- Spawns a controller at a PlayerStart: its player sees the level from there until they have a pawn.
function GameModeBase:SpawnPlayerController(class)
	local start = self:FindPlayerStart()
	return self:Spawn(class, {
		Location = start and start.Location or vector(),
		Rotation = start and start.Rotation or rotator(),
	})
end

-- Gives a controller its PlayerState. If the connection proves the player's identity, the host writes it into
-- UniqueId before PostLogin; nobody can have the id of another player.
function GameModeBase:InitPlayerState(controller, name)
	local id = self.NextPlayerID
	self.NextPlayerID = id + 1
	local bot = not controller:IsA("PlayerController")
	local player = self:Spawn(self.PlayerStateClass, {
		Owner = controller,
		PlayerID = id,
		PlayerName = self:MakePlayerName(name, bot and "Bot" or "Player"),
		UniqueId = (bot and "bot-" or "guest-") .. id,
		StartTime = world.TimeSeconds,
		bBot = bot,
	})
	controller.PlayerReplicationInfo = player
	return player
end

-- The player has joined: from now on, functions can be called on their machine.
function GameModeBase:PostLogin(pc)
	if pc:IsLocalPlayer() then
		pc:ReceivedPlayer() -- a local player; on a client the controller calls it after its arrival
	end
	pc:ClientSetHUD(self.HUDType)
	self:FindInactivePlayer(pc)
	local player = pc.PlayerReplicationInfo
	if player and player.bIsSpectator then
		self.NumSpectators = self.NumSpectators + 1
		self:StartSpectating(pc)
		return
	end
	self.NumPlayers = self.NumPlayers + 1
	if self:TakeWaitingPawn(pc) then
		return -- they were here when the world was saved
	elseif self:IsMatchInProgress() then
		self:TryRestartPlayer(pc)
	else
		self:StartSpectating(pc)
		self:StartWhenReady()
	end
end

-- Scripts were reloaded: HUDType may have changed.
function GameModeBase:Reloaded()
	for _, pc in ipairs(self:ActorsOf("PlayerController")) do
		if pc.bLoggedIn then
			pc:ClientSetHUD(self.HUDType)
		end
	end
end

-- The player leaves, for any reason; called exactly once.
function GameModeBase:Logout(pc)
	local player = pc.PlayerReplicationInfo
	if player and player.bIsSpectator then
		self.NumSpectators = math.max(0, self.NumSpectators - 1)
	else
		self.NumPlayers = math.max(0, self.NumPlayers - 1)
	end
	if pc.Pawn then
		pc.Pawn:Withdraw()
	end
	if player then
		self:AddInactivePlayer(player.UniqueId, player:SaveState(false))
		player:Destroy()
	end
	self:BalanceTeams()
	self:StartWhenReady()
end

-- 2 Starts and pawns

-- Gives a controller a new pawn at a PlayerStart.
function GameModeBase:RestartPlayer(controller)
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
		pawn:ProtectedCall("AddDefaultInventory") -- a player whose items fail plays without them
	end
end

-- RestartPlayer for callers that must not stop at a pawn's error: reports the error, and tries again later.
function GameModeBase:TryRestartPlayer(controller)
	if not self:ProtectedCall("RestartPlayer", controller) then
		controller:SetTimer(1, false, "Respawn")
	end
end

-- Whether a controller may have a pawn now: it plays, and the match is running.
function GameModeBase:PlayerCanRestart(controller)
	local player = controller.PlayerReplicationInfo
	return self:IsMatchInProgress() and player ~= nil and not player.bIsSpectator
end

-- Whether a controller has a pawn to play with.
function GameModeBase:HasBody(controller)
	return controller.Pawn ~= nil and not controller.Pawn:IsA("SpectatorPawn")
end

-- Returns the class of pawn for a controller; override it for teams and player classes.
function GameModeBase:GetDefaultPawnClass(_)
	return self.DefaultPawnClass
end

-- Returns where a controller's next pawn starts, or nil if the level has no start for it.
function GameModeBase:FindPlayerStart(controller)
	return self:ChoosePlayerStart(controller)
end

-- Returns the PlayerStart with the best RatePlayerStart, and its number. Among equals it chooses the next one
-- in turn, so that without ratings all are used in order. If there are very many, it rates only the next 64,
-- because each rating searches the surroundings.
function GameModeBase:ChoosePlayerStart(controller)
	local starts = self:ActorsOf("PlayerStart")
	local best, bestRating, bestIndex
	local left = 64 -- to rate
	for i = 0, #starts - 1 do
		local index = (self.NextStart - 1 + i) % #starts + 1
		local rating = self:RatePlayerStart(starts[index], controller)
		if rating then
			left = left - 1
			if not best or rating > bestRating then
				best, bestRating, bestIndex = starts[index], rating, index
			end
			if left == 0 then
				break
			end
		end
	end
	return best, bestIndex
end

-- Returns how good a start is for a controller; nil if it cannot be used. With bRateStarts a free start is
-- better than an occupied one, and one far from enemies and out of their sight is better than a near one.
function GameModeBase:RatePlayerStart(start, controller)
	local player = controller and controller.PlayerReplicationInfo
	local team = player and player.Team or -1
	if not start.bEnabled or start.Team >= 0 and team >= 0 and start.Team ~= team then
		return nil
	end
	if not self.bRateStarts then
		return 0
	end
	local far = 5000 -- uu; enemies farther away do not count
	local rating, nearest, enemy = 0, far, nil
	local place, size = start.Location, start.CollisionRadius
	for _, pawn in ipairs(self:ActorsInRadius("Pawn", far, place)) do
		local distance = place:Distance(pawn.Location)
		if distance < size + pawn.CollisionRadius and pawn.bBlockPlayers then
			rating = -2 * far
		elseif distance < nearest and pawn.Health > 0 and self:IsEnemy(controller, pawn.Controller) then
			nearest, enemy = distance, pawn
		end
	end
	if enemy and enemy:VisibleFrom(start.Location) then
		nearest = nearest / 2
	end
	return rating + nearest
end

-- Whether two controllers are enemies. A pawn without a controller is not treated as an enemy.
function GameModeBase:IsEnemy(one, other)
	return other ~= nil and one ~= other and not self:OnSameTeam(one, other)
end

-- Whether two controllers are on one team; always false in a game without teams.
function GameModeBase:OnSameTeam(one, other)
	local a = one and one.PlayerReplicationInfo
	local b = other and other.PlayerReplicationInfo
	return self.bTeamGame and a ~= nil and b ~= nil and a.Team >= 0 and a.Team == b.Team
end

-- 3 Spectators

-- Gives a player without a pawn a SpectatorPawn to fly with, while they watch or wait for the match.
function GameModeBase:StartSpectating(pc)
	local pawn = self:Spawn(self.SpectatorClass, {
		Location = pc.Location,
		Rotation = rotator(0, pc.Rotation.Yaw, 0),
		Owner = pc,
	})
	if pawn then
		pc:Possess(pawn)
	end
end

-- A player leaves the game to watch it. Returns whether they may.
function GameModeBase:BecomeSpectator(pc)
	local player = pc.PlayerReplicationInfo
	if player.bIsSpectator or self.NumSpectators >= self.MaxSpectators then
		return false
	end
	local at = pc.Pawn and pc.Pawn:GetViewLocation()
	if pc.Pawn then
		pc.Pawn:Withdraw()
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

-- A spectator starts to play. Returns whether they may.
function GameModeBase:BecomeActivePlayer(pc)
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
	self:RestartActivePlayer(pc)
	return true
end

-- A former spectator gets a pawn if a match is running.
function GameModeBase:RestartActivePlayer(pc)
	if self:IsMatchInProgress() then
		self:TryRestartPlayer(pc)
	else
		self:StartWhenReady()
	end
end

-- 4 Teams: TeamGame implements these

-- Returns the team of a player who joins or starts to play; the argument is the requested one, or nil.
function GameModeBase:PickTeam(_)
	return -1
end

-- Whether a team with that number exists.
function GameModeBase:IsTeam(_)
	return false
end

-- Moves a player to another team. Returns whether they may change.
function GameModeBase:ChangeTeam(_, _)
	return false
end

-- A player left or changed teams.
function GameModeBase:BalanceTeams() end

-- 5 Bots

-- Adds bots until there are as many as requested.
function GameModeBase:AddBots()
	while self.NumBots < self.BotCount do
		if not self:AddBot() then
			return
		end
	end
end

-- Removes the last bots if more arrived from the last level than this one needs.
function GameModeBase:RemoveSurplusBots()
	local bots = self:ActorsOf("AIController")
	for i = #bots, 1, -1 do
		local player = bots[i].PlayerReplicationInfo
		if self.NumBots > self.BotCount and player and player.bBot then
			self:RemoveBot(bots[i])
		end
	end
end

local MAX_BOTS = 64 -- limit of ?bots=

-- Adds a bot: a controller of BotClass with a PlayerState, as players have. Without a name it gets one.
-- Returns nil if there are too many.
function GameModeBase:AddBot(name)
	if self.NumBots >= MAX_BOTS then
		return nil
	end
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
		self:TryRestartPlayer(bot)
	end
	return bot
end

-- Removes a bot and its pawn.
function GameModeBase:RemoveBot(bot)
	if bot.Pawn then
		bot.Pawn:Withdraw()
	end
	if bot.PlayerReplicationInfo then
		bot.PlayerReplicationInfo:Destroy()
	end
	bot:Destroy()
	self.NumBots = math.max(0, self.NumBots - 1)
	self:BalanceTeams()
end

local botNames = { "Ada", "Bo", "Cleo", "Dag", "Esra", "Finn", "Gil", "Hana" }

-- Returns the name of the next bot.
function GameModeBase:GetBotName()
	local round = math.floor(self.NumBots / #botNames)
	return botNames[self.NumBots % #botNames + 1] .. (round > 0 and round + 1 or "")
end

-- 6 Travel

-- Returns the state of a controller that travels to the next level: a table of plain values, which the next
-- game gets in HandleSeamlessTravelPlayer. A child adds what it wants to keep.
function GameModeBase:GetSeamlessTravelState(controller)
	local player = controller.PlayerReplicationInfo
	if not player then
		return nil -- they join like new players
	end
	local state = player:SaveState(true)
	if self.bKeepScores then
		state.Score, state.Deaths = player.Score, player.Deaths
	end
	return { PlayerState = state, bBot = player.bBot }
end

-- Returns the state of the match for the travel: the next game's PostSeamlessTravel gets it.
function GameModeBase:GetMatchTravelState()
	local state = GameModeBase.super.GetMatchTravelState(self)
	state.NextPlayerID = self.NextPlayerID
	return state
end

-- Sends all players to another host of the cluster, by its name, its id or a label. Each new
-- PlayerController's Teleported gets the data. A player whom no host can take stays, and is told why.
function GameModeBase:TeleportAll(target, data)
	for _, pc in ipairs(self:ActorsOf("PlayerController")) do
		pc:Teleport(target, data, function(_, err)
			if err then
				pc:ClientMessage(err)
			end
		end)
	end
end

-- A player or bot arrives from the last level, in place of PreLogin and Login; PostLogin follows for players.
-- state is the result of the last game's GetSeamlessTravelState. Returns the new controller.
function GameModeBase:HandleSeamlessTravelPlayer(state, _)
	local controller
	if state.bBot then
		controller = self:Spawn(self.BotClass)
		self.NumBots = self.NumBots + 1
	else
		controller = self:SpawnPlayerController(self.PlayerControllerClass)
	end
	local player = self:InitPlayerState(controller, state.PlayerState.PlayerName)
	player:RestoreState(state.PlayerState)
	player.PlayerName = self:MakePlayerName(player.PlayerName, "Player", player) -- it may have been taken
	if not player.bIsSpectator and not self:IsTeam(player.Team) then
		player.Team = self:PickTeam()
	end
	return controller
end

-- The travel from another level has reached this one, with its bots; StartPlay follows, and players arrive
-- when they have loaded.
function GameModeBase:PostSeamlessTravel(state)
	self.NextPlayerID = math.max(self.NextPlayerID, state.NextPlayerID)
	GameModeBase.super.PostSeamlessTravel(self, state)
end

return GameModeBase
