-- rules: G10
-- tries: Adds, changes and removes items of a fast array without end.
-- expect: FastItems.*\[mod fast-items\]|stage: the match is over

local FastItems = class("FastItems", "Actor")

FastItems.defaults { bAlwaysRelevant = true }
FastItems.properties { List = fastarray(struct { Kind = int(0) }) }
FastItems.replication { { "List" } }

function FastItems:Tick(_)
	for i = 1, 30 do
		local key = self.List:Add({ Kind = i })
		self.keys = self.keys or {}
		self.keys[#self.keys + 1] = key
	end
	while #self.keys > 300 do
		self.List:Remove(table.remove(self.keys, 1))
	end
end

return FastItems
