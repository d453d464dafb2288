-- rules: G1 G2
-- tries: The pawn of every player fails when a player takes it.
-- expect: PawnPossessed:Possessed.*\[mod pawn-possessed\]
-- spawn: none
-- pawn: PawnPossessed

local PawnPossessed = class("PawnPossessed", "ShooterPawn")

function PawnPossessed:Possessed(_)
	error("not yours")
end

return PawnPossessed
