-- rules: G6 G9
-- tries: Spawns and destroys two hundred actors in every tick.
-- expect: ChurnActors.*\[mod churn-actors\]|stage: the match is over

local ChurnActors = class("ChurnActors", "Actor")

function ChurnActors:Tick(_)
	for _ = 1, 200 do
		local made = self:Spawn("Info", { Location = self.Location })
		if made then
			made:Destroy()
		end
	end
end

return ChurnActors
