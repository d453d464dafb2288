-- rules: G1 G2
-- tries: Calls itself without end.
-- expect: Recursion:Tick.*\[mod recursion\]

local Recursion = class("Recursion", "Actor")

function Recursion:Tick(_)
	self:Tick(0)
end

return Recursion
