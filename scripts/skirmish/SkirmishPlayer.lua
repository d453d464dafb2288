-- SkirmishPlayer: the mind of a person in the skirmish. When his body is gone the game gives him another.
local SkirmishPlayer = class("SkirmishPlayer", "PlayerController")

-- The body is gone; on the server, which decides about the next one.
function SkirmishPlayer:PawnDied(pawn)
	SkirmishPlayer.super.PawnDied(self, pawn)
	if world.Game then
		self:SetTimer(world.Game.RespawnDelay or 3, false, "Restart")
	end
end

function SkirmishPlayer:Restart()
	world.Game:RestartPlayer(self)
end

return SkirmishPlayer
