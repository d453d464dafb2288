-- rules: G1
-- tries: Hurts every pawn by 3e38.
-- expect: DamageWithoutEnd:Tick.*\[mod damage-without-end\]

local DamageWithoutEnd = class("DamageWithoutEnd", "Actor")

function DamageWithoutEnd:Tick(_)
	for _, pawn in ipairs(self:ActorsOf("Pawn")) do
		pawn:TakeDamage(3e38, nil, pawn.Location, vector(3e38, 0, 0), "hostile")
	end
end

return DamageWithoutEnd
