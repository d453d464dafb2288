-- Race: some laps of a circuit; the driver who finishes them first wins.
--
--	host 'circuit?game=Race?laps=3?bots=3'
--
-- A level for it has PlayerStarts behind the line, the first in front, and RaceGates along the road.
local Race = class("Race", "GameInfo")

local bestlist = require("lib.bestlist")
local laptime = require("lib.laptime")

Race.properties {
	Laps = int(3, { min = 1, max = 99 }), -- ?laps=
	CountFrom = int(3, { min = 1, max = 9 }), -- seconds of the countdown
	FinishWait = float(40, { min = 0, max = 600 }), -- seconds that the others have after the first has finished
	NumFinished = int(0, { min = 0 }), -- drivers who have finished
}

Race.defaults {
	DefaultPawnClass = "RaceCar",
	PlayerControllerClass = "RacePlayer",
	BotClass = "RaceBot",
	GameStateClass = "RaceState",
	PlayerStateClass = "RacePlayerState",
	HUDType = "RaceHUD",
	BotCount = 3,
	PostMatchTime = 12, -- seconds
}

-- Reads the options of the start URL.
function Race:InitGame(options)
	local wrong = Race.super.InitGame(self, options) or self:TakeNumber("laps", "Laps", 1, 99)
	if wrong then
		return wrong
	end
	self.GameState.Laps = self.Laps
	return nil
end

-- The level exists: reads the ghost of its best lap, and the list of the best.
function Race:StartPlay()
	Race.super.StartPlay(self)
	store:Get("ghost/" .. world.LevelName, function(ghost, err)
		self:GhostCame(ghost, err)
	end)
	bestlist.Show(self.GameState, self:GetListName())
end

-- A driver has joined: their best lap of all time is there, and all see the list of the best.
function Race:PostLogin(pc)
	local player = pc.PlayerReplicationInfo
	player:FindRecord(world.LevelName)
	Race.super.PostLogin(self, pc)
	self:EnterList(player)
end

-- 1 The start

-- The race begins: everybody gets a car, and the countdown runs.
function Race:HandleMatchHasStarted()
	Race.super.HandleMatchHasStarted(self)
	self:StartCountdown()
	self:SetTimer(0.25, true, "CountPlaces")
end

-- Holds all cars for a few seconds more, and counts them down.
function Race:StartCountdown()
	local state = self.GameState
	state.GoTime = world.TimeSeconds + self.CountFrom + 1
	self.count = self.CountFrom
	self:SetTimer(1, false, "CountDown")
end

-- One second of the countdown is over.
function Race:CountDown()
	self.GameState:SetCount(self.count)
	if self.count > 0 then
		self.count = self.count - 1
		self:SetTimer(1, false, "CountDown")
	end
end

-- A driver gets a car, on the next free place of the grid.
function Race:RestartPlayer(controller)
	Race.super.RestartPlayer(self, controller)
	local car, player = controller.Pawn, controller.PlayerReplicationInfo
	if car and car:IsA("RaceCar") then
		car.Paint = player.PlayerID % 4
		player:BeginRace()
		car:Take(controller)
	end
end

-- Nothing hurts a car.
function Race:ReduceDamage(_, _, _, _, _, _)
	return 0
end

-- 2 On the road

-- Computes the places: drivers who have finished by their time, the others by their progress.
function Race:CountPlaces()
	local gates = self.GameState:GetGates()
	local list = {}
	for _, player in ipairs(self.GameState.PlayerArray) do
		if not player.bIsSpectator then
			table.insert(list, player)
		end
	end
	local reached = function(player)
		return player.FinishTime > 0 and 1e9 - player.FinishTime or self:GetWay(player, gates)
	end
	local far = {}
	for _, player in ipairs(list) do
		far[player] = reached(player)
	end
	table.sort(list, function(a, b)
		if far[a] ~= far[b] then
			return far[a] > far[b]
		end
		return a.PlayerID < b.PlayerID
	end)
	for place, player in ipairs(list) do
		if player.Place ~= place then
			player.Place = place
		end
	end
end

-- Returns how far a driver is, in gates, including the fraction of the way to the next.
function Race:GetWay(player, gates)
	local mind = player.Owner
	local car, gate = mind and mind.Pawn, gates[player.NextGate + 1]
	local far = player:GetProgress(#gates)
	if not car or not gate then
		return far
	end
	return far - math.min(0.99, car.Location:Distance(gate.Location) / 4000)
end

-- A driver has completed a lap.
function Race:LapEnded(player)
	self:KeepLap(player)
	if player.Lap <= self.Laps or player.FinishTime > 0 then
		return
	end
	player.FinishTime = world.TimeSeconds - self.GameState.GoTime
	player.Score = player.Score + math.max(1, 10 - self.NumFinished)
	self.NumFinished = self.NumFinished + 1
	self:CountPlaces()
	player:ForceNetUpdate()
	local text = "%s finishes in %s"
	self:Broadcast(text:format(player:GetQuotedName(), laptime.Text(player.FinishTime)), "event")
	if self.NumFinished == 1 then
		self:SetTimer(self.FinishWait, false, "TimeIsUp")
	end
	self:EndWhenAllAreIn()
end

-- Ends the race when the time of the remaining drivers is over.
function Race:TimeIsUp()
	self:EndMatch("time limit")
end

-- Ends the race once every driver has finished.
function Race:EndWhenAllAreIn()
	local driving = 0
	for _, player in ipairs(self.GameState.PlayerArray) do
		if not player.bIsSpectator and player.FinishTime == 0 then
			driving = driving + 1
		end
	end
	if driving == 0 and self.NumFinished > 0 then
		self:EndMatch("goal")
	end
end

-- 3 Best laps

-- Keeps a lap that is the driver's best of all time, for them, in the list, and perhaps as the ghost. Bots
-- and guests drive for this race only.
function Race:KeepLap(player)
	if bestlist.IsListed(player) and player:KeepRecord(world.LevelName) then
		self:EnterList(player)
		self:KeepGhost(player)
	end
end

-- Gives a driver their place in the list of the level: less is better, so the score is negative.
function Race:EnterList(player)
	bestlist.Enter(self.GameState, self:GetListName(), player, -player.Record)
end

-- Returns the name of the list of this level's best laps.
function Race:GetListName()
	return "laps/" .. world.LevelName
end

-- Keeps the way of a driver's last lap if nobody ever drove a better one, on this host or another.
function Race:KeepGhost(player)
	local car, best = player.Owner and player.Owner.Pawn, self.GameState.GhostLap
	if not car or not car.path or best > 0 and player.LastLap >= best then
		return
	end
	local ghost = { Name = player.PlayerName, Lap = player.LastLap, Path = table.concat(car.path) }
	store:Update("ghost/" .. world.LevelName, function(old)
		return old and old.Lap <= ghost.Lap and old or ghost
	end, function(now, err)
		self:GhostCame(now, err)
	end)
end

-- The store answered with the ghost of the level; nil if there is none. A failure is told once.
function Race:GhostCame(ghost, err)
	if err and not self.ghostFailed then
		self:Log("the ghost of the best lap: " .. err)
	end
	self.ghostFailed = err ~= nil
	if ghost then
		self.GameState:SetGhost(ghost)
	end
end

-- A driver leaves; perhaps all others have finished.
function Race:Logout(pc)
	Race.super.Logout(self, pc)
	self:EndWhenAllAreIn()
end

-- The race is over: announces the order and stops all clocks.
function Race:HandleMatchHasEnded()
	Race.super.HandleMatchHasEnded(self)
	self:ClearTimer("CountPlaces")
	self:ClearTimer("TimeIsUp")
	for _, player in ipairs(self.GameState.PlayerArray) do
		if player.Place == 1 then
			self:Broadcast(player:GetQuotedName() .. " wins the race", "event")
		end
	end
end

return Race
