-- rules: G7
-- tries: Makes its body infinite.
-- expect: SizeInfinite:Tick.*\[mod size-infinite\]

local SizeInfinite = class("SizeInfinite", "Actor")

function SizeInfinite:Tick(_)
	local inf = 1 / 0
	self:SetCollisionSize(inf, inf)
end

return SizeInfinite
