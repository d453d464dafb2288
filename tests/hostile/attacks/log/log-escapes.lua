-- rules: G12 G19
-- tries: Logs control sequences of terminals.
-- expect: stage: the match is over
-- never: \x1b
-- never: ^22:00:00\.000

local LogEscapes = class("LogEscapes", "Actor")

function LogEscapes:Tick(_)
	log("\27[2J\27[1;1Howned\r\n22:00:00.000 INF stopped")
end

return LogEscapes
