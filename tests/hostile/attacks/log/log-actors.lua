-- rules: G12
-- tries: A hundred actors log by themselves.
-- expect: (LogActors|log-actors).*(dropped|left out|more)|(dropped|left out|more).*(LogActors|log-actors)
-- spawn: LogActors*100

local LogActors = class("LogActors", "Actor")

function LogActors:Tick(_)
	self:Log("here", self.Name)
end

return LogActors
