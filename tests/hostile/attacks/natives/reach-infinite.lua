-- rules: G7
-- tries: Asks for a random place within an infinite radius.
-- expect: ReachInfinite:Tick.*\[mod reach-infinite\]

local ReachInfinite = class("ReachInfinite", "Actor")

function ReachInfinite:Tick(_)
	local inf = 1 / 0
	world:RandomReachable(self.Location, inf)
end

return ReachInfinite
