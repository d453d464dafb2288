-- rules: G8
-- tries: Throws away fifty megabytes in every tick.
-- expect: Churn.*\[mod churn\]

local Churn = class("Churn", "Actor")

function Churn:Tick(_)
	for i = 1, 1500 do
		self.s = ("x"):rep(30000) .. i
	end
end

return Churn
