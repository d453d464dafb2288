-- rules: G1
-- tries: Tells the game of deaths of nobody by nobody, of a kind that is a table.
-- expect: KillsNobody:Tick.*\[mod kills-nobody\]

local KillsNobody = class("KillsNobody", "Actor")

function KillsNobody:Tick(_)
	world.Game:Killed(self, self, self, {})
end

return KillsNobody
