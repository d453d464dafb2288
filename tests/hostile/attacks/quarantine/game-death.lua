-- rules: G1 G2
-- tries: A game of the mod fails at every death: players respawn all the same.
-- expect: stage: the match is over
-- spawn: none
-- game: GameDeath

local GameDeath = class("GameDeath", "StagedMatch")

function GameDeath:BroadcastDeath(_, _, _, _)
	error("nobody died")
end

return GameDeath
