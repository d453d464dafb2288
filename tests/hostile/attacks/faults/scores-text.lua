-- rules: G1
-- tries: Gives points that are text.
-- expect: ScoresText:Tick.*\[mod scores-text\]

local ScoresText = class("ScoresText", "Actor")

function ScoresText:Tick(_)
	for _, player in ipairs(world.GameState:GetPlayerArray()) do
		local owner = player.Owner
		world.Game:AddScore(owner, "ten")
	end
end

return ScoresText
