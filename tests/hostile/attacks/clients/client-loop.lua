-- rules: G17
-- tries: A Tick without end on every player's machine.
-- expect: ClientLoop:Tick

local ClientLoop = class("ClientLoop", "Actor")

ClientLoop.defaults { bAlwaysRelevant = true }

function ClientLoop.simulated:Tick(_)
	if not self:HasAuthority() then
		while true do
			self.n = 1
		end
	end
end

return ClientLoop
