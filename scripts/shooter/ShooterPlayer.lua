-- ShooterPlayer: the controller of a person in the sample game. The parent handles keys and prediction; this
-- class adds what only players of this game have.
local ShooterPlayer = class("ShooterPlayer", "PlayerController")

ShooterPlayer.params { ClientHit = { false } }

-- Called by the server: the player hurt somebody, and the HUD shows a mark. A lost call does no harm.
function ShooterPlayer.client.unreliable:ClientHit(killed)
	if self.myHUD and self.myHUD:IsA("ShooterHUD") then
		self.myHUD:Hit(killed)
	end
end

-- On the server: the player came from another host. A player who came through a door learns how
-- to go back.
function ShooterPlayer:Teleported(data, _, back)
	if not back and type(data) == "table" and data.Door then
		self:ClientMessage("Say /hub in the chat to go back to the hub.")
	end
end

return ShooterPlayer
