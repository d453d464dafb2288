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

return Bolt
