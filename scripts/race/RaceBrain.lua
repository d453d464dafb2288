-- RaceBrain: drives a RaceCar from gate to gate with the keys that a person has: towards a point ahead,
-- slower where the road turns. It drives the host's bots, and the cars of players who let a brain play.
local RaceBrain = class("RaceBrain", "Brain")

RaceBrain.properties {
	Pace = float(1, { min = 0.1, max = 2 }), -- share of the possible speed in turns that it drives
	SlowFor = float(0), -- seconds for which it has hardly moved
	StuckFor = float(0), -- total of those in the whole race
}

local HOLD, BRAKING = 1500, 900 -- uu/s^2 that its tires hold in a turn, and that it plans to brake with
local AHEAD = 4 -- number of gates that it looks ahead
local NEAR, LEAD = 420, 0.42 -- uu ahead of the point that it steers for, plus seconds of its speed
local PATIENCE = 2.5 -- seconds without progress after which it requests a reset to the road
local SLOW = 90 -- uu/s below which it makes no progress

-- Starts the brain; skill is 0 to 7.
function RaceBrain:Start(skill)
	RaceBrain.super.Start(self, skill)
	self.Pace = 0.84 + 0.03 * skill
end

-- Runs one tick: presses the keys of its controller.
function RaceBrain:Play(dt)
	local me = self:GetOwner()
	local car, state, player = me.Pawn, world.GameState, me.PlayerReplicationInfo
	me.aForward, me.aStrafe, me.bJump = 0, 0, false
	if not car or not car:IsA("RaceCar") or not state or not state:IsA("RaceState") or not player then
		return true
	end
	local gates = state:GetGates()
	if #gates > 3 and player.FinishTime == 0 then
		self:Drive(me, car, gates, player.NextGate)
		self:Watch(car, state, dt)
	end
	return true
end

-- Steers towards a point ahead on the road.
function RaceBrain:Drive(me, car, gates, next)
	local speed = car.Velocity:Size2D()
	local lead, i, left = NEAR + LEAD * speed, next, 0
	local from = car.Location
	for _ = 1, 4 do
		left = from:Distance(gates[i % #gates + 1].Location)
		if left >= lead then
			break
		end
		lead, from, i = lead - left, gates[i % #gates + 1].Location, i + 1
	end
	local goal = gates[i % #gates + 1].Location
	local target = left > lead and from + (goal - from) * (lead / left) or goal
	local way = (target - car.Location):With { Z = 0 }:Normal()
	local allowed = self:SpeedAt(car, gates, next)
	local share = speed < allowed and 1 or 0.15
	local yaw = car.Rotation.Yaw
	if not me:IsA("PlayerController") then
		me.ViewRotation = rotator(0, yaw, 0)
	end
	local forward, right = rotator(0, me.ViewRotation.Yaw, 0):Axes()
	me.aForward, me.aStrafe = way:Dot(forward) * share, way:Dot(right) * share
	me.bJump = speed > allowed * 1.2
end

-- Returns the speed that the road ahead allows: the tires limit the speed in each turn, and it must be able
-- to brake before the turn.
function RaceBrain:SpeedAt(car, gates, next)
	local n, far, allowed = #gates, 0, math.huge
	local from = car.Location
	for k = 0, AHEAD - 1 do
		local gate, after = gates[(next + k) % n + 1], gates[(next + k + 1) % n + 1]
		far = far + from:Distance(gate.Location)
		from = gate.Location
		local turn = math.acos(math.min(1, gate.Rotation:Vector():Dot(after.Rotation:Vector())))
		local radius = from:Distance(after.Location) / math.max(0.02, turn)
		allowed = math.min(allowed, self.Pace ^ 2 * HOLD * radius + 2 * BRAKING * math.max(0, far - 300))
	end
	return math.sqrt(allowed)
end

-- Checks progress; without progress it requests a reset to the road.
function RaceBrain:Watch(car, state, dt)
	local now = world.TimeSeconds
	local held = self:HasAuthority() and now < state.GoTime + 1
	local waits = state.Count > 0 or state.GoTime == 0 or held
	if waits or car.Velocity:Size2D() > SLOW then
		self.SlowFor = 0
		return
	end
	self.SlowFor = self.SlowFor + dt
	self.StuckFor = self.StuckFor + dt
	if self.SlowFor > PATIENCE then
		self.SlowFor = 0
		car:ServerReset()
	end
end

-- Returns the seconds of the race in which it was stuck.
function RaceBrain:GetStuckSeconds()
	return self.StuckFor
end

return RaceBrain
