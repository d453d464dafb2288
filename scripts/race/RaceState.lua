-- RaceState: what everybody may know about a race: the number of laps, the start time, and the road.
local RaceState = class("RaceState", "GameReplicationInfo")

local laptime = require("lib.laptime")
local pathcode = require("lib.pathcode")

local PIECE = 400 -- bytes of the way that replicate as one

RaceState.properties {
	Laps = int(3, { min = 1, max = 99 }), -- number of laps
	GoTime = float(0, { min = 0 }), -- server time in seconds from which cars may go; 0 if unknown
	Count = int(0, { min = 0, max = 9 }), -- the countdown: 3, 2, 1, and 0 from the start on
	Best = array(struct { Name = str("", { max = 32 }), Score = float(0) }, 10), -- the best laps of the level
	GhostName = str("", { max = 32 }), -- who drove the best lap that the level's ghost replays
	GhostLap = float(0, { min = 0 }), -- its seconds, 0 for none
	-- Its way in pieces, numbered from 1 (lib/pathcode).
	GhostPath = fastarray(struct { At = int(0), Text = str("", { max = 400 }) }),
}

RaceState.replication {
	{ "Laps", "GoTime", "Best", "GhostName", "GhostLap", "GhostPath" },
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

-- On the server: everybody gets a ghost, as the store keeps it (Race:KeepGhost).
function RaceState:SetGhost(ghost)
	self.GhostName, self.GhostLap = ghost.Name, ghost.Lap
	local old = {}
	for key in self.GhostPath:Pairs() do
		table.insert(old, key)
	end
	for _, key in ipairs(old) do
		self.GhostPath:Remove(key)
	end
	for at = 1, math.ceil(#ghost.Path / PIECE) do
		self.GhostPath:Add({ At = at, Text = ghost.Path:sub(PIECE * (at - 1) + 1, PIECE * at) })
	end
end

-- Returns the way of the ghost, as RaceGhost replays it; up to the first piece that has not arrived yet.
function RaceState.simulated:GetGhostRecord()
	local pieces = {}
	for _, piece in self.GhostPath:Pairs() do
		pieces[piece.At] = piece.Text
	end
	local text, at = "", 1
	while pieces[at] do
		text, at = text .. pieces[at], at + 1
	end
	return pathcode.Unpack(text)
end

-- Returns a score of the list of best laps in words: the time, 1:02.35.
function RaceState:DescribeScore(seconds)
	return laptime.Text(seconds)
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
