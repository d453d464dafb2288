-- rules: G7
-- tries: Unpacks a million values.
-- expect: Unpacks:Tick.*\[mod unpacks\]

local Unpacks = class("Unpacks", "Actor")

function Unpacks:Tick(_)
	local t = {}
	for i = 1, 1e6 do
		t[i] = i
	end
	while true do
		self.n = select("#", unpack(t))
	end
end

return Unpacks
