-- driving: drives a Vehicle along a wide path of world:FindPath, with the keys that a bot uses to walk (see
-- Vehicle:TowardsWish). It slows down for corners, backs off from obstacles, and notices when it makes no
-- progress.
--
--	local driving = require("lib.driving")
--	self.wheel = driving.new()
--	driving.Go(self.wheel, vehicle, goal)                   -- finds a path; false if there is none
--	local x, y, brake = driving.Steer(self.wheel, vehicle)  -- every tick: keys, and the hand brake
--
-- wheel.status is "idle", "going", "there", or "lost" when the path cannot be driven.
local driving = {}

local CLOSE = 120 -- uu: nearer than this, a corner of the path counts as passed
local ARRIVED = 220 -- uu: the same for its end
local TOP = 1100 -- uu/s, the top speed
local SLOW = 260 -- uu/s around a corner of a right angle, and at the end
local BRAKING = 600 -- uu/s^2 that it plans with; tyres hold about twice that
local STILL = 60 -- uu in PATIENCE seconds: less counts as standing still
local PATIENCE = 1.5 -- seconds
local BACK = 1.2 -- seconds for which it drives backwards
local TRIES = 4 -- times in a row that it backs off before it gives up
local LEVEL = 90 -- uu by which a target to run over may stand higher or lower

-- The state of one bot's drive.
function driving.new()
	return {
		status = "idle",
		path = nil, -- steps of world:FindPath
		index = 1, -- the present step
		goal = nil, -- its goal
		mark = nil, -- location and time of the last progress
		markTime = 0,
		tries = 0, -- how often in a row it backed off
		backUntil = 0, -- end of the present backing off
	}
end

-- Forgets the path.
function driving.Stop(wheel)
	wheel.status, wheel.path, wheel.mark = "idle", nil, nil
end

-- Finds a path to a location, or as near to it as wheels can get, and begins to drive it. Returns false if
-- there is none.
function driving.Go(wheel, vehicle, goal)
	local path = world:FindPath(vehicle.Location, goal, true)
	if not path then
		wheel.status, wheel.path = "lost", nil
		return false
	end
	wheel.status, wheel.path, wheel.index, wheel.goal = "going", path, 1, goal
	wheel.mark, wheel.tries = nil, 0
	return true
end

-- Whether it can drive straight to a location and run over an enemy there: the enemy is not too near to hit,
-- nothing blocks the line, and there is floor.
function driving.CanRam(vehicle, place)
	local at = vehicle.Location
	local way = place - at
	local far = way:Size2D()
	if far < 150 or math.abs(way.Z) > LEVEL then
		return false
	end
	if far < 600 and vehicle.Rotation:Vector():Dot(way) < 0.5 * far then
		return false -- beside it: it would have to turn around
	end
	if vehicle:Trace(at, place, { radius = 60, height = 20, actors = false }) then
		return false
	end
	for i = 1, 3 do
		local on = at + way * (i / 4)
		if vehicle:FastTrace(on, on - vector(0, 0, 200)) then
			return false
		end
	end
	return true
end

-- Backs off for a while, for example after a collision.
function driving.BackOff(wheel)
	wheel.backUntil, wheel.mark = world.TimeSeconds + BACK, nil
end

-- Checks progress; without progress it backs off, and gives up in the end. Returns whether it goes on.
local function watch(wheel, at)
	local now = world.TimeSeconds
	if not wheel.mark or at:Distance(wheel.mark) > STILL then
		if wheel.mark then
			wheel.tries = 0
		end
		wheel.mark, wheel.markTime = at, now
	elseif now - wheel.markTime > PATIENCE then
		wheel.tries = wheel.tries + 1
		if wheel.tries > TRIES then
			wheel.status = "lost"
		else
			driving.BackOff(wheel)
		end
	end
end

-- Returns the speed to have at the end of a step, which the corner there limits.
local function cornerSpeed(step, following, x, y)
	if not following then
		return SLOW
	end
	local way = (following.Location - step.Location):With{ Z = 0 }:Normal()
	local straight = math.max(0, way.X * x + way.Y * y) -- 1 for straight on, 0 for a right angle or more
	return SLOW + (TOP - SLOW) * straight * straight
end

-- Runs one tick of the drive. Returns the world direction of the keys (x, y, with a length up to 1: the
-- throttle), and whether to hold the hand brake. ram, if given, is a location to drive straight at instead of
-- along the path.
function driving.Steer(wheel, vehicle, ram)
	local at, now = vehicle.Location, world.TimeSeconds
	local ahead = vehicle.Rotation:Vector()
	if now < wheel.backUntil then
		return -ahead.X, -ahead.Y, false
	end
	local speed = vehicle.Velocity:Size2D()
	local to, allowed = ram, TOP * 1.2
	if not ram then
		local path = wheel.path
		if wheel.status ~= "going" or not path then
			return 0, 0, true
		end
		local step, following, way, far
		while true do
			step, following = path[wheel.index], path[wheel.index + 1]
			if not step then
				wheel.status, wheel.path = "there", nil
				return 0, 0, true
			end
			way = (step.Location - at):With{ Z = 0 }
			far = way:Size()
			local past = far < 3 * CLOSE and way:Dot(vehicle.Velocity) < 0
			if far > (following and CLOSE or ARRIVED) and not past then
				break
			end
			wheel.index = wheel.index + 1
		end
		to = step.Location
		local corner = cornerSpeed(step, following, way.X / far, way.Y / far)
		allowed = math.min(TOP, math.sqrt(corner * corner + 2 * BRAKING * math.max(0, far - CLOSE)))
	end
	watch(wheel, at)
	local way = (to - at):With{ Z = 0 }:Normal()
	local straight = way.X * ahead.X + way.Y * ahead.Y
	if straight < 0.7 then
		allowed = math.min(allowed, SLOW * 1.5) -- the nose has to turn first
	end
	local share = speed < allowed and 1 or 0.2
	return way.X * share, way.Y * share, speed > allowed * 1.25
end

return driving
