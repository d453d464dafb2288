-- rules: G9
-- tries: Spawns a thousand actors in every tick.
-- expect: SpawnBurst:Tick.*\[mod spawn-burst\]
-- ci: true

local SpawnBurst = class("SpawnBurst", "Actor")

function SpawnBurst:Tick(_)
	for _ = 1, 1000 do
		self:Spawn("PlayerStart", { Location = self.Location })
	end
end

return SpawnBurst
