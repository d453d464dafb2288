-- BrainGoals: chooses the goals of a brain: pickups that are worth the walk, other locations, and vehicles to
-- get there sooner. Brain descends from it.
local steering = require("lib.steering")

local BrainGoals = class("BrainGoals", "BrainSenses")

BrainGoals.properties {
	GoalActor = ref("Actor"), -- the actor it goes to fetch
	Ride = ref("Vehicle"), -- the vehicle it goes to drive
	RideSeconds = float(6, { min = 0 }), -- if the walk takes longer, it looks for a vehicle
	RideRadius = float(2500, { min = 0 }), -- uu within which it looks for one
	moveX = float(0), -- X of the direction, of length 1 or 0, in which it walks without a path until strafeUntil
	moveY = float(0), -- Y of that direction
	strafeUntil = float(0), -- world time in seconds
	useUntil = float(0), -- world time until which it presses the key to enter or leave a vehicle
}

local ROAM_RADIUS = 6000 -- uu within which it looks for something to do
local WORTHWHILE = 0.00015 -- least value of BestPickup: a new weapon at any distance, a few rounds at 1500 uu
local DRIVE_SPEED = 900 -- uu/s, the assumed speed of a drive
local RIDE_END = 900 -- uu: a drive must lead closer to the goal than this
local BOARD_PAUSE = 1 -- seconds between two attempts to get in

-- Begins to play with a skill from 0 to 7: see BrainSenses.
function BrainGoals:Start(skill)
	BrainGoals.super.Start(self, skill)
	self.legs = steering.new()
	self.bored = {} -- by id of an actor that it could not reach: when it tries again
end

-- Returns how much it wants a pickup: 0 for not at all, about 1 for something good. BotDesireability of the
-- pickup decides; a pickup without that function counts as a healing one.
function BrainGoals:WantsPickup(pawn, pickup)
	if pickup.BotDesireability then
		return pickup:BotDesireability(pawn)
	end
	if pickup:IsA("ItemPickup") then
		return self:WantsItem(pawn, pickup.ItemClass)
	end
	local hurt = 1 - pawn.Health / math.max(pawn.HealthMax, 1)
	return hurt > 0.05 and 0.4 + hurt or 0
end

-- Returns how much it wants an item: a new weapon is worth much, one it already has is worth its ammunition.
function BrainGoals:WantsItem(pawn, class)
	local have = class and pawn:FindInventory(class)
	if not have then
		return class and 1.2 or 0
	elseif not have:IsA("Weapon") then
		return 0
	end
	local rounds = have:GetAmmo() + have:GetSpareAmmo()
	return rounds < have.MaxAmmo * 0.7 and 0.6 - 0.5 * rounds / have.MaxAmmo or 0
end

-- Returns the pickup within a distance, in uu, that is most worth the walk, and its value; only of a class if
-- one is given.
function BrainGoals:BestPickup(pawn, within, class)
	local at = pawn.Location
	local best, bestWorth = nil, 0
	for _, pickup in ipairs(pawn:ActorsInRadius(class or "Pickup", within)) do
		if pickup.bAvailable and not self:IsBored(pickup) then
			local want = self:WantsPickup(pawn, pickup) or 0
			if want > 0 then
				local worth = want / (pickup.Location:Distance(at) + 300)
				if worth > bestWorth then
					best, bestWorth = pickup, worth
				end
			end
		end
	end
	return best, bestWorth
end

-- Walks to an actor to fetch it; if there is no path, it does not try again for a while.
function BrainGoals:Fetch(pawn, actor)
	if actor == self.GoalActor and self.legs.status == "going" then
		return true
	end
	self.GoalActor = actor
	if steering.Go(self.legs, pawn, actor.Location, 20) then
		return true
	end
	self:Bore(actor)
	return false
end

-- Gives up the present goal. With an actor, it does not try that one again for 15 seconds.
function BrainGoals:Bore(actor)
	if actor then
		self:Avoid(actor, 15)
	end
	self.GoalActor = nil
end

-- Ignores an actor for some seconds.
function BrainGoals:Avoid(actor, seconds)
	if not actor.bDeleteMe then
		self.bored[actor:GetId()] = world.TimeSeconds + seconds
	end
end

-- Whether an actor was given up recently and is not worth another try yet.
function BrainGoals:IsBored(actor)
	return (self.bored[actor:GetId()] or 0) > world.TimeSeconds
end

-- Chooses where to go next. It searches one path at most, because searches are expensive.
function BrainGoals:ChooseGoal(pawn)
	if not world:NearestNode(pawn.Location) then
		self:Wander(pawn) -- the paths of this level are not computed yet, or there are none
		return
	end
	local pickup, worth = self:BestPickup(pawn, ROAM_RADIUS)
	if pickup and worth >= WORTHWHILE then
		self:Fetch(pawn, pickup)
		return
	end
	self.GoalActor = nil
	local place = self:SomePlace(pawn)
	if place then
		steering.Go(self.legs, pawn, place, 60)
	end
end

-- Returns a location to go to when nothing is worth more; nil if there is no path.
function BrainGoals:SomePlace(pawn)
	return world:RandomReachable(pawn.Location, ROAM_RADIUS)
end

-- Walks straight ahead as long as that is free, then in another free direction.
function BrainGoals:Wander(pawn)
	local now, x, y = world.TimeSeconds, self.moveX, self.moveY
	if now < self.strafeUntil and (x ~= 0 or y ~= 0) and steering.IsFree(pawn, x, y) then
		return
	end
	self.moveX, self.moveY = 0, 0
	for _ = 1, 8 do
		local angle = math.random() * 2 * math.pi
		x, y = math.cos(angle), math.sin(angle)
		if steering.IsFree(pawn, x, y) then
			self.moveX, self.moveY = x, y
			break
		end
	end
	local goes = self.moveX ~= 0 or self.moveY ~= 0
	self.strafeUntil = now + (goes and 1 + 2 * math.random() or 0.2)
end

-- Whether the goal no longer exists.
function BrainGoals:GoalIsGone()
	local goal = self.GoalActor
	return goal ~= nil and (goal.bDeleteMe or goal:IsA("Pickup") and not goal.bAvailable)
end

-- Returns how much it wants to drive a vehicle, 0 for not at all. BotDesireability of the vehicle decides.
function BrainGoals:WantsVehicle(pawn, vehicle)
	return vehicle:BotDesireability(pawn)
end

-- The walk is long: looks for a vehicle nearby that makes it shorter, and goes there first.
function BrainGoals:ChooseRide(pawn)
	local legs, now = self.legs, world.TimeSeconds
	if legs.status ~= "going" or legs.seconds < self.RideSeconds then
		return
	end
	local at, speed = pawn.Location, math.max(pawn.GroundSpeed, 1)
	-- Ratio of the path's length to the straight line.
	local bend = legs.seconds * speed / math.max(at:Distance(legs.goal), 1)
	local best, bestTime = nil, legs.seconds * 0.85
	for _, vehicle in ipairs(pawn:ActorsInRadius("Vehicle", self.RideRadius)) do
		local want = self:IsBored(vehicle) and 0 or self:WantsVehicle(pawn, vehicle)
		if want > 0 then
			local walk = 1.3 * vehicle.Location:Distance(at) / speed
			local drive = bend * vehicle.Location:Distance(legs.goal) / DRIVE_SPEED
			local time = (walk + 1 + drive) / want
			if time < bestTime then
				best, bestTime = vehicle, time
			end
		end
	end
	if not best then
		return
	end
	local goal, on = legs.goal, legs.accept
	local path = world:FindPath(best.Location, goal, true)
	if path and path[#path].Location:Distance(goal) < RIDE_END
		and steering.Go(legs, pawn, best.Location, best.EnterRadius * 0.5) then
		self.Ride, self.rideGoal, self.boardTries, self.boardAt = best, goal, 0, now
		return
	end
	self:Avoid(best, 20)
	steering.Go(legs, pawn, goal, on)
end

-- Whether the vehicle is so near that it gets in first, although there is an enemy.
function BrainGoals:BoardsFirst(pawn, enemy)
	local ride, at = self.Ride, pawn.Location
	return ride ~= nil and not ride.bDeleteMe and ride.Location:Distance(at) * 2 < enemy:Distance(at)
end

-- Gets into the vehicle when it has arrived there. Returns whether it still goes for the vehicle.
function BrainGoals:Board(pawn)
	local ride, now = self.Ride, world.TimeSeconds
	if not ride then
		return false
	end
	local far = not ride.bDeleteMe and ride.Location:Distance(pawn.Location) or math.huge
	local near = far < ride.EnterRadius * 0.8
	if far == math.huge or self:WantsVehicle(pawn, ride) <= 0 or self.boardTries > 2
		or not near and self.legs.status ~= "going" or self:GoalIsGone() then
		self:Avoid(ride, 20)
		self.Ride = nil
		steering.Stop(self.legs)
		return false
	end
	if near and now >= self.boardAt then
		self.boardTries, self.boardAt, self.useUntil = self.boardTries + 1, now + BOARD_PAUSE, now + 0.15
	end
	return true
end

return BrainGoals
