-- Character: a pawn with two legs. It walks, jumps and falls, and climbs steps of 35 uu and slopes of up to
-- 45 degrees.
local Character = class("Character", "Pawn")

Character.defaults {
	CollisionRadius = 34,
	CollisionHeight = 88, -- half of its height, in uu
	EyeHeight = 64,
	CrouchHeight = 44,
	GroundSpeed = 440,
	JumpZ = 420,
	Physics = PHYS_Walking,
}

-- The boxes that rewound shots hit (R11.2), the head first. Locations are relative to the character, in uu
-- forward, right and up from its centre; sizes are half extents. The head turns with the view around the
-- neck.
Character.hitboxes {
	{
		name = "head", at = vector(4, 0, 74), size = vector(11, 9, 13),
		joint = vector(0, 0, 60), pitch = 1,
		crouching = { at = vector(8, 0, 30), joint = vector(4, 0, 16) },
	},
	{
		name = "chest", at = vector(0, 0, 40), size = vector(14, 22, 22),
		joint = vector(0, 0, 15), pitch = 0.3,
		crouching = { at = vector(4, 0, 0), joint = vector(0, 0, -20) },
	},
	{
		name = "belly", at = vector(0, 0, 2), size = vector(13, 19, 16),
		crouching = { at = vector(0, 0, -24), size = vector(18, 19, 12) },
	},
	{
		name = "legs", at = vector(0, 0, -51), size = vector(14, 18, 37),
		crouching = { at = vector(0, 0, -32), size = vector(24, 20, 12) },
	},
}

return Character
