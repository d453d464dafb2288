-- rules: G1 G2
-- tries: The pawn of every player fails in Tick.
-- expect: PawnTick:Tick.*\[mod pawn-tick\]
-- spawn: none
-- pawn: PawnTick

local PawnTick = class("PawnTick", "ShooterPawn")

function PawnTick:Tick(dt)
	PawnTick.super.Tick(self, dt)
	local none
	self.n = none.x
end

return PawnTick
