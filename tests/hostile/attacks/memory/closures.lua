-- rules: G8
-- tries: Keeps closures.
-- expect: Closures.*\[mod closures\]

local Closures = class("Closures", "Actor")

function Closures:Tick(_)
	self.kept = self.kept or {}
	local kept = self.kept
	for i = 1, 20000 do
		kept[#kept + 1] = function()
			return i
		end
	end
end

return Closures
