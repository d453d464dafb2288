-- rules: G6
-- tries: One actor takes about ten milliseconds of every tick.
-- expect: SteadyBurner:.*\[mod steady-burner\]

local SteadyBurner = class("SteadyBurner", "Actor")

function SteadyBurner:Tick(_)
	local n = 0
	for i = 1, 300000 do
		n = n + i
	end
	self.n = n
end

return SteadyBurner
