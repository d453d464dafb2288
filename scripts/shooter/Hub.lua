-- Hub: a hall between the matches, in which nobody can be hurt and nothing ends. Its doors lead to other hosts
-- of the cluster (HubDoor), and the command hub of every game leads back.
--
--	host 'hub?game=Hub' --label hub
--	host 'arena?game=DeathMatch' --label arena
local Hub = class("Hub", "GameInfo")

Hub.defaults {
	DefaultPawnClass = "ShooterPawn",
	PlayerControllerClass = "ShooterPlayer",
	PlayerStateClass = "ShooterPlayerState",
	GameStateClass = "ShooterState",
	HUDType = "ShooterHUD",
	BotClass = "Bot",
	RespawnDelay = 1, -- seconds
}

Hub.components { Kills = "KillCounter" }

-- A player has joined, and all see the list of the best.
function Hub:PostLogin(pc)
	Hub.super.PostLogin(self, pc)
	self.Kills:Enter(pc)
end

-- Nobody is hurt in the hub.
function Hub:ReduceDamage(_, _, _, _, _, _)
	return 0
end

-- A death, by a fall or by a command, scores nothing.
function Hub:ScoreKill(_, _) end

-- Go to the hub.
function Hub.console:Hub()
	error("this is the hub: walk into a door", 0)
end
Hub.roles { Hub = "none" }

return Hub
