-- An actor of the comparison's worlds (tests/bench). Its place crosses by Actor's own rules.
local BenchMover = class("BenchMover", "Actor")

BenchMover.properties {
	Health = int(100, { min = 0, max = 100 }),
	Ammo = int(30, { min = 0, max = 30 }),
	Team = enum("Red", "Blue", "Green", "Gold"),
	Mode = int(0, { min = 0, max = 7 }),
}

BenchMover.defaults { bUpdateSimulatedPosition = true }

BenchMover.replication {
	{ "Health", "Mode", when = function(self) return self.Role == ROLE_Authority end },
	{ "Ammo", when = function(self) return self.bNetInitial or self.Health > 0 end },
	{ "Team", when = COND_InitialOnly },
}

return BenchMover
