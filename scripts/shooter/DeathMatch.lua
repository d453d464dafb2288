-- DeathMatch: everybody against everybody; the first player with GoalScore kills wins. It is the default game
-- of a host. The file is short on purpose: GameInfo runs the match, and this file contains only the
-- differences.
--
--	host 'arena?game=DeathMatch?bots=6?goalscore=20?timelimit=10'
local DeathMatch = class("DeathMatch", "GameInfo")

local announcer = require("lib.announcer")

DeathMatch.defaults {
	DefaultPawnClass = "ShooterPawn",
	PlayerControllerClass = "ShooterPlayer",
	PlayerStateClass = "ShooterPlayerState",
	GameStateClass = "ShooterState",
	HUDType = "ShooterHUD",
	BotClass = "Bot",
	RespawnDelay = 3, -- seconds
	GoalScore = 25, -- kills
	TimeLimit = 15, -- minutes
	PostMatchTime = 10, -- seconds
	bRateStarts = true, -- start out of sight of enemies
}

DeathMatch.components { Kills = "KillCounter" }

-- The match begins. The announcement follows a moment later, when all players have joined.
function DeathMatch:HandleMatchHasStarted()
	DeathMatch.super.HandleMatchHasStarted(self)
	self:SetTimer(0.5, false, "AnnounceStart")
end

-- Tells all players that the match has begun.
function DeathMatch:AnnounceStart()
	announcer.Say(self, announcer.Started(self), "event")
end

-- The level exists: the join screen shows the list of the best.
function DeathMatch:StartPlay()
	DeathMatch.super.StartPlay(self)
	self.Kills:Show()
end

-- A player has joined: their kills of a lifetime are there, and all see the list of the best.
function DeathMatch:PostLogin(pc)
	DeathMatch.super.PostLogin(self, pc)
	self.Kills:Enter(pc)
end

-- The player leaves: what they killed counts in the list.
function DeathMatch:Logout(pc)
	self.Kills:Enter(pc)
	DeathMatch.super.Logout(self, pc)
end

-- A kill counts in this match, and for a lifetime.
function DeathMatch:ScoreKill(killer, victim)
	self.Kills:Count(killer, victim)
	DeathMatch.super.ScoreKill(self, killer, victim)
end

-- Every death goes to the players' kill feed.
function DeathMatch:BroadcastDeath(killer, victim, pawn, kind)
	announcer.Say(self, announcer.Death(killer, victim, pawn, kind), "kill")
end

-- The match is over; announced after the death that ended it.
function DeathMatch:HandleMatchHasEnded()
	DeathMatch.super.HandleMatchHasEnded(self)
	self.Kills:EnterAll()
	self:SetTimer(0.05, false, "AnnounceEnd")
end

-- Tells all players which player has won, and why the match ended.
function DeathMatch:AnnounceEnd()
	announcer.Say(self, announcer.Ended(self, self.endedBy), "event")
end

return DeathMatch
