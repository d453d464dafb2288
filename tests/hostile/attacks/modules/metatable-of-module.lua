-- rules: G13
-- tries: Gives a module another metatable.
-- expect: MetatableOfModule:Tick.*\[mod metatable-of-module\]

local MetatableOfModule = class("MetatableOfModule", "Actor")

local aiming = require("lib.aiming")

function MetatableOfModule:Tick(_)
	setmetatable(aiming, { __index = function()
		error("gone")
	end })
end

return MetatableOfModule
