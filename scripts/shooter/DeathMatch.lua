-- DeathMatch: everybody against everybody; the first player with GoalScore kills wins. A fresh host plays
-- it. It is short on purpose: GameInfo runs the match, this file says what is special about this one.
--
--	host 'arena?game=DeathMatch?bots=6?goalscore=20?timelimit=10'
local DeathMatch = class("DeathMatch", "GameInfo")

local announcer = require("lib.announcer")

DeathMatch.defaults {
	DefaultPawnClass = "ShooterPawn",
	PlayerControllerClass = "ShooterPlayer",
	HUDType = "ShooterHUD",
	BotClass = "Bot",
	RespawnDelay = 3, -- seconds
	GoalScore = 25, -- kills
	TimeLimit = 15, -- minutes
	PostMatchTime = 10, -- seconds
	bRateStarts = true, -- begin where no enemy looks
}

-- The match begins. The announcement follows a moment later, when all players are in.
function DeathMatch:HandleMatchHasStarted()
	DeathMatch.super.HandleMatchHasStarted(self)
	self:SetTimer(0.5, false, "AnnounceStart")
end

-- Tells all players that the match has begun.
function DeathMatch:AnnounceStart()
	announcer.Say(self, announcer.Started(self), "event")
end

-- Every death goes to the players' kill feed.
function DeathMatch:BroadcastDeath(killer, victim, pawn, kind)
	announcer.Say(self, announcer.Death(killer, victim, pawn, kind), "kill")
end

-- It is over; said after the death that ended it.
function DeathMatch:HandleMatchHasEnded()
	DeathMatch.super.HandleMatchHasEnded(self)
	self:SetTimer(0.05, false, "AnnounceEnd")
end

-- Tells all players which player has won, and why the match ended.
function DeathMatch:AnnounceEnd()
	announcer.Say(self, announcer.Ended(self, self.endedBy), "event")
end

return DeathMatch
