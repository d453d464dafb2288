-- rules: G6 G17
-- tries: Takes ten milliseconds of every tick of every player's machine.
-- expect: stage: the match is over

local ClientBurner = class("ClientBurner", "Actor")

ClientBurner.defaults { bAlwaysRelevant = true }

function ClientBurner.simulated:Tick(_)
	if not self:HasAuthority() then
		local x = 0
		for i = 1, 100000 do
			x = x + i
		end
		self.n = x
	end
end

return ClientBurner
