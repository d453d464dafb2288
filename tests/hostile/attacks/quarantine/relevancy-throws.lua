-- rules: G1 G2
-- tries: Fails when the host asks who may see it.
-- expect: RelevancyThrows:IsNetRelevantFor.*\[mod relevancy-throws\]
-- ci: true

local RelevancyThrows = class("RelevancyThrows", "Actor")

function RelevancyThrows:IsNetRelevantFor(_)
	error("nobody")
end

return RelevancyThrows
