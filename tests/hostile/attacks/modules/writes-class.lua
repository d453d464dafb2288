-- rules: G13
-- tries: Replaces functions of a class of the game.
-- expect: WritesClass:Tick.*\[mod writes-class\]

local WritesClass = class("WritesClass", "Actor")

function WritesClass:Tick(_)
	local pawn = self:ActorsOf("ShooterPawn")[1]
	local meta = getmetatable(pawn)
	meta.__index = nil
end

return WritesClass
