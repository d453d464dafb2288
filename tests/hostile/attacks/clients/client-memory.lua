-- rules: G8 G17
-- tries: Keeps megabytes on every player's machine.
-- expect: ClientMemory|stage: the match is over

local ClientMemory = class("ClientMemory", "Actor")

ClientMemory.defaults { bAlwaysRelevant = true }

function ClientMemory.simulated:Tick(_)
	if not self:HasAuthority() then
		self.kept = self.kept or {}
		for i = 1, 17 do
			self.kept[#self.kept + 1] = ("x"):rep(30000) .. i .. #self.kept
		end
	end
end

return ClientMemory
