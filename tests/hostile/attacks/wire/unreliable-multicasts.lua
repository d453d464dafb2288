-- rules: G10
-- tries: Calls two hundred unreliable multicasts a tick.
-- expect: stage: the match is over

local UnreliableMulticasts = class("UnreliableMulticasts", "Actor")

UnreliableMulticasts.defaults { bAlwaysRelevant = true }

function UnreliableMulticasts.simulated.multicast:Say(text)
	self.said = text
end
UnreliableMulticasts.params { Say = { str("", { max = 200 }) } }

function UnreliableMulticasts:Tick(_)
	for i = 1, 200 do
		self:Say(("x"):rep(200 - i % 100))
	end
end

return UnreliableMulticasts
