-- SkirmishPlayer: the mind of a person in the skirmish. He shoots where he looks.
local SkirmishPlayer = class("SkirmishPlayer", "PlayerController")

-- Runs where the body is moved: on the server.
function SkirmishPlayer:PlayerMove(dt)
	SkirmishPlayer.super.PlayerMove(self, dt)
	local pawn = self.Pawn
	if self.bFire and pawn and pawn:HasAuthority() then
		pawn:ShootAt(pawn:GetViewLocation() + self.ViewRotation:Vector() * 1000)
	end
end

return SkirmishPlayer
