-- rules: G3 G7
-- tries: Saves a file that does not end when it is loaded.
-- expect: not reloaded
-- late: true
-- spawn: none

local SavesLoop = class("SavesLoop", "Actor")

local n = 0
while true do
	n = n + 1
end

return SavesLoop
