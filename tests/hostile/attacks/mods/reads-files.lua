-- rules: G1 G6
-- tries: Reads files of the machine.
-- expect: error: .*io
-- refused: true
-- spawn: none

local ReadsFiles = class("ReadsFiles", "Actor")

function ReadsFiles:Tick(_)
	self.n = io.open("/etc/passwd"):read("*a")
end

return ReadsFiles
