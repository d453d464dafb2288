-- rules: G8
-- tries: Keeps it in private fields of the players' pawns.
-- expect: OthersFields.*\[mod others-fields\]

local OthersFields = class("OthersFields", "Actor")

function OthersFields:Tick(_)
	local n = 0
	for _, pawn in ipairs(self:ActorsOf("Pawn")) do
		n = n + 1
		local key = "kept" .. (self.n or 0)
		for i = 1, 20 do
			pawn[key .. i] = ("x"):rep(30000) .. n .. i
		end
	end
	self.n = (self.n or 0) + 1
end

return OthersFields
