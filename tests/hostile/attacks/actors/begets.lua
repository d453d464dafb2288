-- rules: G9
-- tries: Every actor of it spawns two while it begins.
-- expect: Begets:BeginPlay.*\[mod begets\]

local Begets = class("Begets", "Actor")

function Begets:BeginPlay()
	self:Spawn("Begets", { Location = self.Location })
	self:Spawn("Begets", { Location = self.Location })
end

return Begets
