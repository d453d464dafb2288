-- rules: G7
-- tries: Puts itself a million million uu away.
-- expect: LocationFar:Tick.*\[mod location-far\]

local LocationFar = class("LocationFar", "Actor")

function LocationFar:Tick(_)
	self:SetLocation(vector(1e12, -1e12, 1e12))
end

return LocationFar
