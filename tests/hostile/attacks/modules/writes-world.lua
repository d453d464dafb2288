-- rules: G13
-- tries: Writes what the world tells, and gives it another metatable.
-- expect: WritesWorld:Tick.*\[mod writes-world\]

local WritesWorld = class("WritesWorld", "Actor")

function WritesWorld:Tick(_)
	local function spoil(w)
		pcall(setmetatable, w, {})
		w.TimeSeconds = 0
	end
	spoil(world)
end

return WritesWorld
