-- rules: G6
-- tries: A thousand looping timers of a hundredth of a second.
-- expect: Timers.*\[mod timers\]
-- spawn: Timers*400

local Timers = class("Timers", "Actor")

function Timers:BeginPlay()
	self:SetTimer(0.01, true, "Work")
end

function Timers:Work()
	local x = 0
	for i = 1, 1500 do
		x = x + i
	end
	self.n = x
end

return Timers
