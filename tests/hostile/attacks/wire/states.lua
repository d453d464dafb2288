-- rules: G10
-- tries: Puts the machines of all players into states.
-- expect: States:.*\[mod states\]|stage: the match is over

local States = class("States", "Actor")

function States:Tick(_)
	for _, pc in ipairs(self:ActorsOf("PlayerController")) do
		for _ = 1, 20 do
			pc:ClientGotoState("")
		end
	end
end

return States
