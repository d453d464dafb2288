-- rules: G3 G7
-- tries: Saves a file that wants all memory when it is loaded.
-- expect: not reloaded
-- late: true
-- spawn: none

local SavesMemory = class("SavesMemory", "Actor")

local t = {}
for i = 1, 1e9 do
	t[i] = ("x"):rep(30000) .. i
end

return SavesMemory
