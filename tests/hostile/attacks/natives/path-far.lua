-- rules: G7
-- tries: Looks for a path between places beyond all bounds.
-- expect: PathFar:Tick.*\[mod path-far\]

local PathFar = class("PathFar", "Actor")

function PathFar:Tick(_)
	world:FindPath(vector(1e200, 1e200, 0), vector(-1e200, 0, 0))
end

return PathFar
