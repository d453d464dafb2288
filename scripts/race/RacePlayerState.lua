-- RacePlayerState: what everybody may know about a driver: their progress and their times.
local RacePlayerState = class("RacePlayerState", "PlayerReplicationInfo")

RacePlayerState.persistent {
	-- Their best laps of all time in seconds, by level; of more levels than fit, the first is forgotten.
	Records = array(struct { Level = str("", { max = 64 }), Lap = float(0) }, 16),
}

RacePlayerState.properties {
	Lap = int(0, { min = 0, max = 100 }), -- their present lap; 0 before the line
	NextGate = int(0, { min = 0, max = 255 }), -- Order of the gate that they must cross next
	LapStart = float(0, { min = 0 }), -- server time in seconds when the lap began
	LastLap = float(0, { min = 0 }), -- seconds of the previous lap, 0 for none
	BestLap = float(0, { min = 0 }), -- seconds of their best lap, 0 for none
	FinishTime = float(0, { min = 0 }), -- seconds of their race, 0 until they have finished
	Place = int(0, { min = 0, max = 255 }), -- place among all, from 1; 0 before the first count
	Record = float(0, { min = 0 }), -- seconds of their best lap of all time in this level, 0 for none
	BestPlace = int(0, { min = 0, max = 500 }), -- place in the list of the best laps, 0 for none
	bWrongWay = false, -- they drive in the wrong direction
}

RacePlayerState.replication {
	{ "Lap", "LapStart", "LastLap", "BestLap", "FinishTime", "Place" },
	{ "NextGate", "bWrongWay", "Record", "BestPlace", when = COND_OwnerOnly },
}

-- On the server: reads their best lap of a level.
function RacePlayerState:FindRecord(level)
	for i = 1, #self.Records do
		if self.Records[i].Level == level then
			self.Record = self.Records[i].Lap
		end
	end
end

-- On the server: keeps their last lap if it is their best of a level. Returns whether it is.
function RacePlayerState:KeepRecord(level)
	if self.Record > 0 and self.LastLap >= self.Record then
		return false
	end
	local at = #self.Records
	for i = at, 1, -1 do
		local there = self.Records[i].Level
		if there == level then
			at = i
			break
		elseif there == "" then
			at = i
		end
	end
	if at == #self.Records and self.Records[at].Level ~= "" and self.Records[at].Level ~= level then
		for i = 2, at do
			self.Records[i - 1] = self.Records[i]
		end
	end
	self.Records[at] = { Level = level, Lap = self.LastLap }
	self.Record = self.LastLap
	return true
end

-- On the server: starts again, behind the line.
function RacePlayerState:BeginRace()
	self.Lap, self.NextGate, self.LapStart, self.LastLap, self.FinishTime = 0, 0, 0, 0, 0
end

-- On the server: returns the progress in gates of the whole race.
function RacePlayerState:GetProgress(gates)
	if self.Lap == 0 then
		return 0
	end
	return (self.Lap - 1) * gates + (self.NextGate - 1) % gates + 1
end

-- On the server: records that they crossed the next gate; gates is the number of gates. Returns whether that
-- completed a lap.
function RacePlayerState:CrossGate(gates)
	local line = self.NextGate == 0
	self.NextGate = (self.NextGate + 1) % gates
	if not line then
		return false
	end
	local now, ended = world.TimeSeconds, self.Lap > 0
	if ended then
		self.LastLap = now - self.LapStart
		if self.BestLap == 0 or self.LastLap < self.BestLap then
			self.BestLap = self.LastLap
		end
	end
	self.Lap = self.Lap + 1
	self.LapStart = now
	self:ForceNetUpdate()
	return ended
end

return RacePlayerState
