-- rules: G10
-- tries: Wants all of the bandwidth: the highest priority, and an update in every tick.
-- expect: stage: the match is over
-- spawn: Priority*30

local Priority = class("Priority", "Actor")

Priority.defaults { bAlwaysRelevant = true, NetPriority = 1000000, NetUpdateFrequency = 1000000 }
Priority.properties { A = str("", { max = 1000 }) }
Priority.replication { { "A" } }

function Priority:Tick(_)
	self.n = (self.n or 0) + 1
	self.A = ("p"):rep(990) .. self.n
	self:ForceNetUpdate()
end

return Priority
