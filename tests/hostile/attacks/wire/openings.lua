-- rules: G10
-- tries: Opens and closes channels: actors that everybody gets are spawned and destroyed.
-- expect: Openings.*\[mod openings\]|stage: the match is over

local Openings = class("Openings", "Actor")

function Openings:Tick(_)
	self.made = self.made or {}
	for _ = 1, 40 do
		self.made[#self.made + 1] = self:Spawn("AmmoPickup", { Location = self.Location, bAlwaysRelevant = true })
	end
	while #self.made > 80 do
		local old = table.remove(self.made, 1)
		if not old.bDeleteMe then
			old:Destroy()
		end
	end
end

return Openings
