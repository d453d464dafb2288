-- rules: G9
-- tries: Every actor of it spawns two when it is destroyed.
-- expect: NeverDies:Destroyed.*\[mod never-dies\]

local NeverDies = class("NeverDies", "Actor")

function NeverDies:BeginPlay()
	self.LifeSpan = 0.1
end

function NeverDies:Destroyed()
	self:Spawn("NeverDies", { Location = self.Location })
	self:Spawn("NeverDies", { Location = self.Location })
end

return NeverDies
