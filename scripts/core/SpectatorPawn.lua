-- SpectatorPawn: the camera pawn of a player who watches, or waits for the match to start. Nothing touches
-- it or hurts it, and it is replicated only to its player.
--
-- It moves like any pawn: its player's machine predicts it, and the server follows.
local SpectatorPawn = class("SpectatorPawn", "Pawn")

SpectatorPawn.defaults {
	bHidden = true,
	bOnlyRelevantToOwner = true,
	bCollideActors = false,
	bCollideWorld = false, -- flies through walls
	bBlockActors = false,
	bBlockPlayers = false,
	bSimulateGravity = false,
	Physics = PHYS_Flying,
	AirSpeed = 900, -- uu/s
	AccelRate = 6000, -- uu/s^2
	CollisionRadius = 8,
	CollisionHeight = 8,
	EyeHeight = 0,
	Health = 0, -- keeps it out of searches for live pawns
}

SpectatorPawn.looks { body = false, shape = "none" }

-- Ignores all damage.
function SpectatorPawn:TakeDamage(_, _, _, _, _) end

-- May fly anywhere, also below the level.
function SpectatorPawn:FellOutOfWorld() end

-- Carries no items.
function SpectatorPawn:AddDefaultInventory() end

return SpectatorPawn
