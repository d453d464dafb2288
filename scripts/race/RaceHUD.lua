-- RaceHUD: what a driver sees over the road: place, lap and times, speed, the countdown, and a small map.
local RaceHUD = class("RaceHUD", "HUD")

local laptime = require("lib.laptime")

local WHITE, DIM, SHADE = "#f6efe2", "#d3b9a4", "#1d1322a0"
local YELLOW, RED, GHOST = "#ffd45c", "#ff5c4d", "#8ff0ff"
local MAP = 300 -- size of the map
local UNITS = 0.072 -- km/h per uu/s, at 2 cm per uu

-- Returns the car, and the PlayerState of its driver; nil if there is none.
function RaceHUD:GetCar()
	local car, player = self.PlayerOwner.Pawn, self.PlayerOwner.PlayerReplicationInfo
	if car and car:IsA("RaceCar") and player and player:IsA("RacePlayerState") then
		return car, player
	end
	return nil
end

-- Draws the race instead of health and weapon.
function RaceHUD:DrawPawn(canvas, _)
	local car, player = self:GetCar()
	local state = world.GameState
	if not car or not state or not state:IsA("RaceState") then
		return
	end
	self:DrawPlace(canvas, player, state)
	self:DrawTimes(canvas, player)
	self:DrawSpeed(canvas, car)
	self:DrawMap(canvas, car, state)
	if player.Lap == 0 or player.FinishTime > 0 then
		self:DrawBest(canvas, player, state)
	end
	self:DrawCall(canvas, player, state)
end

-- Draws place and lap, at the left.
function RaceHUD:DrawPlace(canvas, player, state)
	local lap = math.max(1, math.min(player.Lap, state.Laps))
	canvas:Rect(40, 40, 250, 150, SHADE, "top-left")
	canvas:Text(64, 52, tostring(math.max(1, player.Place)), 84, YELLOW, "left", "top-left")
	canvas:Text(134, 96, ("/ %d"):format(#state.PlayerArray), 38, DIM, "left", "top-left")
	canvas:Text(64, 146, ("lap %d / %d"):format(lap, state.Laps), 30, WHITE, "left", "top-left")
end

-- Draws the times of this lap, the last and the best, at the right.
function RaceHUD:DrawTimes(canvas, player)
	local now = player.Lap > 0 and self.PlayerOwner:GetServerTime() - player.LapStart or 0
	if player.FinishTime > 0 then
		now = player.FinishTime
	end
	canvas:Rect(-330, 40, 290, player.Record > 0 and 186 or 150, SHADE, "top-right")
	canvas:Text(-60, 54, laptime.Text(math.max(0, now)), 46, WHITE, "right", "top-right")
	canvas:Text(-310, 112, "last", 26, DIM, "left", "top-right")
	canvas:Text(-310, 148, "best", 26, DIM, "left", "top-right")
	if player.LastLap > 0 then
		canvas:Text(-60, 112, laptime.Text(player.LastLap), 28, WHITE, "right", "top-right")
		canvas:Text(-60, 148, laptime.Text(player.BestLap), 28, GHOST, "right", "top-right")
	end
	if player.Record > 0 then
		canvas:Text(-310, 184, "ever", 26, DIM, "left", "top-right")
		canvas:Text(-60, 184, laptime.Text(player.Record), 28, WHITE, "right", "top-right")
	end
end

-- Draws the best laps of the level, before the race and after it; empty until somebody has driven one.
function RaceHUD:DrawBest(canvas, own, state)
	if state.Best[1].Name == "" then
		return
	end
	canvas:Rect(-430, 250, 390, 54 + 32 * (#state.Best + 1), SHADE, "top-right")
	canvas:Text(-410, 262, "best laps", 26, DIM, "left", "top-right")
	for place = 1, #state.Best do
		local best = state.Best[place]
		if best.Name ~= "" then
			self:DrawLap(canvas, place, place, best.Name, best.Score, place == own.BestPlace)
		end
	end
	if own.BestPlace > #state.Best then
		self:DrawLap(canvas, #state.Best + 1, own.BestPlace, own.PlayerName, own.Record, true)
	end
end

-- Draws a row of the list.
function RaceHUD:DrawLap(canvas, row, place, name, seconds, mine)
	local y, color = 264 + 32 * row, mine and YELLOW or WHITE
	canvas:Text(-372, y, place, 26, DIM, "right", "top-right")
	canvas:Text(-360, y, name, 26, color, "left", "top-right")
	canvas:Text(-60, y, laptime.Text(seconds), 26, color, "right", "top-right")
end

-- Draws the speed, at the bottom.
function RaceHUD:DrawSpeed(canvas, car)
	local speed = car.Velocity:Size() * UNITS
	canvas:Rect(-190, -150, 380, 110, SHADE, "bottom")
	canvas:Text(40, -142, ("%d"):format(speed), 68, WHITE, "right", "bottom")
	canvas:Text(56, -112, "km/h", 28, DIM, "left", "bottom")
	canvas:Bar(-170, -64, 340, 10, speed / 160, YELLOW, "#00000080", "bottom")
end

-- Draws the most important message in the middle: countdown, wrong way, end.
function RaceHUD:DrawCall(canvas, player, state)
	local left = state.GoTime - self.PlayerOwner:GetServerTime()
	if player.FinishTime > 0 then
		canvas:Text(0, -220, ("finished: place %d"):format(player.Place), 72, YELLOW, "center", "center")
	elseif left > 0 and state.Count > 0 then
		canvas:Text(0, -260, tostring(state.Count), 180, YELLOW, "center", "center")
	elseif left > -1 and left <= 0 then
		canvas:Text(0, -260, "go!", 180, GHOST, "center", "center")
	elseif player.bWrongWay then
		canvas:Text(0, -220, "wrong way", 72, RED, "center", "center")
	end
end

-- Draws the road and all cars on it, at the lower right.
function RaceHUD:DrawMap(canvas, own, state)
	local gates = state:GetGates()
	if #gates < 3 then
		return
	end
	local scale = self:MapScale(gates)
	-- East in the level is to the right, north is up.
	local function place(at)
		return -60 - MAP / 2 + (at.Y - scale.y) * scale.k, -60 - MAP / 2 - (at.X - scale.x) * scale.k
	end
	canvas:Rect(-60 - MAP - 20, -60 - MAP - 20, MAP + 40, MAP + 40, SHADE, "bottom-right")
	local x, y = place(gates[#gates].Location)
	for _, gate in ipairs(gates) do
		local toX, toY = place(gate.Location)
		canvas:Line(x, y, toX, toY, 6, DIM, "bottom-right")
		x, y = toX, toY
	end
	for _, car in ipairs(self:ActorsOf("RaceCar")) do
		local carX, carY = place(car.Location)
		local size = car == own and 16 or 12
		local color = car == own and YELLOW or WHITE
		canvas:Rect(carX - size / 2, carY - size / 2, size, size, color, "bottom-right")
	end
end

-- Returns the centre of the gates, and the scale by which they fit on the map.
function RaceHUD:MapScale(gates)
	if self.scale then
		return self.scale
	end
	local low, high = gates[1].Location, gates[1].Location
	for _, gate in ipairs(gates) do
		local at = gate.Location
		low = vector(math.min(low.X, at.X), math.min(low.Y, at.Y), 0)
		high = vector(math.max(high.X, at.X), math.max(high.Y, at.Y), 0)
	end
	local wide = math.max(high.X - low.X, high.Y - low.Y)
	self.scale = { x = (low.X + high.X) / 2, y = (low.Y + high.Y) / 2, k = MAP / wide }
	return self.scale
end

-- Draws nothing: a race does not use the clock of the match.
function RaceHUD:DrawMatch(_) end

-- Returns the players by place, not by points.
function RaceHUD:GetRanking()
	local list = world.GameState:GetPlayerArray()
	table.sort(list, function(a, b)
		if a.Place ~= b.Place then
			return b.Place == 0 or a.Place ~= 0 and a.Place < b.Place
		end
		return a.PlayerID < b.PlayerID
	end)
	return list
end

return RaceHUD
