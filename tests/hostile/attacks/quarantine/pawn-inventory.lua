-- rules: G1 G2
-- tries: The pawn of every player fails to get its weapons.
-- expect: PawnInventory:AddDefaultInventory.*\[mod pawn-inventory\]
-- spawn: none
-- pawn: PawnInventory

local PawnInventory = class("PawnInventory", "ShooterPawn")

function PawnInventory:AddDefaultInventory()
	error("no weapons")
end

return PawnInventory
