-- rules: G9
-- tries: Fills the match with bots.
-- expect: Bots.*\[mod bots\]|stage: the match is over

local Bots = class("Bots", "Actor")

function Bots:Tick(_)
	for _ = 1, 20 do
		world.Game:AddBot()
	end
end

return Bots
