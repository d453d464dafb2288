-- rules: G9
-- tries: Fires a hundred rockets in every tick at the players.
-- expect: Rockets.*\[mod rockets\]

local Rockets = class("Rockets", "Actor")

function Rockets:Tick(_)
	for i = 1, 100 do
		self:Spawn("Rocket", { Location = self.Location + vector(0, 0, 60), Rotation = rotator(0, i * 655, 0) })
	end
end

return Rockets
