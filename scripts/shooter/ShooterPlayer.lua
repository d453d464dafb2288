-- ShooterPlayer: the mind of a person in the sample game. Keys and prediction are the parent's;
-- this class is the place for what only players of this game have.
local ShooterPlayer = class("ShooterPlayer", "PlayerController")

ShooterPlayer.params { ClientHit = { false } }

-- The player hurt somebody: the HUD shows a mark. The server calls it; one that is lost is no loss.
function ShooterPlayer.client.unreliable:ClientHit(killed)
	if self.myHUD and self.myHUD:IsA("ShooterHUD") then
		self.myHUD:Hit(killed)
	end
end

return ShooterPlayer
