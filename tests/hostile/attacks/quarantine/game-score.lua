-- rules: G1 G2
-- tries: A game of the mod fails to count.
-- expect: stage: the match is over
-- spawn: none
-- game: GameScore

local GameScore = class("GameScore", "StagedMatch")

function GameScore:ScoreKill(_, _)
	error("nobody scores")
end

return GameScore
