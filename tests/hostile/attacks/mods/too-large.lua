-- rules: G1 G6
-- tries: A file of a megabyte.
-- expect: error: 
-- as: Large.lua
-- refused: true
-- spawn: none

local TooLarge = class("TooLarge", "Actor")
-- xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
--[[ @repeat(1050000, y)@ ]]
return TooLarge
