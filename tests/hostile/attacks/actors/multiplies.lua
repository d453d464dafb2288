-- rules: G9
-- tries: Every actor of it spawns another in every tick.
-- expect: Multiplies.*\[mod multiplies\]

local Multiplies = class("Multiplies", "Actor")

function Multiplies:Tick(_)
	self:Spawn("Multiplies", { Location = self.Location })
end

return Multiplies
