-- RacePlayer: a person who drives. On the player's machine it turns the view with the car, records laps, and
-- lets the ghost of the best lap drive along.
local RacePlayer = class("RacePlayer", "PlayerController")

RacePlayer.defaults {
	BrainClass = "RaceBrain",
}

-- Seconds between two samples of a record, and the maximum number of samples: two minutes.
local RECORD_TIME, RECORD_MOST = 0.1, 1200

-- Runs each tick on the player's machine.
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

-- Turns the view with the car, in addition to what the player turns.
function RacePlayer:TurnWith(car)
	local yaw = car.Rotation.Yaw
	if self.yaw then
		local view = self.ViewRotation
		self.ViewRotation = rotator(view.Pitch, view.Yaw + yaw - self.yaw, view.Roll)
	end
	self.yaw = yaw
end

-- Records where the car is. The ghost replays the best lap from then on.
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

-- A lap is complete: plays a chime for its driver, and may be a new best.
function RacePlayer:LapEnded(car, player)
	car:PlaySound("sounds/race_lap.toml", { bNotReplicated = true })
	if player.LastLap == player.BestLap then
		self.best = self.record
	end
end

-- Makes the ghost replay the best lap, from the line.
function RacePlayer:StartGhost(car)
	if not self.ghost or self.ghost.bDeleteMe then
		self.ghost = car:SpawnEffect("RaceGhost", car.Location) -- nil on a machine without a view
	end
	if self.ghost then
		self.ghost:Follow(self.best)
	end
end

return RacePlayer
