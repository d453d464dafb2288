-- rules: G11
-- tries: A fast array of ten thousand items at once.
-- expect: FastLarge.*\[mod fast-large\]|stage: the match is over

local FastLarge = class("FastLarge", "Actor")

FastLarge.defaults { bAlwaysRelevant = true }
FastLarge.properties { List = fastarray(struct { Kind = int(0), Text = "" }) }
FastLarge.replication { { "List" } }

function FastLarge:BeginPlay()
	for i = 1, 10000 do
		self.List:Add({ Kind = i, Text = ("z"):rep(200) })
	end
end

return FastLarge
