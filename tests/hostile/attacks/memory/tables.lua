-- rules: G8
-- tries: Keeps tables of tables.
-- expect: Tables.*\[mod tables\]

local Tables = class("Tables", "Actor")

function Tables:Tick(_)
	self.kept = self.kept or {}
	for _ = 1, 20000 do
		self.kept[#self.kept + 1] = {}
	end
end

return Tables
