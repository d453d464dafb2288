-- GameInfo (GameMode): the rules of a match. It exists only on the server and in standalone play. On a client
-- world.Game is nil, and world.GameState holds what players may know.
--
-- A game is a child of this class that overrides what differs. The start URL selects it:
-- arena?game=DeathMatch?maxplayers=16. GameModeBase handles how players join and leave, GameCommands the
-- console commands of every game.
--
-- A match waits to start, is in progress, and is then over (SetMatchState); after that the next level
-- follows, or the same one again. A plain GameInfo starts at once, never ends, and does not respawn dead
-- players.
local GameInfo = class("GameInfo", "GameCommands")

-- Seconds until a travel that failed after a match is tried again: the first pause, and the longest.
local TRAVEL_PAUSE, TRAVEL_PAUSE_MAX = 5, 60
local MAX_CHAT = 200 -- maximum length of a chat line in bytes

GameInfo.properties {
	bDelayedStart = false, -- nobody has a pawn until the match starts
	MinPlayers = int(1, { min = 0, max = 1024 }), -- ?minplayers=, with bots; a delayed match waits for them
	bPlayersMustBeReady = false, -- a delayed match waits until all players are ready (ServerSetReady)
	LoadWait = float(30, { min = 0, max = 3600 }), -- longest wait in seconds for players who are still loading
	WarmupTime = float(0, { min = 0, max = 3600 }), -- ?warmup=, countdown in seconds before a delayed match starts
	TimeLimit = float(0, { min = 0, max = 1440 }), -- ?timelimit=, minutes; 0 for no end
	GoalScore = int(0, { min = 0, max = 100000 }), -- ?goalscore=, the score that ends the match; 0 for no limit
	PostMatchTime = float(10, { min = 0, max = 3600 }), -- ?postmatch=, seconds between the end and the next match
	MaxRecordTime = float(0.4, { min = 0.05, max = 4 }), -- age limit in seconds of shots judged by rewinding
	RespawnDelay = float(-1, { min = -1, max = 600 }), -- seconds from a death to the respawn; negative: no respawn
	BroadcastBurst = int(16, { min = 1, max = 64 }), -- messages of one kind that may go to all players at once
	BroadcastRate = float(8, { min = 0.1, max = 60 }), -- and per second after that
	ChatBurst = int(5, { min = 1, max = 64 }), -- chat lines that a player may send at once
	ChatRate = float(0.5, { min = 0.05, max = 60 }), -- and per second after that
}

-- Reads the options of the start URL that belong to this class; GameModeBase reads the others.
function GameInfo:InitGame(options)
	self.options = options
	self.nextLevel = self:ParseOption(options, "next") or ""
	self.round = self:ParseOption(options, "maps") or ""
	return self:TakeNumber("minplayers", "MinPlayers", 0, 1024)
		or self:TakeNumber("warmup", "WarmupTime", 0, 3600, true)
		or self:TakeNumber("timelimit", "TimeLimit", 0, 1440, true)
		or self:TakeNumber("goalscore", "GoalScore", 0, 100000)
		or self:TakeNumber("postmatch", "PostMatchTime", 0, 3600, true)
		or GameInfo.super.InitGame(self, options)
end

-- The level's actors exist and no player has joined yet: from here on the match may begin.
function GameInfo:StartPlay()
	GameInfo.super.StartPlay(self)
	self:SetMatchState("WaitingToStart")
	self:StartWhenReady()
end

-- 1 Match states

-- Changes the state of the match. No other function sets it.
function GameInfo:SetMatchState(state)
	local old = self.GameState.MatchState
	self.GameState.MatchState = state
	self.GameState:ForceNetUpdate()
	self:ClearTimer("MatchStateOver")
	self:OnMatchStateSet(state, old)
end

-- The match entered another state: publishes how long it lasts and runs the state's handler.
function GameInfo:OnMatchStateSet(state, _)
	if state == "WaitingToStart" then
		self:EndMatchStateIn(0)
	elseif state == "InProgress" then
		self:EndMatchStateIn(self.TimeLimit * 60)
		self:HandleMatchHasStarted()
	else
		self:EndMatchStateIn(self.PostMatchTime)
		self:HandleMatchHasEnded()
		world:PrepareTravel(self:GetNextLevel())
		if self.PostMatchTime == 0 then
			self:RestartGame()
		end
	end
end

-- Ends the present state in so many seconds; 0 removes the limit.
function GameInfo:EndMatchStateIn(seconds)
	if seconds > 0 then
		self.GameState.MatchStateEnds = world.TimeSeconds + seconds
		self:SetTimer(seconds, false, "MatchStateOver")
	else
		self.GameState.MatchStateEnds = 0
		self:ClearTimer("MatchStateOver")
	end
end

-- The time of the present state is over.
function GameInfo:MatchStateOver()
	local state = self.GameState.MatchState
	if state == "WaitingToStart" and self.waitsFor == "loading" and self.WarmupTime > 0 then
		self:WaitFor("countdown", self.WarmupTime)
	elseif state == "WaitingToStart" then
		self:StartMatch()
	elseif state == "InProgress" then
		self:EndMatch("time limit")
	else
		self:RestartGame()
	end
end

-- Whether the match has begun and is not over.
function GameInfo:IsMatchInProgress()
	return self.GameState.MatchState == "InProgress"
end

-- Whether enough players are present for a delayed match, and are ready if they must be.
function GameInfo:ReadyToStartMatch()
	if not self.bDelayedStart then
		return true
	end
	if self.bPlayersMustBeReady and not self:AllPlayersReady() then
		return false
	end
	return self.NumPlayers + self.NumBots >= math.max(1, self.MinPlayers)
end

-- Whether there are players and all of them are ready; bots and spectators do not count.
function GameInfo:AllPlayersReady()
	for _, player in ipairs(self.GameState.PlayerArray) do
		if not player.bIsSpectator and not player.bBot and not player.bReadyToPlay then
			return false
		end
	end
	return self.NumPlayers > 0
end

-- Moves a waiting match towards its start: first it waits for enough players, then for connected players who
-- are still loading, but at most LoadWait seconds, then for the countdown. It is called whenever a player has
-- joined, left or finished loading.
function GameInfo:StartWhenReady()
	if self.GameState.MatchState ~= "WaitingToStart" then
		return
	end
	if not self.bDelayedStart then
		self:StartMatch()
	elseif not self:ReadyToStartMatch() then
		self:WaitFor("players", 0)
	elseif self.NumTravellingPlayers > 0 and self.LoadWait > 0 and self.waitsFor ~= "countdown" then
		self:WaitFor("loading", self.LoadWait)
	elseif self.WarmupTime > 0 then
		self:WaitFor("countdown", self.WarmupTime)
	else
		self:StartMatch()
	end
end

-- Sets what a match in WaitingToStart waits for, and for how long; a repeated call for the same reason
-- changes nothing.
function GameInfo:WaitFor(what, seconds)
	if self.waitsFor ~= what then
		self.waitsFor = what
		self:EndMatchStateIn(seconds)
	end
end

-- Starts a match that waits to start; otherwise does nothing.
function GameInfo:StartMatch()
	if self.GameState.MatchState == "WaitingToStart" then
		self:SetMatchState("InProgress")
	end
end

-- Ends the match. why is for the log and for child classes: "time limit", "goal", or another reason of the
-- game.
function GameInfo:EndMatch(why)
	if self:IsMatchInProgress() then
		self.endedBy = why
		self:SetMatchState("WaitingPostMatch")
	end
end

local AT_ONCE = 4 -- players who get their first pawn in one tick

-- The match begins: every player gets a pawn.
function GameInfo:HandleMatchHasStarted()
	local begun = 0
	for _, controller in ipairs(self:ActorsOf("Controller")) do
		if not self:HasBody(controller) and self:PlayerCanRestart(controller) then
			if begun < AT_ONCE then
				self:TryRestartPlayer(controller)
			else -- choosing many starts exceeds the budget of one call: the others follow in the next ticks
				controller:SetTimer(0.02 * math.floor(begun / AT_ONCE), false, "Respawn")
			end
			begun = begun + 1
		end
	end
end

-- The match is over: nobody can be hurt any more, and dead players are not respawned. A child shows who has
-- won.
function GameInfo:HandleMatchHasEnded() end

-- Travels after the match to the next level, or to the same one again. All players stay connected.
function GameInfo:RestartGame()
	self:ClearTimer("MatchStateOver")
	world:Travel(self:GetNextLevel())
end

-- Returns the URL of the next level: ?next= names one, ?maps=arena,canyon a rotation; otherwise it is the
-- present one.
function GameInfo:GetNextLevel()
	if self.nextLevel ~= "" then
		return self.nextLevel
	end
	local first, found
	for level in self.round:gmatch("[^,]+") do
		first = first or level
		if found then
			return level
		end
		found = level == world.LevelName
	end
	return first or world.LevelName
end

-- 2 Damage, deaths and scores

-- Returns the damage that remains after the game's rules. kind names the damage; instigator is the pawn that
-- caused it, or nil. Outside of the match nobody is hurt.
function GameInfo:ReduceDamage(amount, _, _, _, _, _)
	return self:IsMatchInProgress() and amount or 0
end

-- A pawn died. killer and victim are controllers, or nil for pawns without one; kind names the cause.
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
		self:RespawnLater(victim)
	end
end

-- Schedules the respawn of a controller after RespawnDelay.
function GameInfo:RespawnLater(controller)
	controller.RespawnTime = world.TimeSeconds + self.RespawnDelay
	controller:SetTimer(math.max(0.01, self.RespawnDelay), false, "Respawn")
end

-- A spectator starts to play and waits like a dead player, so that nobody heals by spectating for a moment.
function GameInfo:RestartActivePlayer(pc)
	if self.RespawnDelay > 0 and self:IsMatchInProgress() then
		self:RespawnLater(pc)
	else
		GameInfo.super.RestartActivePlayer(self, pc)
	end
end

-- Scores a death: the killer gets a point; a player who kills themselves or a team-mate loses one.
function GameInfo:ScoreKill(killer, victim)
	if killer and killer ~= victim then
		self:AddScore(killer, self:OnSameTeam(killer, victim) and -1 or 1)
	elseif victim then
		self:AddScore(victim, -1)
	end
end

-- Gives points to a controller, and ends the match if that reaches the goal.
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

-- Announces a death; a child shows it to the players.
function GameInfo:BroadcastDeath(_, _, _, _) end

-- Shows every player a line of text, cleaned to one line of at most 255 bytes; kind is one of those of
-- PlayerController:ClientMessage. Messages are reliable, so a game that sends too many would fill its
-- players' queues: messages of one kind beyond BroadcastBurst and BroadcastRate are dropped, and the log
-- counts them. Returns whether the message was sent.
function GameInfo:Broadcast(text, kind)
	kind = kind or ""
	if not self:MayBroadcast(kind) then
		return false
	end
	text = world:CleanText(text)
	for _, player in ipairs(self:ActorsOf("PlayerController")) do
		player:ClientMessage(text, kind)
	end
	return true
end

-- Takes one message of a kind from the broadcast budget. Returns whether there was one left.
function GameInfo:MayBroadcast(kind)
	self.said = self.said or {}
	local said = self.said[kind]
	if not said then
		said = { Left = self.BroadcastBurst, At = world.TimeSeconds, Dropped = 0 }
		self.said[kind] = said
	end
	said.Left = math.min(
		self.BroadcastBurst, said.Left + (world.TimeSeconds - said.At) * self.BroadcastRate)
	said.At = world.TimeSeconds
	if said.Left < 1 then
		said.Dropped = said.Dropped + 1
		return false
	end
	said.Left = said.Left - 1
	if said.Dropped > 0 then
		self:BroadcastsDropped(kind, said.Dropped)
		said.Dropped = 0
	end
	return true
end

-- Messages of a kind were dropped since the last one that was sent; logs how many.
function GameInfo:BroadcastsDropped(kind, count)
	local text = "broadcasts of kind %q were dropped: %d, since at most %g a second are sent"
	self:Log(text:format(kind, count, self.BroadcastRate))
end

-- A player sends a chat line to all, or to the team. It is cleaned and reaches every player who may receive
-- it and has not muted the sender; a player who sends too many lines gets a warning. A line that begins with
-- "/" is a command for the host: nobody else sees it, and the host answers the player alone. A child may
-- override it to add player commands, for example.
function GameInfo:Chat(sender, text, team)
	if text:find("^%s*/") then
		sender:GiveCommand((text:gsub("^%s*/", "")))
		return
	end
	text = world:CleanText(text, MAX_CHAT)
	if text == "" or not self:MayChat(sender) then
		return
	end
	if self:IsSilenced(sender) then
		sender:ClientMessage("Nobody hears you: a moderator has muted you for this match.")
		return
	end
	local from = sender.PlayerReplicationInfo
	team = team and self.bTeamGame
	log(("%s%s: %s"):format(from:GetQuotedName(), team and " (team)" or "", text))
	for _, player in ipairs(self:ActorsOf("PlayerController")) do
		local other = player.PlayerReplicationInfo
		local hears = other and (not team or other.Team == from.Team)
		if hears and not player:HasMuted(from) then
			player:ClientMessage(text, team and "team" or "chat", from)
		end
	end
end

-- Takes one line from the player's chat budget; warns the player at the first line beyond it.
function GameInfo:MayChat(sender)
	local now = world.TimeSeconds
	local left = (sender.chatLeft or self.ChatBurst) + (now - (sender.chatAt or now)) * self.ChatRate
	left = math.min(self.ChatBurst, left)
	sender.chatAt = now
	if left >= 1 then
		sender.chatLeft, sender.chatRefused = left - 1, false
		return true
	end
	sender.chatLeft = left
	if not sender.chatRefused then
		sender.chatRefused = true
		local wait = math.ceil((1 - left) / self.ChatRate)
		sender:ClientMessage(("You say too much. Wait %d s."):format(wait))
	end
	return false
end

-- Whether a taken item respawns; Pickup calls it when the item is taken.
function GameInfo:ShouldRespawn(item)
	return item.RespawnTime > 0 and self.GameState.MatchState ~= "WaitingPostMatch"
end

-- The travel to a level failed, and the match stays where it is. After a match the current level is tried at
-- once. If that fails, too, both are tried again after a pause, which doubles each time up to a minute, so
-- that somebody can fix the file. Players see the pause as the remaining time.
function GameInfo:TravelFailed(url, why)
	self:Log("cannot travel to " .. url .. ": " .. why)
	if self.GameState.MatchState ~= "WaitingPostMatch" then
		return
	end
	local level = url:match("^[^?]*")
	if level ~= "" and level ~= world.LevelName then
		world:Travel(world.LevelName)
		return
	end
	self.travelPause = math.min((self.travelPause or TRAVEL_PAUSE / 2) * 2, TRAVEL_PAUSE_MAX)
	self:EndMatchStateIn(self.travelPause)
end

return GameInfo
