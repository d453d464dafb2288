-- rules: G1 G2 G6
-- tries: Calls functions that fail by ProtectedCall, as many as a call may.
-- expect: ProtectedStorm:.*\[mod protected-storm\]

local ProtectedStorm = class("ProtectedStorm", "Actor")

function ProtectedStorm:Fail() error("again") end

function ProtectedStorm:Tick(_)
	for _ = 1, 100000 do
		self:ProtectedCall("SetLocation", 5)
		self:ProtectedCall("Fail")
	end
end

return ProtectedStorm
