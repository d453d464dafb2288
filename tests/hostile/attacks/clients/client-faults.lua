-- rules: G5 G12
-- tries: Fails on every player's machine with a text of its own each time.
-- expect: ClientFaults:Tick.*number

local ClientFaults = class("ClientFaults", "Actor")

ClientFaults.defaults { bAlwaysRelevant = true }

function ClientFaults.simulated:Tick(_)
	if not self:HasAuthority() then
		self.n = (self.n or 0) + 1
		error("number " .. self.n .. " of " .. world.TimeSeconds)
	end
end

return ClientFaults
