-- rules: G1
-- tries: Raises a table.
-- expect: ErrorTable:Tick.*\[mod error-table\]

local ErrorTable = class("ErrorTable", "Actor")

function ErrorTable:Tick(_)
	error({ 1, 2, 3 })
end

return ErrorTable
