-- rules: G1 G2
-- tries: A game of the mod fails when the match is over: the next one begins all the same.
-- expect: GameEnd:HandleMatchHasEnded.*\[mod game-end\]
-- spawn: none
-- game: GameEnd

local GameEnd = class("GameEnd", "StagedMatch")

function GameEnd:HandleMatchHasEnded()
	log("stage: the match is over")
	error("never over")
end

return GameEnd
