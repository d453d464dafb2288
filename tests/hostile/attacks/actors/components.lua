-- rules: G9
-- tries: Adds components to itself without end.
-- expect: Components.*\[mod components\]|stage: the match is over

local Components = class("Components", "Actor")

function Components:Tick(_)
	self.n = (self.n or 0) + 1
	self:AddComponent("ActorComponent", "Part" .. self.n)
end

return Components
