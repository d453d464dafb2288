-- rules: G17
-- tries: Looks for a place beyond all bounds on every player's machine.
-- expect: ClientNode:Tick

local ClientNode = class("ClientNode", "Actor")

ClientNode.defaults { bAlwaysRelevant = true }

function ClientNode.simulated:Tick(_)
	if not self:HasAuthority() then
		world:NearestNode(vector(1e200, 0, 0))
	end
end

return ClientNode
