-- HubGame: a hall between the matches, in which nobody can be hurt and nothing ends. Its doors lead to other
-- hosts of the cluster (HubDoor), and the command hub of every game leads back.
--
--	host 'hub?game=HubGame' --label hub
--	host 'arena?game=DeathMatch' --label arena
local HubGame = class("HubGame", "GameInfo")

HubGame.defaults {
	DefaultPawnClass = "ShooterPawn",
	PlayerControllerClass = "ShooterPlayer",
	PlayerStateClass = "ShooterPlayerState",
	GameStateClass = "ShooterState",
	HUDType = "ShooterHUD",
	BotClass = "Bot",
	RespawnDelay = 1, -- seconds
}

HubGame.components { Kills = "KillCounter" }

-- The level exists: the join screen shows the list of the best.
function HubGame:StartPlay()
	HubGame.super.StartPlay(self)
	self.Kills:Show()
end

-- A player has joined, and all see the list of the best.
function HubGame:PostLogin(pc)
	HubGame.super.PostLogin(self, pc)
	self.Kills:Enter(pc)
end

-- Nobody is hurt in the hub.
function HubGame:ReduceDamage(_, _, _, _, _, _)
	return 0
end

-- A death, by a fall or by a command, scores nothing.
function HubGame:ScoreKill(_, _) end

-- Go to the hub.
function HubGame.console:Hub()
	error("this is the hub: walk into a door", 0)
end
HubGame.roles { Hub = "none" }

return HubGame
