-- rules: G3 G7
-- tries: Saves a class whose Reloaded fails.
-- expect: reloaded
-- late: true
-- spawn: none

local SavesReloaded = class("SavesReloaded", "Actor")

function SavesReloaded:Reloaded(_)
	error("again")
end

return SavesReloaded
