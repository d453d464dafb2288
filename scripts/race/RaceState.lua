-- RaceState: what everybody may know about a race: the number of laps, the start time, and the road.
local RaceState = class("RaceState", "GameReplicationInfo")

RaceState.properties {
	Laps = int(3, { min = 1, max = 99 }), -- number of laps
	GoTime = float(0, { min = 0 }), -- server time in seconds from which cars may go; 0 if unknown
	Count = int(0, { min = 0, max = 9 }), -- the countdown: 3, 2, 1, and 0 from the start on
}

RaceState.replication {
	{ "Laps", "GoTime" },
	{ "Count", notify = true },
}

-- Returns the gates in their order. They belong to the level and never change.
function RaceState.simulated:GetGates()
	if not self.gates or #self.gates == 0 then
		self.gates = self:ActorsOf("RaceGate")
		table.sort(self.gates, function(a, b) return a.Order < b.Order end)
	end
	return self.gates
end

-- On the server: whether cars may go.
function RaceState:IsStarted()
	return self.GoTime > 0 and world.TimeSeconds >= self.GoTime
end

-- On the server: sets the countdown, and notifies a player at this machine as clients are.
function RaceState:SetCount(count)
	local old = self.Count
	self.Count = count
	self:ForceNetUpdate()
	self:OnRep_Count(old)
end

-- The countdown changed: every player hears it at their own location.
function RaceState.simulated:OnRep_Count(old)
	for _, player in ipairs(self:ActorsOf("PlayerController")) do
		if player:IsLocalPlayer() and player.Pawn then
			local sound = self.Count > 0 and "sounds/race_beep.toml" or old == 1 and "sounds/race_go.toml"
			if sound then
				player.Pawn:PlaySound(sound, { bNotReplicated = true })
			end
		end
	end
end

return RaceState
