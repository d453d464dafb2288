-- rules: G10
-- tries: Plays two hundred sounds a tick.
-- expect: Sounds.*\[mod sounds\]|stage: the match is over

local Sounds = class("Sounds", "Actor")

function Sounds:Tick(_)
	for _ = 1, 200 do
		self:PlaySound("sounds/explosion.toml")
	end
end

return Sounds
