-- rules: G1 G2 G4
-- tries: A Tick indexes a nil field in every tick.
-- expect: NilIndex:Tick: .*NilIndex\.lua:\d+:\d+: attempt to index a nil value \(field 'target'\).*\[mod nil-index\]
-- expect: NilIndex:Tick.*quarantined.*\[mod nil-index\]
-- ci: true

local NilIndex = class("NilIndex", "Actor")

function NilIndex:BeginPlay()
	self.target = nil
end

function NilIndex:Tick(_)
	self.n = self.target.Health
end

return NilIndex
