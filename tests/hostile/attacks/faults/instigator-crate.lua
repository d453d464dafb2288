-- rules: G1
-- tries: Spawns projectiles whose Instigator is no pawn.
-- expect: InstigatorCrate:Tick.*\[mod instigator-crate\]

local InstigatorCrate = class("InstigatorCrate", "Actor")

function InstigatorCrate:BeginPlay()
	self.by = self
end

function InstigatorCrate:Tick(_)
	self:Spawn("Rocket", { Location = self.Location, Instigator = self.by })
end

return InstigatorCrate
