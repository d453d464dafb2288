-- rules: G1 G6
-- tries: A file of a hundred thousand braces.
-- expect: error: 
-- as: Bomb.lua
-- refused: true
-- spawn: none

local ParserBomb = class("ParserBomb", "Actor")
local bomb = @repeat(100000, {)@
return ParserBomb
