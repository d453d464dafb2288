-- rules: G12
-- tries: Fails with another text each time, in ten functions.
-- expect: LogFaults:Tick.*\[mod log-faults\]

local LogFaults = class("LogFaults", "Actor")

function LogFaults:Tick(_)
	self.n = (self.n or 0) + 1
	error("fault " .. self.n .. ("."):rep(500))
end

return LogFaults
