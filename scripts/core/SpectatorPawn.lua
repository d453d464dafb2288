-- SpectatorPawn: the camera pawn of a player who watches, or waits for the match to start. Nothing touches
-- it or hurts it, and it is replicated only to its player.
--
-- It moves as any pawn does: its player's machine predicts it, and the server follows.
local SpectatorPawn = class("SpectatorPawn", "Pawn")

SpectatorPawn.defaults {
	bHidden = true,
	bOnlyRelevantToOwner = true,
	bCollideActors = false,
	bCollideWorld = false, -- it goes through walls
	bBlockActors = false,
	bBlockPlayers = false,
	bSimulateGravity = false,
	Physics = PHYS_Flying,
	AirSpeed = 900, -- uu/s
	AccelRate = 6000, -- uu/s^2
	CollisionRadius = 8,
	CollisionHeight = 8,
	EyeHeight = 0,
	Health = 0, -- not found by code that looks for something alive
}

SpectatorPawn.looks { body = false, shape = "none" }

-- Nothing hurts it.
function SpectatorPawn:TakeDamage(_, _, _, _, _) end

-- It may go where it likes, also below the level.
function SpectatorPawn:FellOutOfWorld() end

-- It carries nothing.
function SpectatorPawn:AddDefaultInventory() end

return SpectatorPawn
