-- rules: G7
-- tries: Looks for the place to stand that is nearest to one beyond all bounds.
-- expect: NearestNodeFar:Tick.*\[mod nearest-node-far\]
-- ci: true

local NearestNodeFar = class("NearestNodeFar", "Actor")

function NearestNodeFar:Tick(_)
	world:NearestNode(vector(1e200, 0, 0))
end

return NearestNodeFar
