-- rules: G6 G7
-- tries: A thousand traces through the level in every tick.
-- expect: SightQueries:.*\[mod sight-queries\]

local SightQueries = class("SightQueries", "Actor")

function SightQueries:Tick(_)
	local here = self.Location
	for i = 1, 1000 do
		self:Trace(here, here + vector(4000, i, 0))
	end
end

return SightQueries
