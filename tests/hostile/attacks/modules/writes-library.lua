-- rules: G13
-- tries: Replaces functions of the standard library.
-- expect: WritesLibrary:Tick.*\[mod writes-library\]

local WritesLibrary = class("WritesLibrary", "Actor")

function WritesLibrary:Tick(_)
	local lib = math
	lib.random = nil
end

return WritesLibrary
