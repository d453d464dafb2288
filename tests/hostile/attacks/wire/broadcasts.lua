-- rules: G10
-- tries: Broadcasts messages without end through the game.
-- expect: Broadcasts.*\[mod broadcasts\]|stage: the match is over

local Broadcasts = class("Broadcasts", "Actor")

function Broadcasts:Tick(_)
	for i = 1, 50 do
		world.Game:Broadcast("spam " .. i .. " " .. world.TimeSeconds, "event")
	end
end

return Broadcasts
