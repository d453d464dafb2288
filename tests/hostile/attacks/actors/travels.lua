-- rules: G1
-- tries: Travels to another level in every tick.
-- expect: Travels.*\[mod travels\]

local Travels = class("Travels", "Actor")

function Travels:Tick(_)
	world:Travel("arena")
end

return Travels
