-- rules: G7
-- tries: Repeats a string to two gigabytes.
-- expect: StringRep:Tick.*\[mod string-rep\]

local StringRep = class("StringRep", "Actor")

function StringRep:Tick(_)
	local n = 2 ^ 31
	self.s = string.rep("a", n)
end

return StringRep
