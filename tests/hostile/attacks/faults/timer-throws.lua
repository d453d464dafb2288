-- rules: G1 G2
-- tries: A looping timer fails each time.
-- expect: TimerThrows:Fail.*\[mod timer-throws\]

local TimerThrows = class("TimerThrows", "Actor")

function TimerThrows:BeginPlay()
	self:SetTimer(0.02, true, "Fail")
end

function TimerThrows:Fail()
	error("late")
end

return TimerThrows
