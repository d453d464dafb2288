-- rules: G1 G6
-- tries: A file of a hundred thousand signs.
-- expect: error: 
-- as: Minus.lua
-- refused: true
-- spawn: none

local MinusBomb = class("MinusBomb", "Actor")
local bomb = @repeat(100000, - )@1
return MinusBomb
