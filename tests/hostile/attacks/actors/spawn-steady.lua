-- rules: G9
-- tries: Spawns two hundred actors in every tick and keeps them.
-- expect: SpawnSteady:Tick.*\[mod spawn-steady\]

local SpawnSteady = class("SpawnSteady", "Actor")

function SpawnSteady:Tick(_)
	for _ = 1, 200 do
		self:Spawn("Info", { Location = self.Location })
	end
end

return SpawnSteady
