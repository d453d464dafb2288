-- Bolt: the shot of the skirmish. Try it: change Speed or Damage while the host runs and save the file.
local Bolt = class("Bolt", "Projectile")

Bolt.defaults {
	Speed = 1600, -- uu/s
	Damage = 18,
	Momentum = 120, -- uu/s
	DamageType = "bolt",
	LifeSpan = 5, -- seconds
	bNetTemporary = true, -- it flies straight: clients need to hear of it only once
}

-- Where it ends, an effect is shown on every player's machine.
function Bolt.simulated:Explode(at, normal)
	self:PlaySound("sounds/bolt.ogg")
	Bolt.super.Explode(self, at, normal)
end

return Bolt
