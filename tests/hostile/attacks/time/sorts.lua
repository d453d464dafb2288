-- rules: G6
-- tries: Sorts with a comparator that does not end.
-- expect: Sorts:Tick.*\[mod sorts\]

local Sorts = class("Sorts", "Actor")

function Sorts:Tick(_)
	local t = {}
	for i = 1, 400 do
		t[i] = i
	end
	table.sort(t, function()
		while true do
			self.n = 1
		end
	end)
end

return Sorts
