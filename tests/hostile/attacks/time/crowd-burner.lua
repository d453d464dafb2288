-- rules: G6
-- tries: Two hundred actors take a little each.
-- expect: CrowdBurner.*\[mod crowd-burner\]
-- spawn: CrowdBurner*200

local CrowdBurner = class("CrowdBurner", "Actor")

function CrowdBurner:Tick(_)
	local n = 0
	for i = 1, 4000 do
		n = n + i
	end
	self.n = n
end

return CrowdBurner
