-- rules: G7
-- tries: Moves by a million million uu in one step.
-- expect: MoveFar:Tick.*\[mod move-far\]

local MoveFar = class("MoveFar", "Actor")

function MoveFar:Tick(_)
	self:Move(vector(1e12, 1e12, 1e12))
end

return MoveFar
