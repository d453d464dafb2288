-- TeamDeathMatch: a deathmatch of two teams, ebb and flood. Points count for the team, and team-mates take no
-- damage.
--
--	host 'estuary?game=TeamDeathMatch?bots=16?goalscore=50'
local TeamDeathMatch = class("TeamDeathMatch", "TeamGame")

local announcer = require("lib.announcer")

TeamDeathMatch.defaults {
	DefaultPawnClass = "ShooterPawn",
	PlayerControllerClass = "ShooterPlayer",
	PlayerStateClass = "ShooterPlayerState",
	GameStateClass = "ShooterState",
	HUDType = "ShooterHUD",
	BotClass = "Bot",
	RespawnDelay = 4, -- seconds
	GoalScore = 50, -- kills per team
	TimeLimit = 15, -- minutes
	PostMatchTime = 10, -- seconds
	TeamNames = { "ebb", "flood" },
}

TeamDeathMatch.components { Kills = "KillCounter" }

-- The match begins. The announcement follows a moment later, when all players have joined.
function TeamDeathMatch:HandleMatchHasStarted()
	TeamDeathMatch.super.HandleMatchHasStarted(self)
	self:SetTimer(0.5, false, "AnnounceStart")
end

-- Tells all players that the match has begun.
function TeamDeathMatch:AnnounceStart()
	announcer.Say(self, announcer.Started(self), "event")
end

-- The level exists: the join screen shows the list of the best.
function TeamDeathMatch:StartPlay()
	TeamDeathMatch.super.StartPlay(self)
	self.Kills:Show()
end

-- A player has joined: their kills of a lifetime are there, and all see the list of the best.
function TeamDeathMatch:PostLogin(pc)
	TeamDeathMatch.super.PostLogin(self, pc)
	self.Kills:Enter(pc)
end

-- The player leaves: what they killed counts in the list.
function TeamDeathMatch:Logout(pc)
	self.Kills:Enter(pc)
	TeamDeathMatch.super.Logout(self, pc)
end

-- A kill counts in this match, and for a lifetime.
function TeamDeathMatch:ScoreKill(killer, victim)
	self.Kills:Count(killer, victim)
	TeamDeathMatch.super.ScoreKill(self, killer, victim)
end

-- Shows every player a line about a death, for the kill feed.
function TeamDeathMatch:BroadcastDeath(killer, victim, pawn, kind)
	announcer.Say(self, announcer.Death(killer, victim, pawn, kind), "kill")
end

-- The match is over; announced after the death that ended it.
function TeamDeathMatch:HandleMatchHasEnded()
	TeamDeathMatch.super.HandleMatchHasEnded(self)
	self.Kills:EnterAll()
	self:SetTimer(0.05, false, "AnnounceEnd")
end

-- Tells all players which team has won, and why the match ended.
function TeamDeathMatch:AnnounceEnd()
	announcer.Say(self, announcer.Ended(self, self.endedBy), "event")
end

return TeamDeathMatch
