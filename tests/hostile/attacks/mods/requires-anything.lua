-- rules: G1 G6
-- tries: Requires files of the machine.
-- expect: error: .*(require|module|passwd)
-- refused: true
-- spawn: none

local RequiresAnything = class("RequiresAnything", "Actor")

local secrets = require("../../../etc/passwd")

function RequiresAnything:Tick(_)
	self.n = secrets
end

return RequiresAnything
