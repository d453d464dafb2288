-- rules: G7
-- tries: Gives itself an infinite velocity.
-- expect: VelocityInfinite:Tick.*\[mod velocity-infinite\]

local VelocityInfinite = class("VelocityInfinite", "Actor")

function VelocityInfinite:Tick(_)
	local inf = 1 / 0
	self.Velocity = vector(inf, inf, inf)
	self:Move(vector(inf, 0, 0))
end

return VelocityInfinite
