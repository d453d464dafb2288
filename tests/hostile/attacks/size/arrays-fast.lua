-- rules: G11
-- tries: Twelve fast arrays that are filled to their limits at once.
-- expect: stage: the match is over|ArraysFast.*\[mod arrays-fast\]

local ArraysFast = class("ArraysFast", "Actor")

ArraysFast.defaults { bAlwaysRelevant = true }
ArraysFast.properties {
	L0 = fastarray(struct { Text = "" }),
	L1 = fastarray(struct { Text = "" }),
	L2 = fastarray(struct { Text = "" }),
	L3 = fastarray(struct { Text = "" }),
	L4 = fastarray(struct { Text = "" }),
	L5 = fastarray(struct { Text = "" }),
	L6 = fastarray(struct { Text = "" }),
	L7 = fastarray(struct { Text = "" }),
	L8 = fastarray(struct { Text = "" }),
	L9 = fastarray(struct { Text = "" }),
	L10 = fastarray(struct { Text = "" }),
	L11 = fastarray(struct { Text = "" }),
}
ArraysFast.replication { { "L0", "L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "L9", "L10", "L11" } }

function ArraysFast:BeginPlay()
	for i = 0, 11 do
		for _ = 1, 500 do
			self["L" .. i]:Add({ Text = ("z"):rep(250) })
		end
	end
end

return ArraysFast
