-- rules: G5 G17
-- tries: The controller of every player fails in PlayerTick, so that nobody could move.
-- expect: ClientKeys:PlayerTick
-- player: ClientKeys
-- spawn: none

local ClientKeys = class("ClientKeys", "ShooterPlayer")

function ClientKeys:PlayerTick(dt)
	ClientKeys.super.PlayerTick(self, dt)
	error("no keys")
end

return ClientKeys
