-- rules: G7
-- tries: Matches a pattern that takes exponential time.
-- expect: Pattern:Tick.*\[mod pattern\]

local Pattern = class("Pattern", "Actor")

function Pattern:Tick(_)
	string.find(("a"):rep(30000), ".-.-.-.-.-.-b")
end

return Pattern
