-- rules: G13
-- tries: Empties the module that bots aim by.
-- expect: EmptiesAiming:Tick.*\[mod empties-aiming\]
-- ci: true

local EmptiesAiming = class("EmptiesAiming", "Actor")

local aiming = require("lib.aiming")

function EmptiesAiming:Tick(_)
	for key in pairs(aiming) do
		aiming[key] = nil
	end
end

return EmptiesAiming
