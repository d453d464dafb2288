-- rules: G1 G6
-- tries: Fails and catches it by pcall without end, so that no fault is seen.
-- expect: Swallows:Tick.*\[mod swallows\]

local Swallows = class("Swallows", "Actor")

function Swallows:Tick(_)
	while true do
		pcall(error, "x")
	end
end

return Swallows
