-- rules: G10
-- tries: Changes long strings that everybody gets.
-- expect: stage: the match is over
-- spawn: Strings*20

local Strings = class("Strings", "Actor")

Strings.defaults { bAlwaysRelevant = true }
Strings.properties { A = str("", { max = 1000 }), B = str("", { max = 1000 }) }
Strings.replication { { "A", "B" } }

function Strings:Tick(_)
	self.n = (self.n or 0) + 1
	self.A = ("a"):rep(900) .. self.n
	self.B = ("b"):rep(900) .. self.n
end

return Strings
