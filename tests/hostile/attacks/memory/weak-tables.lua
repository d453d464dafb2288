-- rules: G8
-- tries: Builds chains of tables that are hard to collect.
-- expect: WeakTables.*\[mod weak-tables\]

local WeakTables = class("WeakTables", "Actor")

function WeakTables:Tick(_)
	local t = {}
	for _ = 1, 20000 do
		t = { t }
	end
	self.kept = self.kept or {}
	self.kept[#self.kept + 1] = t
end

return WeakTables
