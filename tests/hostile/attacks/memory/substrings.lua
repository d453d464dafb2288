-- rules: G8
-- tries: Keeps ten bytes each of large strings.
-- expect: stage: the match is over

local Substrings = class("Substrings", "Actor")

function Substrings:Tick(_)
	self.kept = self.kept or {}
	for i = 1, 100 do
		local s = ("x"):rep(32000) .. i
		self.kept[#self.kept + 1] = s:sub(1, 10)
	end
end

return Substrings
