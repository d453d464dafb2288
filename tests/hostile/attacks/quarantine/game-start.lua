-- rules: G1 G2
-- tries: A game of the mod fails to choose where a player begins, from the attack on: the dead respawn all the same.
-- expect: GameStart:RatePlayerStart.*\[mod game-start\]
-- spawn: none
-- game: GameStart

local GameStart = class("GameStart", "StagedMatch")

function GameStart:BeginAttack()
	self.bad = true
	GameStart.super.BeginAttack(self)
end

function GameStart:RatePlayerStart(start, controller)
	if self.bad then
		error("nowhere")
	end
	return GameStart.super.RatePlayerStart(self, start, controller)
end

return GameStart
