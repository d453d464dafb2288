-- rules: G8
-- tries: Lets a fast array grow without end.
-- expect: FastArray.*\[mod fast-array\]

local FastArray = class("FastArray", "Actor")

FastArray.properties { List = fastarray(struct { Kind = int(0) }) }
FastArray.replication { { "List" } }
FastArray.defaults { bAlwaysRelevant = true }

function FastArray:Tick(_)
	for _ = 1, 500 do
		self.List:Add({ Kind = 1 })
	end
end

return FastArray
