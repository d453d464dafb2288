-- rules: G10
-- tries: Changes the HUD of every player in every tick.
-- expect: HudSwitch:.*\[mod hud-switch\]|stage: the match is over

local HudSwitch = class("HudSwitch", "Actor")

function HudSwitch:Tick(_)
	for _, pc in ipairs(self:ActorsOf("PlayerController")) do
		for _ = 1, 10 do
			pc:ClientSetHUD("ShooterHUD")
		end
	end
end

return HudSwitch
