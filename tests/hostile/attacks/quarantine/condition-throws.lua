-- rules: G1 G2
-- tries: A replication condition fails for every player.
-- expect: ConditionThrows.*\[mod condition-throws\]

local ConditionThrows = class("ConditionThrows", "Actor")

ConditionThrows.properties { Secret = int(0) }
ConditionThrows.defaults { bAlwaysRelevant = true }
ConditionThrows.replication {
	{ "Secret", when = function(self)
		return self.none.x == 1
	end },
}

function ConditionThrows:BeginPlay()
	self.none = nil
end

function ConditionThrows:Tick(_)
	self.Secret = self.Secret % 1000 + 1
end

return ConditionThrows
