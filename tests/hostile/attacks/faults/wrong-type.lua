-- rules: G1
-- tries: Writes text into the health of every pawn.
-- expect: WrongType:Tick.*\[mod wrong-type\]

local WrongType = class("WrongType", "Actor")

function WrongType:BeginPlay()
	self.text = "none"
end

function WrongType:Tick(_)
	for _, pawn in ipairs(self:ActorsOf("Pawn")) do
		pawn.Health = self.text
	end
end

return WrongType
