-- SkirmishPlayer: the mind of a person in the skirmish. He shoots where he looks, and when his body is gone
-- the game gives him another.
local SkirmishPlayer = class("SkirmishPlayer", "PlayerController")

-- Runs where the body is moved: on the server.
function SkirmishPlayer:PlayerMove(dt)
	SkirmishPlayer.super.PlayerMove(self, dt)
	local pawn = self.Pawn
	if self.bFire and pawn and pawn:HasAuthority() then
		pawn:ShootAt(pawn:GetViewLocation() + self.ViewRotation:Vector() * 1000)
	end
end

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
