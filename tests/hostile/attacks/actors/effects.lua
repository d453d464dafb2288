-- rules: G9 G17
-- tries: Shows effects without end.
-- expect: Effects.*\[mod effects\]|stage: the match is over

local Effects = class("Effects", "Actor")

function Effects:Tick(_)
	for _ = 1, 300 do
		self:SpawnEffect("Explosion", self.Location)
	end
end

return Effects
