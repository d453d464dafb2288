-- WebDot: one of a crowd. It flies slowly and meets nothing.
local WebDot = class("WebDot")

WebDot.defaults {
	Physics = PHYS_Projectile,
	Velocity = vector(0, 0, 5), -- uu/s
	bCollideActors = false,
	bAlwaysRelevant = true,
	RemoteRole = ROLE_SimulatedProxy,
}

WebDot.looks { shape = "box", size = { 12, 12, 12 }, color = "#ff40c0" }

return WebDot
