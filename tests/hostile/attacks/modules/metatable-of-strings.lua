-- rules: G13
-- tries: Takes away what strings can do.
-- expect: MetatableOfStrings:Tick.*\[mod metatable-of-strings\]

local MetatableOfStrings = class("MetatableOfStrings", "Actor")

function MetatableOfStrings:Tick(_)
	getmetatable("").__index.find = nil
end

return MetatableOfStrings
