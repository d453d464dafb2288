-- rules: G7
-- tries: Calculates with denormals in every native that it finds.
-- expect: stage: the match is over

local Denormals = class("Denormals", "Actor")

function Denormals:Tick(_)
	local tiny = 1e-310
	for _ = 1, 100 do
		self:Move(vector(tiny, tiny, tiny))
		self:Trace(self.Location, self.Location + vector(tiny, 0, 0))
	end
end

return Denormals
