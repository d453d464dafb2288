-- rules: G7
-- tries: Asks for the actors within an infinite radius of a place that is none.
-- expect: RadiusInfinite:Tick.*\[mod radius-infinite\]

local RadiusInfinite = class("RadiusInfinite", "Actor")

function RadiusInfinite:Tick(_)
	local inf = 1 / 0
	self:ActorsInRadius("Actor", inf, vector(inf, 0, 0))
end

return RadiusInfinite
