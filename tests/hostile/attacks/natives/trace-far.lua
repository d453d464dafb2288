-- rules: G7
-- tries: Traces lines beyond all bounds.
-- expect: TraceFar:.*\[mod trace-far\]|stage: the match is over

local TraceFar = class("TraceFar", "Actor")

function TraceFar:Tick(_)
	self:Trace(vector(-1e300, 0, 0), vector(1e300, 1e300, 1e300))
end

return TraceFar
