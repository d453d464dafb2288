-- GameModeBase: how players, spectators and bots come in, get a body, go, come back, and go along to another
-- level. What a match is, and what it is played for, is its child's affair: GameInfo, which every game
-- descends from.
--
-- The engine calls InitGame when the level starts and StartPlay when it is there; PreLogin, Login and
-- PostLogin for every player who comes, Logout when one leaves.
local GameModeBase = class("GameModeBase", "Info")

GameModeBase.properties {
	DefaultPawnClass = classref("Pawn"),
	SpectatorClass = classref("SpectatorPawn"), -- what those fly with who only watch
	PlayerControllerClass = classref("PlayerController"),
	BotClass = classref("AIController"),
	GameStateClass = classref("GameReplicationInfo"),
	PlayerStateClass = classref("PlayerReplicationInfo"),

	MaxPlayers = int(64, { min = 1, max = 1024 }), -- ?maxplayers=
	MaxSpectators = int(8, { min = 0, max = 1024 }), -- ?maxspectators=
	BotCount = int(0, { min = 0, max = 64 }), -- ?bots=
	BotSkill = int(3, { min = 0, max = 7 }), -- ?skill=, how good they are
	Password = str("", { max = 64 }), -- ?password=, what players have to know to come in; "" for nothing
	ReconnectGrace = float(120, { min = 0, max = 86400 }), -- ?grace=, seconds in which who left may come back
	MaxInactive = int(64, { min = 0, max = 1024 }), -- of those, who are remembered at once; the oldest go first

	NumPlayers = int(0, { min = 0 }), -- players that are in, bots and spectators not counted
	NumSpectators = int(0, { min = 0 }),
	NumBots = int(0, { min = 0 }),
	NumTravellingPlayers = int(0, { min = 0 }), -- connected, and still loading; the host counts them
	NextPlayerID = int(0, { min = 0 }),

	bTeamGame = false, -- players have teams; TeamGame is such a game
	bRateStarts = false, -- choose among PlayerStarts by RatePlayerStart; else they are used in turn
	NextStart = int(1, { min = 1 }), -- the PlayerStart to use next, from 1; past the last it begins again
	bKeepScores = false, -- scores go along into the next level
	GameState = ref("GameReplicationInfo"),
}

GameModeBase.defaults {
	DefaultPawnClass = "Character",
	SpectatorClass = "SpectatorPawn",
	PlayerControllerClass = "PlayerController",
	BotClass = "Bot",
	GameStateClass = "GameReplicationInfo",
	PlayerStateClass = "PlayerReplicationInfo",
}

-- The match is set up, before any actor of the level exists. options are those of the start URL,
-- "?name=value?name=value". Returning a text that is not empty stops the host with it.
function GameModeBase:InitGame(options)
	self.options = options
	local wrong = self:TakeNumber("maxplayers", "MaxPlayers", 1, 1024)
		or self:TakeNumber("maxspectators", "MaxSpectators", 0, 1024)
		or self:TakeNumber("bots", "BotCount", 0, 64)
		or self:TakeNumber("skill", "BotSkill", 0, 7)
		or self:TakeNumber("grace", "ReconnectGrace", 0, 86400, true)
	if wrong then
		return wrong
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

-- Sets a property to the number that the start URL gives by an option, if it does. Returns what is wrong with
-- that, or nil. Numbers are whole unless fractions is true.
function GameModeBase:TakeNumber(option, property, least, most, fractions)
	local text = self:ParseOption(self.options, option)
	if not text then
		return nil
	end
	local n = tonumber(text)
	if not n or not (n >= least and n <= most) or not fractions and n ~= math.floor(n) then
		local kind = fractions and "a number" or "a whole number"
		return ("%s=%s: expected %s from %d to %d"):format(option, text, kind, least, most)
	end
	self[property] = n
	return nil
end

-- The level's actors are there, players are still to come.
function GameModeBase:StartPlay()
	if self:ParseOption(self.options, "bots") then
		self:RemoveSurplusBots()
	end
	self:AddBots()
end

-- Whether there is a match on, in which controllers have pawns; GameInfo knows.
function GameModeBase:IsMatchInProgress()
	return true
end

-- Somebody has come, gone or loaded; GameInfo may have waited for that.
function GameModeBase:StartWhenReady() end

-- The host counts who is connected and still loads.
function GameModeBase:TravellingPlayersChanged(count)
	self.NumTravellingPlayers = count
	self:StartWhenReady()
end

-- 1 Coming and going

-- A player wants to join and nothing was spawned for him yet: options are what his machine asks for, address is
-- where it is. Returning a text refuses him with it, a second value is a code for his machine. A child that has
-- more to ask calls this one, too.
function GameModeBase:PreLogin(options, address)
	if self:IsBanned(address) then
		return "this server has banned you", "banned"
	end
	if self.Password ~= "" and self:ParseOption(options, "password") ~= self.Password then
		return "this server wants a password, and yours is not it", "password"
	end
	return self:CheckRoom(self:WantsToSpectate(options))
end

-- What refuses one more player or spectator, nil where there is room.
function GameModeBase:CheckRoom(spectator)
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
function GameModeBase:WantsToSpectate(options)
	local value = self:ParseOption(options, "spectator")
	return value ~= nil and value ~= "0"
end

-- An address without its port, which is another with every connection.
local function machineOf(address)
	return address:match("^(%[.*%]):%d+$") or address:match("^([^:]*):%d+$") or address
end

-- Keeps a machine out from now on; who is in stays. ?ban=192.0.2.7,192.0.2.8 in the start URL does it from the
-- start.
function GameModeBase:BanAddress(address)
	self.banned = self.banned or {}
	self.banned[machineOf(address)] = true
end

-- Whether a machine is kept out; override it for a list of your own.
function GameModeBase:IsBanned(address)
	return self.banned ~= nil and self.banned[machineOf(address)] == true
end

-- Makes the PlayerController of a player who joins, with his PlayerState. portal is where he wants to
-- come in, options what his machine asked for. Returning nil and a text refuses him.
function GameModeBase:Login(_, options)
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
function GameModeBase:SpawnPlayerController(class)
	local start = self:FindPlayerStart()
	return self:Spawn(class, {
		Location = start and start.Location or vector(),
		Rotation = start and start.Rotation or rotator(),
	})
end

-- Gives a controller its PlayerState. Where a connection proves who its player is, the host puts that into
-- UniqueId before PostLogin; nobody can have an id of another.
function GameModeBase:InitPlayerState(controller, name)
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
function GameModeBase:PostLogin(pc)
	if pc:IsLocalPlayer() then
		pc:ReceivedPlayer() -- his machine is this one; on a client's the controller says so when it has come
	end
	self:FindInactivePlayer(pc)
	local player = pc.PlayerReplicationInfo
	if player and player.bIsSpectator then
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

-- A player has left: his PlayerState's state is kept for as long as ReconnectGrace says, on the server only.
-- Guests and bots have no name that they could prove when they come back.
function GameModeBase:AddInactivePlayer(uniqueId, state)
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
function GameModeBase:TakeInactivePlayer(uniqueId)
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
function GameModeBase:FindInactivePlayer(pc)
	local player = pc.PlayerReplicationInfo
	local state = player and self:TakeInactivePlayer(player.UniqueId)
	if state then
		player:RestoreState(state)
	end
	return state ~= nil
end

-- 2 Starts and pawns

-- Gives a controller a new pawn at a start.
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
		pawn:AddDefaultInventory()
	end
end

-- Whether a controller may have a pawn now: it plays, and the match is on.
function GameModeBase:PlayerCanRestart(controller)
	local player = controller.PlayerReplicationInfo
	return self:IsMatchInProgress() and player ~= nil and not player.bIsSpectator
end

-- Whether a controller has a pawn to play with.
function GameModeBase:HasBody(controller)
	return controller.Pawn ~= nil and not controller.Pawn:IsA("SpectatorPawn")
end

-- The class of pawn for a controller; override it for teams and classes.
function GameModeBase:GetDefaultPawnClass(_)
	return self.DefaultPawnClass
end

-- Where a controller's next pawn begins, nil where the level has no place for it.
function GameModeBase:FindPlayerStart(controller)
	return self:ChoosePlayerStart(controller)
end

-- The PlayerStart that RatePlayerStart likes best, and its number. Of equals it is the next one in turn, so
-- that without ratings they are used in their order and again from the first.
function GameModeBase:ChoosePlayerStart(controller)
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
function GameModeBase:RatePlayerStart(start, controller)
	local player = controller and controller.PlayerReplicationInfo
	local team = player and player.Team or -1
	if not start.bEnabled or start.Team >= 0 and team >= 0 and start.Team ~= team then
		return nil
	end
	if not self.bRateStarts then
		return 0
	end
	local far = 5000 -- uu; enemies beyond that do not count
	local rating, nearest, enemy = 0, far, nil
	for _, pawn in ipairs(self:ActorsInRadius("Pawn", far, start.Location)) do
		local distance = pawn.Location:Distance(start.Location)
		if pawn.bBlockPlayers and distance < start.CollisionRadius + pawn.CollisionRadius then
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

-- Whether two controllers fight each other; nobody behind a pawn is nobody's enemy.
function GameModeBase:IsEnemy(one, other)
	return other ~= nil and one ~= other and not self:OnSameTeam(one, other)
end

-- Whether two controllers are on one team; in a game without teams nobody is.
function GameModeBase:OnSameTeam(one, other)
	local a = one and one.PlayerReplicationInfo
	local b = other and other.PlayerReplicationInfo
	return self.bTeamGame and a ~= nil and b ~= nil and a.Team >= 0 and a.Team == b.Team
end

-- 3 Spectators

-- Gives a player something to fly with who has no pawn: he watches, or waits for the match.
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

-- A player leaves the game to watch it. Returns whether he may.
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

-- Who has watched so far plays from now on. Returns whether he may.
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

-- Somebody who watched until now gets a pawn, where there is a match.
function GameModeBase:RestartActivePlayer(pc)
	if self:IsMatchInProgress() then
		self:RestartPlayer(pc)
	else
		self:StartWhenReady()
	end
end

-- 4 Teams: TeamGame fills these

-- The team for who comes in or begins to play; wish is the one he asked for, or nil.
function GameModeBase:PickTeam(_)
	return -1
end

-- Whether there is a team of that number.
function GameModeBase:IsTeam(_)
	return false
end

-- Puts a player into another team. Returns whether he may.
function GameModeBase:ChangeTeam(_, _)
	return false
end

-- Somebody left or changed sides.
function GameModeBase:BalanceTeams() end

-- 5 Bots

-- As many bots as the game is to have.
function GameModeBase:AddBots()
	while self.NumBots < self.BotCount do
		if not self:AddBot() then
			return
		end
	end
end

-- More may have come along from the last level than are wanted in this one: the last go.
function GameModeBase:RemoveSurplusBots()
	local bots = self:ActorsOf("AIController")
	for i = #bots, 1, -1 do
		local player = bots[i].PlayerReplicationInfo
		if self.NumBots > self.BotCount and player and player.bBot then
			self:RemoveBot(bots[i])
		end
	end
end

-- A bot comes in: a mind of BotClass with a PlayerState like anybody's. Without a name it gets one.
function GameModeBase:AddBot(name)
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

-- A name that no other bot has.
function GameModeBase:GetBotName()
	local round = math.floor(self.NumBots / #botNames)
	return botNames[self.NumBots % #botNames + 1] .. (round > 0 and round + 1 or "")
end

-- 6 Travel

-- What of a controller goes along into the next level: a table of plain values, which the next game gets in
-- HandleSeamlessTravelPlayer. A child adds what it wants to keep.
function GameModeBase:GetSeamlessTravelState(controller)
	local player = controller.PlayerReplicationInfo
	if not player then
		return nil -- he comes as if he were new
	end
	local state = player:SaveState(true)
	if self.bKeepScores then
		state.Score, state.Deaths = player.Score, player.Deaths
	end
	return { PlayerState = state, bBot = player.bBot }
end

-- What of the match goes along: the next game's PostSeamlessTravel gets it.
function GameModeBase:GetMatchTravelState()
	local inactive = {}
	for _, entry in ipairs(self.inactive or {}) do
		local left = entry.Ends - world.TimeSeconds
		if left > 0 then
			inactive[#inactive + 1] = { UniqueId = entry.UniqueId, State = entry.State, Left = left }
		end
	end
	return { NextPlayerID = self.NextPlayerID, Inactive = inactive, Banned = self.banned }
end

-- Somebody comes over from the last level, in place of PreLogin and Login; PostLogin follows for players.
-- state is what the last game's GetSeamlessTravelState gave. Returns his new controller.
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
	if not player.bIsSpectator and not self:IsTeam(player.Team) then
		player.Team = self:PickTeam()
	end
	return controller
end

-- Somebody's connection ended on the way into this level: he may still come back.
function GameModeBase:SeamlessTravelLost(state)
	self:AddInactivePlayer(state.PlayerState.UniqueId, state.PlayerState)
end

-- The world has come over from another level, with its bots; StartPlay is next, and players follow as they
-- load.
function GameModeBase:PostSeamlessTravel(state)
	self.NextPlayerID = math.max(self.NextPlayerID, state.NextPlayerID)
	for machine in pairs(state.Banned or {}) do
		self:BanAddress(machine)
	end
	self.inactive = {}
	for _, entry in ipairs(state.Inactive) do
		table.insert(self.inactive, {
			UniqueId = entry.UniqueId, State = entry.State, Ends = world.TimeSeconds + entry.Left,
		})
	end
end

-- The value of an option in a URL's tail ("?team=1?name=Ann"), or nil; an option without = has "". What a game
-- wants to know of the start URL it asks for in InitGame or StartPlay: the host warns of options that nobody
-- has asked for by then, since most are misspelt.
function GameModeBase:ParseOption(options, key)
	if self.asked ~= false then
		self.asked = self.asked or {}
		self.asked[key:lower()] = true
	end
	for pair in (options or ""):gmatch("[^?]+") do
		local name, value = pair:match("^([^=]*)=?(.*)$")
		if name:lower() == key:lower() then
			return value
		end
	end
	return nil
end

-- The host asks once, when the match is set up: the names of all options that ParseOption was asked for so far.
function GameModeBase:TakeOptionNames()
	local names = {}
	for name in pairs(self.asked or {}) do
		names[#names + 1] = name
	end
	self.asked = false
	return unpack(names)
end

return GameModeBase
