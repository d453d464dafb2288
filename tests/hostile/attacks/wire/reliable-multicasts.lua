-- rules: G10
-- tries: Calls twenty reliable multicasts a tick.
-- expect: ReliableMulticasts:.*\[mod reliable-multicasts\]
-- ci: true

local ReliableMulticasts = class("ReliableMulticasts", "Actor")

ReliableMulticasts.defaults { bAlwaysRelevant = true }

function ReliableMulticasts.simulated.multicast.reliable:Say(text)
	self.said = text
end
ReliableMulticasts.params { Say = { str("", { max = 200 }) } }

function ReliableMulticasts:Tick(_)
	for i = 1, 20 do
		self:Say(("x"):rep(200 - i))
	end
end

return ReliableMulticasts
