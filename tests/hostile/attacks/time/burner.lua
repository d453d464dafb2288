-- rules: G6
-- tries: Thirty actors run 140 000 turns each in every tick, which is 7 ticks a second.
-- expect: Burner.*Tick is called less often.*\(Burner:Tick .*\[mod burner\]
-- spawn: Burner*30
-- ci: true

local Burner = class("Burner", "Actor")

function Burner:Tick(_)
	local n = 0
	for i = 1, 140000 do
		n = n + i
	end
	self.n = n
end

return Burner
