-- rules: G12
-- tries: Logs a thousand lines in every tick.
-- expect: (LogStorm|log-storm).*(dropped|left out|more)|(dropped|left out|more).*(LogStorm|log-storm)
-- ci: true

local LogStorm = class("LogStorm", "Actor")

function LogStorm:Tick(_)
	for i = 1, 1000 do
		log("storm " .. i)
	end
end

return LogStorm
