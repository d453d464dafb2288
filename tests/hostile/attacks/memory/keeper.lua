-- rules: G8
-- tries: Keeps five megabytes more in every tick.
-- expect: Keeper.*\[mod keeper\]
-- ci: true

local Keeper = class("Keeper", "Actor")

function Keeper:Tick(_)
	self.kept = self.kept or {}
	for i = 1, 170 do
		self.kept[#self.kept + 1] = ("x"):rep(30000) .. #self.kept .. i
	end
end

return Keeper
