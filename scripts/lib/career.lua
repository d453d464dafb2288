-- career: the kills of a lifetime, which all games of the sample count, and the list of the best.
local bestlist = require("lib.bestlist")

local career = {}

local LIST = "kills" -- the list in the store

-- Returns the PlayerState of a controller, if the game keeps kills: a game may have a class of its own.
local function playerOf(controller)
	local player = controller and controller.PlayerReplicationInfo
	return player and player:IsA("ShooterPlayerState") and player or nil
end

-- Gives a player their place in the list: they have joined or leave.
function career.Enter(game, controller)
	local player = playerOf(controller)
	if player and game.GameState:IsA("ShooterState") then
		bestlist.Enter(game.GameState, LIST, player, player.Kills)
	end
end

-- Gives all players their places: a match is over.
function career.EnterAll(game)
	for _, controller in ipairs(game:ActorsOf("PlayerController")) do
		career.Enter(game, controller)
	end
end

-- A player has killed somebody: it counts if that was an enemy.
function career.Count(game, killer, victim)
	local player = playerOf(killer)
	if player and victim and game:IsEnemy(killer, victim) then
		player.Kills = player.Kills + 1
	end
end

return career
