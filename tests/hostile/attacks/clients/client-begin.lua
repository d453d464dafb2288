-- rules: G5
-- tries: Fails as soon as a player has got it.
-- expect: ClientBegin:PostNetBeginPlay
-- spawn: ClientBegin*50

local ClientBegin = class("ClientBegin", "Actor")

ClientBegin.defaults { bAlwaysRelevant = true }

function ClientBegin.simulated:PostNetBeginPlay()
	local none
	self.n = none.x
end

return ClientBegin
