-- KillCounter: counts the kills of a lifetime, and keeps the list of the best. It is a component of every game
-- of the sample; the players' numbers are in ShooterPlayerState, and what all see is in ShooterState.
local KillCounter = class("KillCounter", "ActorComponent")

local bestlist = require("lib.bestlist")

local LIST = "kills" -- the list in the store

-- Returns the PlayerState of a controller, if it keeps kills: a child of a game may have a class of its own.
local function playerOf(controller)
	local player = controller and controller.PlayerReplicationInfo
	return player and player:IsA("ShooterPlayerState") and player or nil
end

-- Shows the list. A game calls it at its start, so that the join screen has it before anybody has joined.
function KillCounter:Show()
	local state = world.GameState
	if state:IsA("ShooterState") then
		bestlist.Show(state, LIST)
	end
end

-- Gives a player their place in the list: they have joined, or leave.
function KillCounter:Enter(controller)
	local player, state = playerOf(controller), world.GameState
	if player and state:IsA("ShooterState") then
		bestlist.Enter(state, LIST, player, player.Kills)
	end
end

-- Gives all players their places: a match is over.
function KillCounter:EnterAll()
	for _, controller in ipairs(self:GetOwner():ActorsOf("PlayerController")) do
		self:Enter(controller)
	end
end

-- Somebody has killed somebody: it counts if that was an enemy.
function KillCounter:Count(killer, victim)
	local player = playerOf(killer)
	if player and victim and self:GetOwner():IsEnemy(killer, victim) then
		player.Kills = player.Kills + 1
	end
end

return KillCounter
