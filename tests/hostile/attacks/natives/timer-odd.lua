-- rules: G7
-- tries: Sets timers of no, negative and infinite seconds.
-- expect: TimerOdd:Tick.*\[mod timer-odd\]

local TimerOdd = class("TimerOdd", "Actor")

function TimerOdd:Tick(_)
	local inf = 1 / 0
	self:SetTimer(-inf, true, "Tick")
	self:SetTimer(0 / 0, true, "Tick")
end

return TimerOdd
