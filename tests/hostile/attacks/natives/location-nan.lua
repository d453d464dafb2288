-- rules: G7
-- tries: Puts pawns where no place is.
-- expect: LocationNan:Tick.*\[mod location-nan\]

local LocationNan = class("LocationNan", "Actor")

function LocationNan:Tick(_)
	local nan = 0 / 0
	for _, pawn in ipairs(self:ActorsOf("Pawn")) do
		pawn:SetLocation(vector(nan, nan, nan))
	end
end

return LocationNan
