-- rules: G12
-- tries: Logs lines of 32 kilobytes.
-- expect: (LogLong|log-long).*(dropped|left out|more)|(dropped|left out|more).*(LogLong|log-long)

local LogLong = class("LogLong", "Actor")

function LogLong:Tick(_)
	log(("long "):rep(6500))
end

return LogLong
