-- rules: G1
-- tries: Calls public functions of core with what they cannot use, so that core would be quarantined.
-- expect: BlamesCore:Tick.*\[mod blames-core\]

local BlamesCore = class("BlamesCore", "Actor")

function BlamesCore:Tick(_)
	local names = { "Possess", "UnPossess", "SetTeam", "RestartPlayer", "ChangeTeam", "Logout", "PostLogin" }
	for _, name in ipairs(names) do
		pcall(function()
			world.Game[name](world.Game, self, "x", 3)
		end)
	end
	world.Game:RestartPlayer(self)
end

return BlamesCore
