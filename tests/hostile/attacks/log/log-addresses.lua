-- rules: G12 G19
-- tries: Logs tables and functions.
-- expect: stage: the match is over
-- never: 0x[0-9a-f]{6}|(table|function|userdata|thread):? *(0x)?[0-9a-f]{6}

local LogAddresses = class("LogAddresses", "Actor")

function LogAddresses:Tick(_)
	log(tostring({}), tostring(log), tostring(self))
	log({}, function() end)
end

return LogAddresses
