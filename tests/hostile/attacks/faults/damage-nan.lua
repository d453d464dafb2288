-- rules: G1 G7
-- tries: Hurts everybody around by a number that is none.
-- expect: DamageNan:Tick.*\[mod damage-nan\]

local DamageNan = class("DamageNan", "Actor")

function DamageNan:Tick(_)
	local nan = 0 / 0
	self:HurtRadius(nan, nan, nil)
end

return DamageNan
