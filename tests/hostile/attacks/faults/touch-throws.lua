-- rules: G1
-- tries: An actor that touches it makes it fail, on the stack of the pawn that moves.
-- expect: TouchThrows:Touch.*\[mod touch-throws\]

local TouchThrows = class("TouchThrows", "Actor")

TouchThrows.defaults { bCollideActors = true, CollisionRadius = 3000, CollisionHeight = 600 }

function TouchThrows:Touch(other)
	error("touched by " .. other.Name)
end

return TouchThrows
