-- rules: G5
-- tries: Fails on every player's machine in every tick.
-- expect: ClientFault:Tick.*on your machine.*
-- ci: true

local ClientFault = class("ClientFault", "Actor")

ClientFault.defaults { bAlwaysRelevant = true }

function ClientFault.simulated:Tick(_)
	if not self:HasAuthority() then
		error("on your machine")
	end
end

return ClientFault
