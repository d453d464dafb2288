-- rules: G13
-- tries: Writes past the metatable of a module.
-- expect: RawsetsModule:Tick.*\[mod rawsets-module\]

local RawsetsModule = class("RawsetsModule", "Actor")

local aiming = require("lib.aiming")

function RawsetsModule:Tick(_)
	rawset(aiming, "Lead", nil)
end

return RawsetsModule
