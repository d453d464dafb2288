-- rules: G7
-- tries: Asks for jumps across all bounds.
-- expect: JumpFar:Tick.*\[mod jump-far\]

local JumpFar = class("JumpFar", "Actor")

function JumpFar:Tick(_)
	world:JumpVelocity(vector(0, 0, 0), vector(1e200, 1e200, 1e200))
end

return JumpFar
