-- rules: G1
-- tries: Hurts every pawn with TakeDamage(200) and no more: the pawn must not be blamed.
-- expect: stage: the match is over

local DamageWithoutKind = class("DamageWithoutKind", "Actor")

function DamageWithoutKind:Tick(_)
	local hurt = "TakeDamage"
	for _, pawn in ipairs(self:ActorsOf("Pawn")) do
		pawn[hurt](pawn, 200)
	end
end

return DamageWithoutKind
