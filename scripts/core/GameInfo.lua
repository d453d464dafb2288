-- GameInfo (GameMode): the rules of a match. It lives on the server and standalone only; on a client
-- world.Game is nil, and what players may know stands in world.GameState.
--
-- A game is a child of this class that overrides what differs; the start URL chooses it:
-- arena?game=DeathMatch?maxplayers=16. How players come and go stands in GameModeBase.
--
-- A match waits to start, is in progress and then over (SetMatchState); after that the next level comes, or
-- the same again. A plain GameInfo starts at once, never ends, and leaves the dead dead.
local GameInfo = class("GameInfo", "GameModeBase")

-- Seconds until a travel that failed after a match is tried again: the first time, and at most.
local TRAVEL_PAUSE, TRAVEL_PAUSE_MAX = 5, 60
local MAX_CHAT = 200 -- bytes of a line that a player says

GameInfo.properties {
	bDelayedStart = false, -- nobody has a pawn until the match starts
	MinPlayers = int(1, { min = 0, max = 1024 }), -- ?minplayers=, with bots; a delayed match waits for so many
	bPlayersMustBeReady = false, -- a delayed match waits until all players say that they are (ServerSetReady)
	LoadWait = float(30, { min = 0, max = 3600 }), -- seconds that those who are there wait for others who load
	WarmupTime = float(0, { min = 0, max = 3600 }), -- ?warmup=, seconds from then until a delayed match starts
	TimeLimit = float(0, { min = 0, max = 1440 }), -- ?timelimit=, minutes; 0 for no end
	GoalScore = int(0, { min = 0, max = 100000 }), -- ?goalscore=, the score that ends the match; 0 for no limit
	PostMatchTime = float(10, { min = 0, max = 3600 }), -- ?postmatch=, seconds between the end and the next match
	MaxRecordTime = float(0.4, { min = 0.05, max = 4 }), -- seconds for which shots may be judged by the past
	RespawnDelay = float(-1, { min = -1, max = 600 }), -- seconds from a death to the next life; negative: none
	BroadcastBurst = int(16, { min = 1, max = 64 }), -- messages of a kind that may go to all players at once
	BroadcastRate = float(8, { min = 0.1, max = 60 }), -- and a second from then on
	ChatBurst = int(5, { min = 1, max = 64 }), -- lines that a player may say at once
	ChatRate = float(0.5, { min = 0.05, max = 60 }), -- and a second from then on
}

-- Options of the start URL that are this class's; what else it may say, GameModeBase reads.
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

-- The level's actors are there, players are still to come: from here on the match may begin.
function GameInfo:StartPlay()
	GameInfo.super.StartPlay(self)
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
		world:PrepareTravel(self:GetNextLevel())
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

-- Whether enough are there for a delayed match, and ready where they must be.
function GameInfo:ReadyToStartMatch()
	if not self.bDelayedStart then
		return true
	end
	if self.bPlayersMustBeReady and not self:AllPlayersReady() then
		return false
	end
	return self.NumPlayers + self.NumBots >= math.max(1, self.MinPlayers)
end

-- Whether there are players, and all have said that they are ready; bots and spectators are not asked.
function GameInfo:AllPlayersReady()
	for _, player in ipairs(self.GameState.PlayerArray) do
		if not player.bIsSpectator and not player.bBot and not player.bReadyToPlay then
			return false
		end
	end
	return self.NumPlayers > 0
end

-- Moves a waiting match towards its start: first it waits for enough players, then for those who are
-- connected and still load, but for no longer than LoadWait, then for the countdown. It is asked whenever
-- somebody has come, gone or loaded.
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

-- What a match in WaitingToStart waits for, and how long; asked again for the same it goes on as it is.
function GameInfo:WaitFor(what, seconds)
	if self.waitsFor ~= what then
		self.waitsFor = what
		self:EndMatchStateIn(seconds)
	end
end

-- Starts a match that waits to start; otherwise nothing.
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

local AT_ONCE = 4 -- players who get their first pawn in one tick

-- The match begins: every player gets a pawn.
function GameInfo:HandleMatchHasStarted()
	local begun = 0
	for _, controller in ipairs(self:ActorsOf("Controller")) do
		if not self:HasBody(controller) and self:PlayerCanRestart(controller) then
			if begun < AT_ONCE then
				self:TryRestartPlayer(controller)
			else -- to choose so many starts is more than one call may do: they come in the next ticks
				controller:SetTimer(0.02 * math.floor(begun / AT_ONCE), false, "Respawn")
			end
			begun = begun + 1
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
		self:RespawnLater(victim)
	end
end

-- The next life of a controller comes after RespawnDelay.
function GameInfo:RespawnLater(controller)
	controller.RespawnTime = world.TimeSeconds + self.RespawnDelay
	controller:SetTimer(math.max(0.01, self.RespawnDelay), false, "Respawn")
end

-- A spectator who starts to play waits like a dead player, so that watching for a moment is no way to heal.
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

-- Shows every player a line of text, as one clean line of at most 255 bytes; kind is one of those of
-- PlayerController:ClientMessage. Messages are reliable, so a game that says too much would fill its players'
-- queues: beyond BroadcastBurst and BroadcastRate messages of the same kind are dropped, and the log says how
-- many. Returns whether it was sent.
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

-- Takes one message of a kind from what may be said now.
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

-- Messages of a kind were dropped since the last that was sent; the log says how many.
function GameInfo:BroadcastsDropped(kind, count)
	local text = "dropped %d broadcasts of kind %q: more than %g a second"
	self:Log(text:format(count, kind, self.BroadcastRate))
end

-- A player says something to all, or to the team. It is cleaned and reaches everybody who may hear it and has
-- not muted the player; one who says too much is told so. A child may override it for commands of players, say.
function GameInfo:Chat(sender, text, team)
	text = world:CleanText(text, MAX_CHAT)
	if text == "" or not self:MayChat(sender) then
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

-- Takes one line from what a player may say now; of the first that is too much the player hears.
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

-- Whether a taken item comes back; Pickup calls it when the item is due.
function GameInfo:ShouldRespawn(item)
	return item.RespawnTime > 0 and self.GameState.MatchState ~= "WaitingPostMatch"
end

-- The travel to a level failed, and the match stays where it is. After a match the current level is
-- tried at once. If that fails, too, both are tried again after a pause, which doubles each time up
-- to a minute, so that somebody can fix the file. Players see the pause as the remaining time.
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
