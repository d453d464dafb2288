-- WebSign: shows which version of this file the player's machine runs, by where it stands there: VERSION uu along X.
local WebSign = class("WebSign")

WebSign.properties {
	Effect = ref("Actor"), -- what ShowEffect shows
	Showing = str("", { max = 64 }), -- its class
}

WebSign.defaults {
	bAlwaysRelevant = true,
	bCollideActors = false,
	RemoteRole = ROLE_SimulatedProxy,
}

function WebSign.simulated:Tick(_)
	self:SetLocation(vector(0, 600, 100)) -- VERSION
end

-- On players' machines: puts what the server has none of on the stage, until it is called again; what is short, three times a
-- second, since a slow machine draws no more often. An empty name only clears the stage.
function WebSign.multicast.reliable.simulated:ShowEffect(name)
	self.Showing = name
	if name ~= "" and world:GetDefault(name, "LifeSpan") < 0.5 then
		self:SetTimer(0.33, true, "ShowAgain")
	else
		self:ClearTimer("ShowAgain")
	end
	self:ShowAgain()
end

function WebSign.simulated:ShowAgain()
	if self.Effect and not self.Effect.bDeleteMe then
		self.Effect:Destroy()
	end
	self.Effect = self.Showing ~= "" and self:SpawnEffect(self.Showing, vector(260, -2000, 100)) or nil
	if self.Effect then
		self.Effect.LifeSpan = 0 -- it stays
	end
end

WebSign.params { ShowEffect = { str("", { max = 64 }) } }

return WebSign
