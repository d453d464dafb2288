-- rules: G1
-- tries: Destroys the controller of every player, which sends them away.
-- expect: SendsAway:Tick.*\[mod sends-away\]

local SendsAway = class("SendsAway", "Actor")

function SendsAway:Tick(_)
	for _, pc in ipairs(self:ActorsOf("PlayerController")) do
		pc:Destroy()
	end
end

return SendsAway
