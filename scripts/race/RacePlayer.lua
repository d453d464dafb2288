-- RacePlayer: a person who drives. On the player's machine it turns the view with the car, records laps, and
-- lets ghosts drive along: that of the driver's own best lap, and that of the best lap of all time.
local RacePlayer = class("RacePlayer", "PlayerController")

RacePlayer.defaults {
	BrainClass = "RaceBrain",
}

-- Seconds between two samples of a record, and the maximum number of samples: two minutes.
local RECORD_TIME, RECORD_MOST = 0.1, 1200

local GOLD = "#ffd45c" -- the ghost of the best lap of all time

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

-- Records where the car is. Ghosts begin at the line with every lap.
function RacePlayer:Record(car, player, dt)
	if player.Lap ~= self.lap then
		if self.lap and self.lap > 0 and player.Lap > self.lap then
			self:LapEnded(car, player)
		end
		self.lap, self.record, self.sinceRecord = player.Lap, { step = RECORD_TIME }, RECORD_TIME
		if player.Lap > 0 and player.FinishTime == 0 then
			self:StartGhosts(car, player)
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

-- Makes the ghosts replay their laps, from the line. A lap that is the best of all has one ghost only.
function RacePlayer:StartGhosts(car, player)
	local state = world.GameState
	if self.best and player.BestLap ~= state.GhostLap then
		self.ghost = self:Replay(self.ghost, car, self.best)
	elseif self.ghost and not self.ghost.bDeleteMe then
		self.ghost:Destroy()
	end
	if state.GhostLap > 0 then
		self.rival = self:Replay(self.rival, car, state:GetGhostRecord())
		if self.rival then
			self.rival.Paint, self.rival.Title = GOLD, state.GhostName
		end
	end
end

-- Makes a ghost replay a lap; spawns it if there is none. Returns it, nil on a machine without a view.
function RacePlayer:Replay(ghost, car, record)
	if not ghost or ghost.bDeleteMe then
		ghost = car:SpawnEffect("RaceGhost", car.Location)
	end
	if ghost then
		ghost:Follow(record)
	end
	return ghost
end

return RacePlayer
