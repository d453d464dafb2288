-- rules: G9 G17
-- tries: Shows effects without end on every player's machine.
-- expect: stage: the match is over

local ClientEffects = class("ClientEffects", "Actor")

ClientEffects.defaults { bAlwaysRelevant = true }

function ClientEffects.simulated:Tick(_)
	if not self:HasAuthority() then
		for _ = 1, 20 do
			self:SpawnEffect("Explosion", self.Location)
		end
	end
end

return ClientEffects
