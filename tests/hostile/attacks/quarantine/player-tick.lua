-- rules: G1 G2
-- tries: The controller of every player fails on the server.
-- expect: PlayerTick:Tick.*\[mod player-tick\]
-- spawn: none
-- player: PlayerTick

local PlayerTick = class("PlayerTick", "ShooterPlayer")

function PlayerTick:Tick(dt)
	PlayerTick.super.Tick(self, dt)
	error("tick")
end

return PlayerTick
