-- rules: G7
-- tries: Traces from a place that is none.
-- expect: TraceNan:Tick.*\[mod trace-nan\]

local TraceNan = class("TraceNan", "Actor")

function TraceNan:Tick(_)
	local nan = 0 / 0
	self:Trace(vector(nan, 0, 0), vector(0, nan, 0))
end

return TraceNan
