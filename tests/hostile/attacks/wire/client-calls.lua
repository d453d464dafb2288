-- rules: G10
-- tries: Calls reliable functions of every player's own controller.
-- expect: ClientCalls:.*\[mod client-calls\]

local ClientCalls = class("ClientCalls", "Actor")

function ClientCalls:Tick(_)
	for _, pc in ipairs(self:ActorsOf("PlayerController")) do
		for i = 1, 20 do
			pc:ClientMessage(("spam "):rep(40) .. i, "event", nil)
		end
	end
end

return ClientCalls
