-- rules: G1 G2
-- tries: The pawn of every player fails when it is hurt: it must die all the same.
-- expect: PawnDamage:TakeDamage.*\[mod pawn-damage\]
-- spawn: none
-- pawn: PawnDamage

local PawnDamage = class("PawnDamage", "ShooterPawn")

function PawnDamage:TakeDamage(_, _, _, _, _)
	error("invulnerable")
end

return PawnDamage
