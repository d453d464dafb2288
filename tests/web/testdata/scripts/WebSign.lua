-- WebSign: shows which version of this file the player's machine runs, by where it stands there: VERSION uu along X.
local WebSign = class("WebSign")

WebSign.properties {
	Effect = ref("Actor"), -- what ShowEffect shows
}

WebSign.defaults {
	bAlwaysRelevant = true,
	bCollideActors = false,
	RemoteRole = ROLE_SimulatedProxy,
}

function WebSign.simulated:Tick(_)
	self:SetLocation(vector(0, 600, 100)) -- VERSION
end

-- On players' machines: puts what the server has none of on the stage, until it is called again. An empty name only clears it.
function WebSign.multicast.reliable.simulated:ShowEffect(name)
	if self.Effect and not self.Effect.bDeleteMe then
		self.Effect:Destroy()
	end
	self.Effect = name ~= "" and self:SpawnEffect(name, vector(260, -2000, 100)) or nil
	if self.Effect then
		self.Effect.LifeSpan = 0 -- it stays
	end
end

WebSign.params { ShowEffect = { str("", { max = 64 }) } }

return WebSign
