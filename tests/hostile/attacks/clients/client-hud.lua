-- rules: G17
-- tries: A HUD that draws without end.
-- expect: stage: the match is over
-- hud: ClientHud
-- spawn: none

local ClientHud = class("ClientHud", "HUD")

function ClientHud:DrawHUD(canvas)
	while true do
		canvas:Text(0, 0, "x")
	end
end

return ClientHud
