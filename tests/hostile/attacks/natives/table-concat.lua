-- rules: G7
-- tries: Joins large strings without end.
-- expect: TableConcat:Tick.*\[mod table-concat\]

local TableConcat = class("TableConcat", "Actor")

function TableConcat:Tick(_)
	local t = {}
	for i = 1, 1000 do
		t[i] = ("x"):rep(10000)
	end
	while true do
		self.s = table.concat(t)
	end
end

return TableConcat
