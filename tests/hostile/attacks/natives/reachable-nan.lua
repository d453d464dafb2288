-- rules: G7
-- tries: Asks whether a place that is none can be reached.
-- expect: ReachableNan:Tick.*\[mod reachable-nan\]

local ReachableNan = class("ReachableNan", "Actor")

function ReachableNan:Tick(_)
	local nan = 0 / 0
	world:Reachable(vector(nan, nan, nan), vector(nan, 0, 0))
end

return ReachableNan
