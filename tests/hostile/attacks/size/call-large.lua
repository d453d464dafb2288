-- rules: G11
-- tries: Calls a function with 32 strings.
-- expect: stage: the match is over|CallLarge.*\[mod call-large\]

local CallLarge = class("CallLarge", "Actor")

CallLarge.defaults { bAlwaysRelevant = true }

function CallLarge.simulated.multicast.reliable:Say(...)
	self.n = select("#", ...)
end
CallLarge.params { Say = { str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }), str("", { max = 1000 }) } }

function CallLarge:BeginPlay()
	self:SetTimer(1, true, "Call")
end

function CallLarge:Call()
	local t = {}
	for i = 1, 32 do
		t[i] = ("y"):rep(1000)
	end
	self:Say(unpack(t))
end

return CallLarge
