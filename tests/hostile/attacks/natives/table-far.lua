-- rules: G7
-- tries: Writes far beyond the end of a table.
-- expect: TableFar:Tick.*\[mod table-far\]

local TableFar = class("TableFar", "Actor")

function TableFar:Tick(_)
	local t = {}
	t[67108863] = 1
	for i = 1, 1e9 do
		t[67108863 - i] = {}
	end
end

return TableFar
