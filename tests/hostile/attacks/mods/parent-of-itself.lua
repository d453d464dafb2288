-- rules: G1 G6
-- tries: Declares classes that descend from each other.
-- expect: error: .*(Egg|Hen)
-- refused: true
-- spawn: none

local Egg = class("Egg", "Hen")

return Egg

-- file: Hen.lua
local Hen = class("Hen", "Egg")

return Hen
