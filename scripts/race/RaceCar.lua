-- RaceCar: the car of a race. It is its driver's pawn from the start; the driver cannot get out, and nothing
-- damages it. Driving and replication are those of Vehicle. The server watches which gates it crosses, and
-- puts it back on the road when it lies on its back, falls off, or its driver requests that.
local RaceCar = class("RaceCar", "Vehicle")

local pathcode = require("lib.pathcode")

local PATH_MOST = 600 -- samples of a lap: two minutes

RaceCar.properties {
	ResetPause = float(2, { min = 0, max = 60 }), -- least seconds between two resets that its driver requests
	NextReset = float(0), -- world time from which the next reset is allowed
	Paint = int(0, { min = 0, max = 3 }), -- its color
	WrongFor = float(0), -- seconds for which it has driven in the wrong direction
	LastGate = ref("RaceGate"), -- the last gate that it crossed
}

RaceCar.defaults {
	Mass = 900, -- kg
	EngineForce = 840000, -- kg uu/s^2
	BrakeForce = 1500000,
	LinearDamping = 0.42,
	AngularDamping = 2.6,
	BodyExtent = vector(112, 50, 24),
	BodyLift = -30,
	Grip = 2.3,
	MaxSteer = 0.5,
	SteerSpeed = 1300,
	SoundRadius = 2200, -- uu
	EyeHeight = 74,
}

RaceCar.replication {
	{ "Paint", when = COND_InitialOnly },
}

-- A low wedge with a wing, painted by its position on the grid.
RaceCar.looks {
	size = { 224, 92, 30 }, color = "#e0423a",
	on = { PlayReset = "effects/race_reset.toml" },
	parts = {
		{ shape = "box", at = { 78, 0, -8 }, size = { 96, 60, 16 }, color = "#f4f0e4" },
		{ shape = "sphere", at = { -14, 0, 22 }, size = { 96, 54, 44 }, color = "#1c2733", glow = 0.1 },
		{ shape = "box", at = { -96, 0, 52 }, size = { 30, 112, 6 }, color = "#f4f0e4" },
		{ shape = "box", at = { -96, 40, 32 }, size = { 18, 5, 40 }, color = "#2b2b2e" },
		{ shape = "box", at = { -96, -40, 32 }, size = { 18, 5, 40 }, color = "#2b2b2e" },
		{ shape = "box", at = { -113, 28, 4 }, size = { 4, 22, 8 }, color = "#ff3b2f", glow = 0.9 },
		{ shape = "box", at = { -113, -28, 4 }, size = { 4, 22, 8 }, color = "#ff3b2f", glow = 0.9 },
		{
			shape = "cylinder", at = { 78, 50, -34 }, size = { 46, 46, 24 }, rotation = { 0, 0, 90 },
			color = "#232327", wheel = 23,
		},
		{ shape = "box", at = { 78, 62, -34 }, size = { 36, 4, 8 }, color = "#9aa1a8", wheel = 23 },
		{
			shape = "cylinder", at = { 78, -50, -34 }, size = { 46, 46, 24 }, rotation = { 0, 0, 90 },
			color = "#232327", wheel = 23,
		},
		{ shape = "box", at = { 78, -62, -34 }, size = { 36, 4, 8 }, color = "#9aa1a8", wheel = 23 },
		{
			shape = "cylinder", at = { -78, 50, -34 }, size = { 50, 50, 28 }, rotation = { 0, 0, 90 },
			color = "#232327", wheel = 25,
		},
		{ shape = "box", at = { -78, 64, -34 }, size = { 40, 4, 8 }, color = "#9aa1a8", wheel = 25 },
		{
			shape = "cylinder", at = { -78, -50, -34 }, size = { 50, 50, 28 }, rotation = { 0, 0, 90 },
			color = "#232327", wheel = 25,
		},
		{ shape = "box", at = { -78, -64, -34 }, size = { 40, 4, 8 }, color = "#9aa1a8", wheel = 25 },
	},
	when = {
		{ "Paint == 1", color = "#2f9be0" },
		{ "Paint == 2", color = "#f2b632" },
		{ "Paint == 3", color = "#4fb866" },
		{ "CarState.OutputGas > 40", trail = "effects/race_dust.toml" },
	},
}

RaceCar.actions {
	Reset = {
		label = "Back to the road", keys = { "KeyR" }, buttons = { "x" }, touch = "button",
		terminal = "r",
	},
}

-- 1 Its driver

-- On the server: becomes the pawn of a driver.
function RaceCar:Take(mind)
	self.PlayerReplicationInfo = mind.PlayerReplicationInfo
	self.bDriving = true
	self:DrivingStatusChanged()
end

-- A driver got in, or none is left.
function RaceCar.simulated:DrivingStatusChanged()
	RaceCar.super.DrivingStatusChanged(self)
	if self:HasAuthority() then
		self.AmbientSound = self.bDriving and "sounds/engine.toml" or ""
	end
end

-- Always false: nobody gets in or out.
function RaceCar:CanDrive(_)
	return false
end

-- Use does nothing: the driver cannot get out.
function RaceCar:UseNearest() end

-- Its driver leaves the game: the car is destroyed.
function RaceCar:Withdraw()
	self:Destroy()
end

-- 2 Driving

-- Runs on the driver's machine and on the server.
function RaceCar:Tick(dt)
	local mind = self.Controller
	if mind and self:IsLocallyControlled() then
		self:ReadKeys(mind)
		if not self:HasAuthority() then
			self:SendDrive(dt)
		end
	end
	if self:HasAuthority() then
		self:ProcessCarInput()
		self:HelpUpright(dt)
		self:FollowRace(dt)
	end
end

-- On the server: brakes until the start, and after its race is over.
function RaceCar:ProcessCarInput()
	local state, player = world.GameState, self.PlayerReplicationInfo
	local held = state:IsA("RaceState") and not state:IsStarted()
	if held or player and player:IsA("RacePlayerState") and player.FinishTime > 0 then
		self.Throttle, self.Steering, self.Rise = 0, 0, 1
	end
	RaceCar.super.ProcessCarInput(self)
end

-- 3 The race, on the server

-- Checks whether it crossed its next gate, and in which direction it drives.
function RaceCar:FollowRace(dt)
	local player, state = self.PlayerReplicationInfo, world.GameState
	if not player or not player:IsA("RacePlayerState") or not state:IsA("RaceState") then
		return
	end
	local gates = state:GetGates()
	local gate = gates[player.NextGate + 1]
	if not gate then
		return
	end
	self:SamplePath(dt, player)
	if gate:IsCrossedBy(self.Location, self.Velocity) then
		self.LastGate = gate
		if player:CrossGate(#gates) then
			world.Game:LapEnded(player)
		end
		if gate == gates[1] then
			self.path, self.sampleIn = {}, 0
		end
	end
	local against = self.LastGate and self.Velocity:Dot(self.LastGate.Rotation:Vector()) < -150
	self.WrongFor = against and self.WrongFor + dt or 0
	local wrong = self.WrongFor > 1
	if player.bWrongWay ~= wrong then
		player.bWrongWay = wrong
		player:ForceNetUpdate()
	end
end

-- Samples its way in this lap, from which the ghost of the best lap is made (Race:KeepGhost).
function RaceCar:SamplePath(dt, player)
	if player.bBot or not self.path then
		return
	end
	self.sampleIn = self.sampleIn - dt
	if self.sampleIn <= 0 and #self.path < PATH_MOST then
		self.sampleIn = self.sampleIn + pathcode.TIME
		table.insert(self.path, pathcode.Pack(self.Location, self.Rotation))
	end
end

-- Puts it back on the road after it has been on its back or side for a while.
function RaceCar:HelpUpright(dt)
	if self:GetUpVector().Z > 0.4 or self.Velocity:Size() > 150 then
		self.FlippedFor = 0
		return
	end
	self.FlippedFor = self.FlippedFor + dt
	if self.FlippedFor >= self.UprightTime then
		self:ResetToRoad()
	end
end

-- Puts it back on the road when it is below the level.
function RaceCar:FellOutOfWorld()
	self:ResetToRoad()
end

-- Puts it, standing still, where it crossed the last gate, or where it began.
function RaceCar:ResetToRoad()
	local gate = self.LastGate
	local place = gate and gate.Location + gate.Rotation:Vector() * 60 or self.startLocation
	local facing = gate and gate.Rotation or self.startRotation
	self.FlippedFor = 0
	self.NextReset = world.TimeSeconds + self.ResetPause
	self:SetLocation(place + vector(0, 0, 20))
	self:SetRotation(rotator(0, facing.Yaw, 0))
	self.Velocity = vector()
	self:SetAngularVelocity(vector())
	self:Wake()
	self:PlayReset()
end

-- An action of its driver was pressed or released, on their machine.
function RaceCar:InputAction(action, down)
	RaceCar.super.InputAction(self, action, down)
	if action == "Reset" and down then
		self:ServerReset()
	end
end

-- Called by the client: the driver requests a reset to the road.
function RaceCar.server.reliable:ServerReset()
	if world.TimeSeconds >= self.NextReset and world.GameState:IsStarted() then
		self:ResetToRoad()
	end
end

RaceCar.params { ServerReset = {} }

-- Requests that are too frequent are ignored (ResetPause), so every request is valid.
function RaceCar.validate:ServerReset()
	return true
end

-- It was put back on the road; the looks show a puff of dust.
function RaceCar.multicast.unreliable.simulated:PlayReset() end

return RaceCar
