-- rules: G7
-- tries: Makes the world its own base and owner.
-- expect: BaseLoop:Tick.*\[mod base-loop\]

local BaseLoop = class("BaseLoop", "Actor")

function BaseLoop:Tick(_)
	self:SetBase(self)
	self:SetOwner(self)
end

return BaseLoop
