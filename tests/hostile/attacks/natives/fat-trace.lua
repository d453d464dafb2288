-- rules: G7
-- tries: Traces bodies a million uu broad.
-- expect: FatTrace:.*\[mod fat-trace\]|stage: the match is over

local FatTrace = class("FatTrace", "Actor")

function FatTrace:Tick(_)
	self:Trace(self.Location, self.Location + vector(1e6, 0, 0), { radius = 1e6, height = 1e6 })
end

return FatTrace
