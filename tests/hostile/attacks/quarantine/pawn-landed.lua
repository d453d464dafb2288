-- rules: G1 G2
-- tries: The pawn of every player fails when it lands, in the middle of its move.
-- expect: PawnLanded:Landed.*\[mod pawn-landed\]
-- spawn: none
-- pawn: PawnLanded

local PawnLanded = class("PawnLanded", "ShooterPawn")

function PawnLanded:Landed(_)
	error("ouch")
end

return PawnLanded
