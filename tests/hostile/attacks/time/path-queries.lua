-- rules: G6 G7
-- tries: Looks for paths across the level in every tick.
-- expect: PathQueries:.*\[mod path-queries\]

local PathQueries = class("PathQueries", "Actor")

function PathQueries:Tick(_)
	local starts = self:ActorsOf("PlayerStart")
	for i = 1, 60 do
		world:FindPath(starts[1].Location, starts[i % #starts + 1].Location)
	end
end

return PathQueries
