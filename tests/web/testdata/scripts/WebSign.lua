-- WebSign: shows which version of this file the player's machine runs, by where it stands there: VERSION uu along X.
local WebSign = class("WebSign")

WebSign.defaults {
	bAlwaysRelevant = true,
	bCollideActors = false,
	RemoteRole = ROLE_SimulatedProxy,
}

function WebSign.simulated:Tick(_)
	self:SetLocation(vector(0, 600, 100)) -- VERSION
end

return WebSign
