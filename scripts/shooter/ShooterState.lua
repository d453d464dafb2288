-- ShooterState: what everybody may know about a match of the sample game, with the list of those who have
-- killed the most in all matches.
local ShooterState = class("ShooterState", "GameReplicationInfo")

ShooterState.properties {
	Best = array(struct { Name = str("", { max = 32 }), Score = float(0) }, 10), -- the best; "" for no name
}

ShooterState.replication {
	{ "Best" },
}

-- Returns a score of the list in words.
function ShooterState:DescribeScore(score)
	return score == 1 and "1 kill" or ("%d kills"):format(score)
end

return ShooterState
