-- steering: walks a bot along a path of world:FindPath by keys alone, as a player would: it runs up to
-- jumps, goes over edges at the right speed, waits for lifts, and notices when it makes no progress.
--
--	local steering = require("lib.steering")
--	self.legs = steering.new()
--	steering.Go(self.legs, pawn, goal)                 -- finds a path; false if there is none
--	local x, y, jump, crouch = steering.Walk(self.legs, pawn)  -- every tick: keys
--
-- legs.status is "idle", "going", "there", or "lost" when the path cannot be walked.
local steering = {}

local CLOSE = 24 -- uu: nearer than this, a corner of the path counts as passed
local EXACT = 10 -- uu: the same at the start of a jump, a drop or a lift ride
local STEP = 45 -- uu of height difference within which a location counts as the same floor
local SPEED_SLACK = 30 -- uu/s by which the speed of a run-up may be off; air control compensates
local STILL = 25 -- uu nearer to the end of its step in PATIENCE seconds: less is no progress
local PATIENCE = 0.5 -- see above
local LIFT_PAUSE = 2.5 -- seconds for which a lift may stop before the bot triggers it again
local PROBE = 140 -- uu ahead that are checked before going there
local LIFT_PATIENCE = 11 -- seconds to wait for a lift
local FEELER = { radius = 20, height = 40 } -- the box traced ahead to find walls and pawns

-- The state of one bot's walk.
function steering.new()
	return {
		status = "idle",
		path = nil, -- steps of world:FindPath
		index = 1, -- the present step
		goal = nil, -- its goal
		accept = 40, -- uu from the goal that count as arrived
		seconds = 0, -- duration of the path, from its start
		since = 0, -- world time at which the present step began
		mark = nil, -- uu to the end of the step at the last progress, and the time of that
		markTime = 0,
		stuck = 0, -- how often in a row it made no progress
		dodgeUntil = 0, -- end of the present sideways walk
		side = 1,
		stuckSeconds = 0, -- in total, in its whole life
	}
end

-- Forgets the path.
function steering.Stop(legs)
	legs.status, legs.path, legs.mark, legs.stuck = "idle", nil, nil, 0
end

-- Finds a path to a location and begins to walk it. Returns false if there is none.
function steering.Go(legs, pawn, goal, accept)
	local path, seconds = world:FindPath(pawn.Location, goal, false, pawn.CrouchHeight > 0)
	if not path then
		legs.status, legs.path = "lost", nil
		return false
	end
	legs.status, legs.path, legs.index = "going", path, 1
	legs.goal, legs.accept, legs.seconds = goal, accept or 40, seconds
	legs.since, legs.mark, legs.stuck, legs.airborne = world.TimeSeconds, nil, 0, false
	return true
end

-- Returns the direction and length of a horizontal vector; no direction if the length is 0.
local function level(dx, dy)
	local far = math.sqrt(dx * dx + dy * dy)
	if far < 0.01 then
		return 0, 0, far
	end
	return dx / far, dy / far, far
end

-- In the air: returns the direction to press in order to land at a location, as far as air control allows.
function steering.Fly(pawn, place)
	local at, v = pawn.Location, pawn.Velocity
	local g, rise = -world.Gravity * (pawn.GravityScale or 1), place.Z - at.Z
	local under = v.Z * v.Z - 2 * g * rise
	local dx, dy = place.X - at.X, place.Y - at.Y
	local left = g > 0 and under > 0 and (v.Z + math.sqrt(under)) / g or 0.3
	left = math.max(left, 0.05)
	local x, y, short = level(dx / left - v.X, dy / left - v.Y)
	if short < 8 then
		return 0, 0
	end
	return x, y
end

-- Whether one can walk in a direction from here for far uu (140 by default): no wall, no pawn, and no edge
-- that is too high to jump down.
function steering.IsFree(pawn, x, y, far)
	local at = pawn.Location
	far = far or PROBE
	local to = at + vector(x * far, y * far, 0)
	if not world:FastTrace(at, to) or pawn:Trace(at, to, FEELER) then
		return false
	end
	local deep = vector(0, 0, pawn.CollisionHeight + 200)
	while far > PROBE do -- all along
		far = far - PROBE
		local between = at + vector(x * far, y * far, 0)
		if world:FastTrace(between, between - deep) then
			return false
		end
	end
	return not world:FastTrace(to, to - deep)
end

-- Returns how far the path continues straight from a pawn's location, in uu; 0 if that is not plain walking.
function steering.StraightOn(legs, pawn)
	local step = legs.status == "going" and legs.path and legs.path[legs.index]
	local plain = step and step.Kind == "walk" and not step.Mover and not step.Crouch
	if not plain or world.TimeSeconds < legs.dodgeUntil then
		return 0
	end
	return (step.Location - pawn.Location):Size2D()
end

-- Whether the lift of a step is at the end of that step, so that one can walk onto it.
local function liftIsThere(step)
	local place = step.Location
	local hit = world:Trace(place, place - vector(0, 0, 130))
	if hit and hit.Actor and hit.Actor ~= step.Mover and hit.Actor:IsA("Pawn") then
		return false -- taken
	end
	return hit ~= nil and hit.Actor == step.Mover
end

-- Returns how far the centre of a crouching pawn is below that of a standing one: locations of paths are for
-- standing pawns.
local function lowered(pawn)
	return pawn.StandHeight > 0 and pawn.StandHeight - pawn.CollisionHeight or 0
end

-- Whether the present step is complete.
local function done(legs, pawn, step, following, dx, dy, dz, far)
	if following and following.Kind == "lift" then -- if another pawn stands at its centre, its edge is enough
		return pawn.Base == step.Mover and (far < 60 or step.Mover.Velocity:Size() > 1)
	end
	if pawn.Physics ~= PHYS_Walking then
		return pawn.Physics ~= PHYS_Falling and far < 2 * CLOSE
	end
	if step.Kind == "lift" then
		return math.abs(dz) < 6 and (far < 80 or pawn.Base == step.Mover)
	end
	if math.abs(dz) > STEP then
		return false
	end
	if step.Kind ~= "walk" then
		return legs.airborne and far < 2 * CLOSE
	end
	if not following then
		return far < legs.accept
	end
	if following.Kind ~= "walk" or following.Mover then
		return far < EXACT
	end
	if far < CLOSE then
		return true
	end
	local v = pawn.Velocity -- past it, and near
	return far < 3 * CLOSE and v.X * dx + v.Y * dy < 0
end

-- Returns the speed towards the end of a step, as a share of full speed.
local function pace(pawn, step, following, far)
	local need
	if step.Kind == "jump" then
		need = world:JumpVelocity(pawn.Location, step.Location)
	elseif step.Kind == "drop" then
		need = world:DropVelocity(pawn.Location, step.Location)
	end
	if need then
		local speed = need:Size2D()
		return math.max(0.15, math.min(1, speed / math.max(pawn.GroundSpeed, 1))), speed
	end
	if not following or following.Kind ~= "walk" or following.Mover then
		return math.min(1, far / 60 + 0.08), nil
	end
	return 1, nil
end

-- Returns half the width of an actor, seen along a direction, in uu.
local function halfBreadth(other, x, y)
	local extent = other.BodyExtent
	if not extent then
		return other.CollisionRadius
	end
	local ahead = other.Rotation:Vector()
	local along, across = math.abs(ahead.X * x + ahead.Y * y), math.abs(ahead.Y * x - ahead.X * y)
	return extent.X * across + extent.Y * along
end

-- Goes around an actor that blocks the path and is not in the graph, such as a vehicle, through a location
-- beside it. Returns false if there is no such actor, or neither side is free.
local function goRound(legs, pawn, x, y)
	local at = pawn.Location
	local hit = pawn:Trace(at, at + vector(x * 90, y * 90, 0), FEELER)
	local other = hit and hit.Actor
	if not other or other:IsA("Mover") then
		return false
	end
	local size = halfBreadth(other, x, y) + pawn.CollisionRadius
	local body = { radius = pawn.CollisionRadius, height = 20, actors = false }
	local best, bestFar
	for side = -1, 1, 2 do
		local aside = (size + 30) * side
		local place = vector(other.Location.X - y * aside, other.Location.Y + x * aside, at.Z)
		local floor = not world:FastTrace(place, place - vector(0, 0, pawn.CollisionHeight + STEP))
		local far = place:Distance(at)
		if floor and (not best or far < bestFar) and not world:Trace(at, place, body) then
			best, bestFar = place, far
		end
	end
	if best then
		table.insert(legs.path, legs.index, { Kind = "walk", Location = best, Seconds = 1 })
		legs.since = world.TimeSeconds
	end
	return best ~= nil
end

-- Checks progress by the distance to the end of the step, and tries one remedy after the other if there is
-- none. Returns whether to jump.
local function watch(legs, pawn, wants, far, x, y)
	local now = world.TimeSeconds
	if not legs.mark or not wants or far < legs.mark - STILL then
		if legs.mark and wants then
			legs.stuck = 0
		end
		legs.mark, legs.markTime = far, now
		return false
	end
	if now - legs.markTime < PATIENCE then
		return false
	end
	legs.markTime = now
	legs.stuck = legs.stuck + 1
	legs.stuckSeconds = legs.stuckSeconds + PATIENCE
	if legs.stuck == 1 then
		if goRound(legs, pawn, x, y) then
			legs.mark = nil
			return false
		end
		return true -- a jump may help
	elseif legs.stuck == 2 or legs.stuck == 3 then
		legs.side = -legs.side
		legs.dodgeUntil = now + PATIENCE * (legs.stuck - 1)
		legs.markTime = legs.dodgeUntil
	elseif legs.stuck == 4 and legs.goal then
		local stuck = legs.stuck
		steering.Go(legs, pawn, legs.goal, legs.accept)
		legs.stuck = stuck
	else
		legs.status = "lost"
	end
	return false
end

-- Runs one tick of the walk. Returns the world direction of the keys (x, y with a length up to 1), whether to
-- jump, and whether to crouch.
function steering.Walk(legs, pawn)
	local path = legs.path
	if legs.status ~= "going" or not path then
		return 0, 0, false
	end
	local at, now = pawn.Location, world.TimeSeconds
	local step, following, dx, dy, dz, far
	while true do
		step = path[legs.index]
		if not step then
			legs.status, legs.path = "there", nil
			return 0, 0, false
		end
		following = path[legs.index + 1]
		local to = step.Location
		dx, dy, dz = to.X - at.X, to.Y - at.Y, to.Z - at.Z - lowered(pawn)
		far = math.sqrt(dx * dx + dy * dy)
		if not done(legs, pawn, step, following, dx, dy, dz, far) then
			break
		end
		legs.index, legs.since, legs.airborne, legs.liftTime = legs.index + 1, now, false, nil
		legs.mark = nil
	end
	if now - legs.since > 3 * step.Seconds + (step.Mover and LIFT_PATIENCE or 4) then
		legs.status = "lost"
		return 0, 0, false
	end
	if pawn.Physics == PHYS_Falling then
		legs.airborne = true
		legs.mark = nil
		local x, y = steering.Fly(pawn, step.Location)
		return x, y, false
	end
	if step.Kind == "lift" then
		legs.mark = nil
		if pawn.Base ~= step.Mover and now - legs.since > 1 then
			legs.status = "lost" -- it left without the pawn
			return 0, 0, false
		end
		local x, y = level(dx, dy) -- the lift may move sideways: stay at its centre
		local share = far > 30 and 0.2 or 0
		local lift = step.Mover
		if lift and lift.Velocity:Size() > 1 or not legs.liftTime then
			legs.liftTime = now
		end
		local waits = now - legs.liftTime > LIFT_PAUSE -- it returned with the pawn on it and was not triggered: hop
		if waits then
			legs.liftTime = now
		end
		return x * share, y * share, waits
	end
	if following and following.Kind == "lift" and pawn.Base ~= step.Mover then
		if now >= (legs.lookAt or 0) then
			legs.lookAt = now + 0.1
			legs.liftThere = liftIsThere(step)
		end
		if not legs.liftThere then -- it is away: wait beside its shaft, not below it
			legs.mark = nil
			local x, y = level(dx, dy)
			local share = far < 150 and -0.5 or far < 220 and 0 or 0.5
			return x * share, y * share, false
		end
	end
	if legs.airborne and step.Kind ~= "walk" and dz > STEP then
		-- It landed below the right location: the path from here is a different one.
		if not steering.Go(legs, pawn, legs.goal, legs.accept) then
			return 0, 0, false
		end
		return 0, 0, false
	end
	local x, y = level(dx, dy)
	local share, need = pace(pawn, step, following, far)
	local jump = false
	if step.Kind == "jump" and not legs.airborne then
		local v = pawn.Velocity
		local along = v.X * x + v.Y * y
		local aside = math.abs(v.X * y - v.Y * x)
		jump = need ~= nil and math.abs(along - need) < SPEED_SLACK and aside < SPEED_SLACK
		if not need then
			share = 1 -- still too far: as fast as possible
		end
	end
	if watch(legs, pawn, share > 0.1, far, x, y) then
		jump = true
	end
	if now < legs.dodgeUntil then
		x, y = -y * legs.side, x * legs.side
		share = 1
	end
	return x * share, y * share, jump and not step.Crouch, step.Crouch or false
end

return steering
