-- rules: G6 G9
-- tries: Fills the air with projectiles that hardly move, which costs the engine and no script.
-- expect: \[mod drifters\]|stage: the match is over

local Drifters = class("Drifters", "Actor")

function Drifters:Tick(_)
	for i = 1, 200 do
		self:Spawn("Drift", { Location = self.Location + vector(0, i * 12 - 1200, 100 + world.TimeSeconds % 20 * 20), Velocity = vector(1, 0, 0) })
	end
end

return Drifters
-- file: Drift.lua
local Drift = class("Drift", "Actor")

Drift.defaults { Physics = PHYS_Projectile, bCollideWorld = true, bCollideActors = true, CollisionRadius = 5, CollisionHeight = 5 }

return Drift
