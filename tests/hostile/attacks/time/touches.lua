-- rules: G6
-- tries: A hundred actors that touch everything and are moved in every tick.
-- expect: Touches.*\[mod touches\]
-- spawn: Touches*100

local Touches = class("Touches", "Actor")

Touches.defaults { bCollideActors = true, CollisionRadius = 2000, CollisionHeight = 500 }

function Touches:Touch(_)
	self.n = (self.n or 0) + 1
end

function Touches:Tick(_)
	local home = self.home or self.Location
	self.home = home
	self.up = not self.up
	self:SetLocation(home + vector(0, 0, self.up and 900 or 0))
end

return Touches
