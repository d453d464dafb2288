-- RacePlayer: a person who drives. On their machine it turns their view with the car, records their laps, and
-- lets the ghost of the best drive beside them.
local RacePlayer = class("RacePlayer", "PlayerController")

RacePlayer.defaults {
	BrainClass = "RaceBrain",
}

-- Seconds between two places of a record, and how many there are at most: two minutes.
local RECORD_TIME, RECORD_MOST = 0.1, 1200

-- Each tick on the player's machine.
function RacePlayer:PlayerTick(dt)
	RacePlayer.super.PlayerTick(self, dt)
	local car, player = self.Pawn, self.PlayerReplicationInfo
	if not car or not car:IsA("RaceCar") or not player or not player:IsA("RacePlayerState") then
		self.yaw = nil
		return
	end
	self:TurnWith(car)
	self:Record(car, player, dt)
end

-- The view turns as the car does, beside what the player turns it.
function RacePlayer:TurnWith(car)
	local yaw = car.Rotation.Yaw
	if self.yaw then
		local view = self.ViewRotation
		self.ViewRotation = rotator(view.Pitch, view.Yaw + yaw - self.yaw, view.Roll)
	end
	self.yaw = yaw
end

-- Notes where the car is. A lap that was the best is what the ghost drives from now on.
function RacePlayer:Record(car, player, dt)
	if player.Lap ~= self.lap then
		if self.lap and self.lap > 0 and player.Lap > self.lap then
			self:LapEnded(car, player)
		end
		self.lap, self.record, self.sinceRecord = player.Lap, { step = RECORD_TIME }, RECORD_TIME
		if self.best and player.FinishTime == 0 then
			self:StartGhost(car)
		end
	end
	self.sinceRecord = self.sinceRecord + dt
	if self.sinceRecord >= RECORD_TIME and #self.record < RECORD_MOST then
		self.sinceRecord = self.sinceRecord - RECORD_TIME
		table.insert(self.record, { place = car.Location, rotation = car.Rotation })
	end
end

-- A lap is over: a chime for its driver, and perhaps another best.
function RacePlayer:LapEnded(car, player)
	car:PlaySound("sounds/race_lap.toml", { bNotReplicated = true })
	if player.LastLap == player.BestLap then
		self.best = self.record
	end
end

-- The ghost drives the best lap, from the line.
function RacePlayer:StartGhost(car)
	if not self.ghost or self.ghost.bDeleteMe then
		self.ghost = car:SpawnEffect("RaceGhost", car.Location) -- nil where nobody looks on
	end
	if self.ghost then
		self.ghost:Follow(self.best)
	end
end

return RacePlayer
