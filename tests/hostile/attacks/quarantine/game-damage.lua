-- rules: G1 G2
-- tries: A game of the mod fails to say what damage counts.
-- expect: GameDamage:ReduceDamage.*\[mod game-damage\]
-- spawn: none
-- game: GameDamage

local GameDamage = class("GameDamage", "StagedMatch")

function GameDamage:ReduceDamage(_, _, _, _, _)
	error("all of it")
end

return GameDamage
