-- rules: G1 G2
-- tries: Keeps actors that were destroyed and uses them.
-- expect: UsesDestroyed:Tick.*\[mod uses-destroyed\]

local UsesDestroyed = class("UsesDestroyed", "Actor")

function UsesDestroyed:Tick(_)
	local gone = self:Spawn("Explosion", { Location = self.Location })
	gone:Destroy()
	self.n = gone.Location
end

return UsesDestroyed
