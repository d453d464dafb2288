-- rules: G1 G6
-- tries: Runs without end while its file is loaded.
-- expect: HangsAtLoad\.lua.*error: instruction budget
-- refused: true
-- spawn: none

local HangsAtLoad = class("HangsAtLoad", "Actor")

while true do
	local _ = 1
end

return HangsAtLoad
