-- Character: a pawn on two legs. Walks, jumps and falls, takes steps of 35 uu and slopes up to 45 degrees.
local Character = class("Character", "Pawn")

Character.defaults {
	CollisionRadius = 34,
	CollisionHeight = 88, -- half of its height
	EyeHeight = 64,
	GroundSpeed = 440,
	JumpZ = 420,
	Physics = PHYS_Walking,
}

return Character
