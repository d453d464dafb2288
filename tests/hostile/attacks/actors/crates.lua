-- rules: G6 G9
-- tries: Piles up rigid bodies.
-- expect: Crates.*\[mod crates\]

local Crates = class("Crates", "Actor")

function Crates:Tick(_)
	for i = 1, 5 do
		self:Spawn("Crate", { Location = self.Location + vector(i * 3, 0, 100 + i * 40) })
	end
end

return Crates
