-- rules: G1 G6
-- tries: Declares a class that there is.
-- expect: error: .*Rifle.*(twice|again|already|also|two)
-- as: Rifle.lua
-- refused: true
-- spawn: none

local Rifle = class("Rifle", "Actor")

return Rifle
