-- aiming: turns a view towards a target as a person's hand does: after a reaction time, with overshoot,
-- tremor, and an error that grows with the speed at which the target crosses the view. Skill is 0 (a
-- beginner) to 7 (an expert).
--
--	local aiming = require("lib.aiming")
--	self.hand = aiming.new()
--	aiming.Look(self.hand, skill, view, dx, dy, dz, dt) → the new view; every tick
--
-- Angles inside are in degrees; arguments and results are in rotator units.
local aiming = {}

local UNITS = 65536 / 360 -- rotator units in a degree

function aiming.new()
	return {
		yawSpeed = 0, pitchSpeed = 0, -- degrees/s
		yawError = 0, pitchError = 0, -- degrees by which the aim is off
		yawWanted = 0, pitchWanted = 0, -- where the errors drift to
		changeAt = 0, -- world time of the next drift
		off = 180, -- degrees between the view and the target without errors, in the last Look
		tracked = 0, -- seconds for which it has followed the same target
	}
end

-- Seconds from seeing a target to reacting.
function aiming.ReactionTime(skill)
	return 0.65 - 0.07 * skill
end

-- The mean error in degrees, without the share of the target's speed.
function aiming.Error(skill)
	return 7.5 - 0.85 * skill
end

-- Returns a random number around 0, mostly within 1 and never beyond 3: the sum of three uniform ones, like
-- the errors of a hand.
local function bell()
	return (math.random() + math.random() + math.random() - 1.5) * 2
end

-- Chooses new errors now and then. crossing is how fast the target crosses the view, in degrees/s.
function aiming.Shake(hand, skill, crossing, dt)
	local now = world.TimeSeconds
	hand.tracked = hand.tracked + dt
	if now >= hand.changeAt then
		hand.changeAt = now + 0.25 + 0.35 * math.random()
		local settling = 0.55 + 0.9 * math.exp(-hand.tracked)
		local moving = 1 + math.min(crossing, 120) / 40 * (1.3 - 0.1 * skill)
		local degrees = aiming.Error(skill) * settling * moving
		hand.yawWanted, hand.pitchWanted = bell() * degrees, bell() * degrees * 0.6
	end
	local share = math.min(1, dt * 5)
	hand.yawError = hand.yawError + (hand.yawWanted - hand.yawError) * share
	hand.pitchError = hand.pitchError + (hand.pitchWanted - hand.pitchError) * share
end

-- Starts with a new target: the hand has to settle again.
function aiming.NewTarget(hand)
	hand.tracked, hand.changeAt = 0, 0
end

-- The shorter turn from one angle to another, -180 to 180.
local function between(from, to)
	return (to - from + 180) % 360 - 180
end

local STEP = 1 / 60 -- seconds

-- Turns a view towards a direction for dt seconds and returns the new yaw and pitch in rotator units. drift
-- is the angular speed of the target around the eyes, in degrees/s of yaw; nil is for looking around, without
-- errors.
function aiming.Look(hand, skill, view, dx, dy, dz, dt, drift)
	local yaw, pitch = view.Yaw / UNITS, between(0, view.Pitch / UNITS)
	local toYaw = math.deg(math.atan2(dy, dx))
	local toPitch = math.deg(math.atan2(dz, math.sqrt(dx * dx + dy * dy)))
	local yawOff, pitchOff = between(yaw, toYaw), toPitch - pitch
	hand.off = math.max(math.abs(yawOff), math.abs(pitchOff))
	if drift then
		yawOff, pitchOff = yawOff + hand.yawError, pitchOff + hand.pitchError
	end
	drift = (drift or 0) * (0.35 + 0.09 * skill) -- a good player follows the target, others lag behind it
	local rate = 9 + 1.6 * skill -- 1/s
	local pull, damp = rate * rate, 2 * (0.62 + 0.05 * skill) * rate
	local most = 240 + 70 * skill -- degrees/s
	local left, yawSpeed, pitchSpeed = math.min(dt, 0.1), hand.yawSpeed, hand.pitchSpeed
	repeat -- in small steps, so that the spring behaves the same at every tick rate
		local part = left < STEP and left or STEP
		-- Each axis is a slightly underdamped spring, limited to the speed of a wrist; it follows drift.
		yawSpeed = yawSpeed + (yawOff * pull - (yawSpeed - drift) * damp) * part
		if yawSpeed > most or yawSpeed < -most then
			yawSpeed = yawSpeed > 0 and most or -most
		end
		pitchSpeed = pitchSpeed + (pitchOff * pull - pitchSpeed * damp) * part
		if pitchSpeed > most or pitchSpeed < -most then
			pitchSpeed = pitchSpeed > 0 and most or -most
		end
		local turned, raised = yawSpeed * part, pitchSpeed * part
		yaw, pitch = yaw + turned, pitch + raised
		yawOff, pitchOff = yawOff - turned, pitchOff - raised
		left = left - part
	until left <= 1e-6
	hand.yawSpeed, hand.pitchSpeed = yawSpeed, pitchSpeed
	pitch = math.max(-85, math.min(85, pitch))
	return math.floor(yaw % 360 * UNITS + 0.5) % 65536, math.floor(pitch % 360 * UNITS + 0.5) % 65536
end

return aiming
