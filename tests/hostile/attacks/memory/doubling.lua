-- rules: G8
-- tries: Doubles a string and keeps it.
-- expect: Doubling.*\[mod doubling\]

local Doubling = class("Doubling", "Actor")

function Doubling:Tick(_)
	self.kept = self.kept or {}
	for i = 1, 100 do
		local s = "xxxxxxxxxxxxxxxx" .. i
		for _ = 1, 10 do
			s = s .. s
		end
		self.kept[#self.kept + 1] = s
	end
end

return Doubling
