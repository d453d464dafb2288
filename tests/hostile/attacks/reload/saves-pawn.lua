-- rules: G3 G7
-- tries: Saves a class that replaces the pawn of all players in a match that goes on.
-- expect: not reloaded
-- late: true
-- spawn: none
-- as: shooter/ShooterPawn.lua

local ShooterPawn = class("ShooterPawn", "Nobody")

return ShooterPawn
