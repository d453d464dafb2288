-- rules: G7
-- tries: Inserts far beyond the end of a table.
-- expect: TableInsert:Tick.*\[mod table-insert\]

local TableInsert = class("TableInsert", "Actor")

function TableInsert:Tick(_)
	local n = 6e7
	table.insert({}, n, 1)
	while true do
		self.n = 1
	end
end

return TableInsert
