-- Brain: controls a pawn through the keys of its controller, as a person does. The same class drives an
-- AIController on the server (see Bot) and a PlayerController on a player's machine (host bots, host join
-- --auto). It knows only what that machine knows, and can do only what the keys can. BrainSenses handles
-- perception, BrainGoals the goals, and BrainWeapons the use of weapons.
--
-- It thinks ten times a second and updates its keys every tick. In the state Roaming it fetches pickups and
-- looks for enemies. In Fighting it shoots, keeps moving, and retreats when it is hurt. In Driving it drives
-- a vehicle to its goal. In Dead it waits for its next pawn. A game makes a child of this class and names it
-- in its controllers' BrainClass; most children override WantsPickup, RateWeapon and IsFriend.
local driving = require("lib.driving")
local steering = require("lib.steering")
local aiming = require("lib.aiming")

local Brain = class("Brain", "BrainWeapons")

Brain.properties {
	RetreatHealth = int(35, { min = 0 }), -- health below which it leaves a fight to fetch a healing pickup
	CrouchRange = float(1200, { min = 0 }), -- uu to the enemy; beyond it, a bot that stands and shoots crouches

	ThinkTime = float(0), -- world time of the next thought
	holds = false, -- no one else writes the keys: they stay until it writes them again
	sincePress = float(0), -- seconds since it wrote them
	inSight = false, -- it saw its enemy at the last thought
	holdsFire = false, -- it must not shoot where it aims
	crouches = false, -- it stands and shoots from far away
	wantsJump = false, -- it jumps with the next keys
	hunting = false, -- it goes to where it last saw the enemy
	arming = false, -- it fetches a better weapon during a fight
	retreating = false, -- it leaves a fight to fetch a healing pickup
	armAt = float(0), -- world time at which it next looks for a better weapon
	relocateAt = float(0), -- world time of its next move to another place in a fight
	relocateUntil = float(0), -- world time until which that move lasts
	dodgeUntil = float(0), -- world time until which it evades a shot
	leapAt = float(0), -- world time at which it next considers a leap
}

local THINK = 0.1 -- seconds between two thoughts
local PRESS = 0.03 -- seconds between two updates of the keys
local LEAP_PAUSE = 0.4 -- seconds between two decisions about a leap
local LEAP_ROOM = 1.3 -- multiple of the leap's length that must be free ahead
local FORGET = 4 -- seconds for which an enemy out of sight is remembered
local ARM_DISTANCE = 500 -- uu to the enemy from which it looks for a better weapon in a fight
local ARM_RADIUS = 3000 -- uu within which it looks for one
local ARM_PAUSE = 1 -- seconds between two of those searches
local BURNING = 0.35 -- share of a vehicle's health below which it gets out
local RIDE_PATIENCE, RIDE_LEAST = 8, 200 -- seconds and uu: a vehicle that has moved less in that time is stuck
local RAM_TIME, RAM_PAUSE = 5, 5 -- seconds for which it tries to run somebody over, and until the next try
local RIDE_END = 400 -- uu from the goal at which it walks the rest
local EXIT_SPEED = 120 -- uu/s below which it gets out: an abandoned vehicle rolls on

Brain.auto_state = "Roaming"

-- Starts the brain; the code that creates a brain calls this.
function Brain:Start(skill)
	Brain.super.Start(self, skill)
	self.wheel = driving.new()
	self.keys = {}
	self.holds = not self:GetOwner():IsA("PlayerController") -- no person writes these keys
	self.sincePress = math.random() * PRESS
	self.ThinkTime = world.TimeSeconds + math.random() * THINK -- spreads brains over several ticks
end

-- Runs one tick; the controller calls it before it reads its keys. Returns whether any key has changed: on
-- the server it updates the keys thirty times a second, as often as a player's moves arrive there, and
-- between updates the keys stay as they are. On a player's machine the keys must be written every tick.
function Brain:Play(dt)
	dt = self.sincePress + dt
	if dt < PRESS and self.holds then
		self.sincePress = dt
		return false
	end
	self.sincePress = 0
	local me, now = self:GetOwner(), world.TimeSeconds
	local pawn = me.Pawn
	if not self:IsBody(pawn) then
		self:WaitForBody(me)
		return true
	end
	if self:IsInState("Dead") then
		self:NewBody(me, pawn)
	end
	if pawn:IsA("Vehicle") ~= self:IsInState("Driving") then
		self:ChangeSeat(pawn)
	end
	if now >= self.ThinkTime then
		self.ThinkTime = math.max(self.ThinkTime + THINK, now + THINK / 2)
		self:Feel(pawn)
		self:Think(me, pawn)
	end
	self:Press(me, pawn, dt)
	return true
end

-- Returns the seconds of this life in which it was stuck.
function Brain:GetStuckSeconds()
	return self.legs.stuckSeconds
end

-- The pawn got into or out of a vehicle, whether the brain wanted that or not.
function Brain:ChangeSeat(pawn)
	steering.Stop(self.legs)
	self.LastHealth = pawn.Health
	self.useUntil = 0
	self:GotoState(pawn:IsA("Vehicle") and "Driving" or "Roaming")
end

-- 1 Dead

Brain.state("Dead", {})

-- Runs each tick without a live pawn: releases all keys, forgets enemy and goal, and taps fire, which
-- requests the next life from the game. me is the controller.
function Brain:WaitForBody(me)
	if not self:IsInState("Dead") then
		self.Enemy, self.GoalActor, self.Ride, self.seen = nil, nil, nil, nil
		steering.Stop(self.legs)
		self:GotoState("Dead")
	end
	me.aForward, me.aStrafe, me.bJump, me.WeaponKey, me.bAltFire = 0, 0, false, 0, false
	me.bCrouch, me.bUse = false, false
	me.bFire = world.TimeSeconds % 1 > 0.7 -- games respawn a player who presses fire
end

-- The controller me has a live pawn again: starts to roam, with new weapon preferences.
function Brain:NewBody(me, pawn)
	me.bFire = false
	self.LastHealth = pawn.Health
	self.taste = {} -- new preferences in every life
	self:GotoState("Roaming")
end

-- 2 Roaming

Brain.state("Roaming", {})

-- Decides what to do, each tick; every state overrides it. The arguments are the controller and its pawn.
function Brain:Think(_, _) end

function Brain.state.Roaming:Think(me, pawn)
	if self:LookForEnemy(me, pawn) and not self:BoardsFirst(pawn, self.seen.Location) then
		self.Ride = nil
		self:GotoState("Fighting")
		self:Think(me, pawn)
		return
	end
	self:ChooseWeapon(me, pawn, 800)
	if self:Board(pawn) then
		return
	end
	local status = self.legs.status
	if status == "lost" then -- something blocks the path: first goes anywhere else
		self:Bore(self.GoalActor)
		steering.Stop(self.legs)
		self.strafeUntil = 0
		self:Wander(pawn)
		self.wanderUntil = self.strafeUntil
	end
	if world.TimeSeconds < (self.wanderUntil or 0) then
		self:Wander(pawn)
		return
	end
	if status ~= "going" or self:GoalIsGone() then
		self:ChooseGoal(pawn)
		self:ChooseRide(pawn)
		self.chooseAt = world.TimeSeconds + 2
	elseif not self.GoalActor and world.TimeSeconds >= (self.chooseAt or 0) then
		self.chooseAt = world.TimeSeconds + 2
		local pickup = self:BestPickup(pawn, 2500) -- something appeared along the path
		if pickup then
			self:Fetch(pawn, pickup)
		end
	end
end

-- 3 Fighting

Brain.state("Fighting", {})

function Brain.state.Fighting:BeginState(_)
	self.strafeUntil = 0
	self.hunting, self.arming = false, false
	self.relocateAt = world.TimeSeconds + 2 + 4 * math.random()
end

function Brain.state.Fighting:Think(me, pawn)
	local now = world.TimeSeconds
	local sees = self:LookForEnemy(me, pawn)
	local enemy = self.Enemy
	if not enemy or not self:IsBody(enemy) or now - self.seen.time > FORGET then
		self.Enemy, self.seen, self.hunting = nil, nil, false
		self:GotoState("Roaming")
		return
	end
	self.inSight = sees
	local distance = self.seen.Location:Distance(pawn.Location)
	self:ChooseWeapon(me, pawn, distance)
	self.mode = self:ChooseMode(pawn.Weapon, distance)
	local weapon = self:WeaponFacts(pawn)
	self.crouches = false
	self.holdsFire = sees
		and (self:FriendInTheWay(pawn) or self:BlastsItself(pawn, me.ViewRotation, distance))
	if self:DodgeShots(pawn) or self:Retreat(pawn) or self:Arm(pawn, distance) then
		return
	end
	if not sees then
		self:Hunt(pawn)
	else
		self.hunting = false
		self:Manoeuvre(pawn, distance, weapon)
	end
end

-- Returns a team-mate between it and the enemy, or nil.
function Brain:FriendInTheWay(pawn)
	local hit = pawn:Trace(pawn:GetViewLocation(), self.seen.Location)
	local other = hit and hit.Actor
	return other ~= nil and other ~= self.Enemy and other:IsA("Pawn") and self:IsFriend(pawn, other)
end

-- When hurt, goes to a healing pickup while it shoots at pursuers.
function Brain:Retreat(pawn)
	if pawn.Health >= self.RetreatHealth then
		self.retreating = false
		return false
	end
	if self.retreating and self.legs.status == "going" and not self:GoalIsGone() then
		return true
	end
	local pickup = self:BestPickup(pawn, 3000)
	self.retreating = pickup ~= nil and self:Fetch(pawn, pickup)
	return self.retreating
end

-- A bot with only the default weapons fetches a better one nearby while it shoots.
function Brain:Arm(pawn, distance)
	if self.arming and self.legs.status == "going" and not self:GoalIsGone() then
		return true
	end
	local now = world.TimeSeconds
	self.arming = false
	if distance < ARM_DISTANCE or now < self.armAt then
		return false
	end
	self.armAt = now + ARM_PAUSE
	if self:IsWellArmed(pawn) then
		return false
	end
	local pickup = self:BestPickup(pawn, ARM_RADIUS, "ItemPickup")
	self.arming = pickup ~= nil and self:Fetch(pawn, pickup)
	return self.arming
end

-- Goes to where it last saw the enemy.
function Brain:Hunt(pawn)
	if not self.hunting then
		self.hunting = true
		self.GoalActor = nil
		steering.Go(self.legs, pawn, self.seen.Location, 80)
	elseif self.legs.status ~= "going" then
		self.seen.time = math.min(self.seen.time, world.TimeSeconds - FORGET) -- nobody is there: gives up
	end
end

-- Every few seconds of a fight it moves elsewhere, or towards the enemy, along a path of the level, and keeps
-- shooting: a bot that stays in one place is an easy target. Returns whether it is moving there.
function Brain:Relocate(pawn)
	local now = world.TimeSeconds
	if now < self.relocateUntil and self.legs.status == "going" then
		return true
	end
	if now < self.relocateAt then
		return false
	end
	self.relocateAt = now + 4 + 4 * math.random()
	local place = math.random() < 0.4 and self.seen.Location
		or world:RandomReachable(pawn.Location, 1500)
	self.GoalActor = nil
	if place and steering.Go(self.legs, pawn, place, 100) then
		self.relocateUntil = now + 2.5
	else
		self.strafeUntil = 0
		self:Wander(pawn) -- no path is known
	end
	return true
end

-- Moves in a fight: around the enemy, and closer or farther as the weapon needs, with an occasional jump.
function Brain:Manoeuvre(pawn, distance, weapon)
	local now = world.TimeSeconds
	if self:Relocate(pawn) then
		return
	end
	steering.Stop(self.legs)
	self.GoalActor = nil
	self.crouches = self:WantsToCrouch(pawn, distance)
	local x, y = self.moveX, self.moveY
	if now < self.strafeUntil and (x == 0 and y == 0 or steering.IsFree(pawn, x, y)) then
		return
	end
	self.strafeUntil = now + 0.35 + math.random() * (1.2 - 0.08 * self.Skill)
	local way = (self.seen.Location - pawn.Location):With{ Z = 0 }:Normal()
	local near = 0
	if distance > weapon.far then
		near = 1
	elseif distance < weapon.near then
		near = -1
	end
	local still = math.random() > 0.35 + 0.1 * self.Skill -- beginners stand still and shoot
	local side = still and 0 or math.random() < 0.5 and 1 or -1
	for turn = 1, -1, -2 do
		x, y = way.X * near - way.Y * side * turn, way.Y * near + way.X * side * turn
		local size = math.sqrt(x * x + y * y)
		if size < 0.1 then
			self.moveX, self.moveY = 0, 0
			return
		end
		x, y = x / size, y / size
		if steering.IsFree(pawn, x, y) then
			self.moveX, self.moveY = x, y
			self.wantsJump = math.random() < 0.02 + 0.02 * self.Skill
			return
		end
	end
	self.strafeUntil = 0
	self:Wander(pawn)
end

-- A bot that stands and shoots from far away crouches to be a smaller target, if it still sees the enemy then.
function Brain:WantsToCrouch(pawn, distance)
	local stands = world.TimeSeconds < self.strafeUntil and self.moveX == 0 and self.moveY == 0
	if not stands or distance < self.CrouchRange or pawn.CrouchHeight <= 0 then
		return false
	end
	local feet = pawn.Location.Z - pawn.CollisionHeight
	local eyes = pawn.Location:With{ Z = feet + pawn.CrouchHeight + pawn.CrouchedEyeHeight }
	return self.Enemy:VisibleFrom(eyes)
end

-- Dodges projectiles that fly at it. Beginners do not notice them in time.
function Brain:DodgeShots(pawn)
	if world.TimeSeconds < self.dodgeUntil then
		return true
	end
	if math.random() > 0.1 + 0.12 * self.Skill then
		return false
	end
	local at = pawn.Location
	for _, shot in ipairs(pawn:ActorsInRadius("Projectile", 900)) do
		local v = shot.Velocity
		local speed = v:Size()
		if shot.Instigator ~= pawn and speed > 100 and not shot.bHidden then
			local way, dir = at - shot.Location, v * (1 / speed)
			local ahead = way:Dot(dir)
			if ahead > 0 and ahead / speed < 1.2 and (way - dir * ahead):Size() < 160 then
				local side = way:Dot(vector(-dir.Y, dir.X, 0)) >= 0 and 1 or -1 -- away from the projectile's line
				local x, y = -dir.Y * side, dir.X * side
				if not steering.IsFree(pawn, x, y) then
					x, y = -x, -y
				end
				self.moveX, self.moveY = x, y
				self.dodgeUntil = world.TimeSeconds + 0.5
				self.strafeUntil = self.dodgeUntil
				self.wantsJump = math.random() < 0.3
				steering.Stop(self.legs)
				return true
			end
		end
	end
	return false
end

-- 4 Driving

Brain.state("Driving", {})

function Brain.state.Driving:BeginState(_)
	local now, vehicle = world.TimeSeconds, self:GetOwner().Pawn
	self.wheel = driving.new()
	self.leaving, self.ram, self.ramAt = false, nil, 0
	self.rideMark, self.rideMarkTime = vehicle.Location, now
end

-- It has got out: does not get into the same vehicle again at once.
function Brain.state.Driving:EndState(_)
	local ride = self.Ride
	if ride and not ride.bDeleteMe and not self:IsBored(ride) then
		self:Avoid(ride, 15)
	end
	self.Ride, self.leaving, self.ram, self.rideGoal = nil, false, nil, nil
end

function Brain.state.Driving:Think(me, vehicle)
	self.Ride = vehicle
	local sees = self:LookForEnemy(me, vehicle)
	if not sees and self.Enemy and world.TimeSeconds - self.seen.time > FORGET then
		self.Enemy, self.seen = nil, nil
	end
	if self.leaving then
		self:LeaveRide()
	elseif self:HasEnoughOfRide(vehicle) then
		self.leaving, self.leaveAt = true, world.TimeSeconds
	elseif not self:Ram(vehicle, sees) and self.wheel.status == "idle" then
		local goal = self.rideGoal or self:SomePlace(vehicle)
		self.rideGoal = goal
		if not goal or not driving.Go(self.wheel, vehicle, goal) then
			self:Avoid(vehicle, 30)
			self.leaving, self.leaveAt = true, world.TimeSeconds
		end
	end
end

-- Whether to get out: it has arrived, its goal is gone, or the vehicle burns or is stuck.
function Brain:HasEnoughOfRide(vehicle)
	local now, at = world.TimeSeconds, vehicle.Location
	if at:Distance(self.rideMark) > RIDE_LEAST then
		self.rideMark, self.rideMarkTime = at, now
	end
	local stuck = now - self.rideMarkTime > RIDE_PATIENCE
	if stuck or self.wheel.status == "lost" then
		self:Avoid(vehicle, 60)
		return true
	end
	local near = self.rideGoal ~= nil and self.rideGoal:Distance(at) < RIDE_END
	return near or self.wheel.status == "there" or self:GoalIsGone()
		or vehicle.Health < vehicle.HealthMax * BURNING
end

-- Drives at an enemy on foot who is in the open, for a while. Returns whether it does.
function Brain:Ram(vehicle, sees)
	local now, enemy = world.TimeSeconds, self.Enemy
	local can = sees and not enemy:IsA("Vehicle") and driving.CanRam(vehicle, enemy.Location)
	if self.ram and (not can or now >= self.ramUntil) then
		self.ram, self.ramAt = nil, now + RAM_PAUSE
		driving.Stop(self.wheel) -- the route is different from here
	elseif can and (self.ram or now >= self.ramAt) then
		self.ramUntil = self.ram and self.ramUntil or now + RAM_TIME
		self.ram = enemy
	end
	return self.ram ~= nil
end

-- Presses Use until it is out. If there is no room beside the vehicle, it drives back a little.
function Brain:LeaveRide()
	local now = world.TimeSeconds
	if now - self.leaveAt > 3 then
		driving.BackOff(self.wheel)
		self.leaveAt = now
	end
	if now >= self.useUntil + 0.8 and self.Ride.Velocity:Size() < EXIT_SPEED then
		self.useUntil = now + 0.15
	end
end

-- 5 Hands

-- Turns the view and writes the keys.
function Brain:Press(me, pawn, dt)
	local now, view = world.TimeSeconds, me.ViewRotation
	me.bUse = now < self.useUntil
	if self:IsInState("Driving") then
		self:PressWheel(me, pawn, dt)
		return
	end
	local x, y, jump, low = steering.Walk(self.legs, pawn)
	local fighting = self:IsInState("Fighting")
	if self.legs.status ~= "going" and now < self.strafeUntil then
		x, y, jump = self.moveX, self.moveY, self.wantsJump
		self.wantsJump = false
	end
	local fire = false
	local yaw, pitch
	if fighting and self.seen and self.inSight and now >= self.fireFrom - 0.15 then
		local weapon = self:WeaponFacts(pawn)
		local eyes = pawn:GetViewLocation()
		local dx, dy, dz, far, v = self:AimPoint(pawn, eyes, weapon)
		local u = pawn.Velocity
		local drift = math.deg(((v.Y - u.Y) * dx - (v.X - u.X) * dy) / math.max(dx * dx + dy * dy, 1))
		aiming.Shake(self.hand, self.Skill, math.abs(drift), dt)
		yaw, pitch = aiming.Look(self.hand, self.Skill, view, dx, dy, dz, dt, drift)
		local wide = math.deg(math.atan2(pawn.CollisionRadius + weapon.blast * 0.5, far))
		fire = now >= self.fireFrom and self.hand.off < wide + 5 - 0.4 * self.Skill and far < weapon.range
			and not self.holdsFire
	else
		yaw, pitch = self:LookAbout(pawn, view, x, y, dt)
	end
	self:PressWay(me, yaw, pitch, x, y)
	me.bCrouch = low or fighting and self.crouches or false
	me.bJump = jump and not self.keys.jump -- only a new press jumps
	self.keys.jump = me.bJump
	self:PressTrigger(me, pawn, fire)
	if self:WantsToLeap(pawn, x, y) then
		me.bAltFire = true
	end
end

-- Whether to leap in its direction, if the pawn can do that with the second fire key (Pawn:GetLeap): to dodge
-- a projectile, and where the path is straight and free for long. Beginners seldom do.
function Brain:WantsToLeap(pawn, x, y)
	local now = world.TimeSeconds
	if now < self.leapAt then
		return false
	end
	local dodges = now < self.dodgeUntil
	self.leapAt = now + LEAP_PAUSE * (dodges and 0.25 or 1)
	local leap = pawn:GetLeap()
	if leap <= 0 or x * x + y * y < 0.8 or math.random() > 0.1 + 0.12 * self.Skill then
		return false
	end
	local runs = pawn.Acceleration:Normal()
	if runs.X * x + runs.Y * y < 0.98 then
		return false -- it is still turning, and would leap in its old direction
	end
	local room = leap * LEAP_ROOM
	local straight = dodges or steering.StraightOn(self.legs, pawn) > room
	return straight and steering.IsFree(pawn, x, y, room)
end

-- Turns the view to yaw and pitch, and walks in the world direction x, y.
function Brain:PressWay(me, yaw, pitch, x, y)
	me.ViewRotation = rotator(pitch, yaw, 0)
	local turn = math.rad(yaw * 360 / 65536)
	local cos, sin = math.cos(turn), math.sin(turn)
	me.aForward = math.max(-1, math.min(1, x * cos + y * sin))
	me.aStrafe = math.max(-1, math.min(1, y * cos - x * sin))
end

-- The same while driving.
function Brain:PressWheel(me, vehicle, dt)
	local x, y, brake
	if self.leaving and world.TimeSeconds >= self.wheel.backUntil then
		x, y, brake = 0, 0, vehicle.Velocity:Size() > EXIT_SPEED / 2 -- at rest there is nothing to send to the server
	else
		local ram = self.ram
		local place = ram and not ram.bDeleteMe and ram.Location or nil
		x, y, brake = driving.Steer(self.wheel, vehicle, place)
	end
	local yaw, pitch = self:LookAbout(vehicle, me.ViewRotation, x, y, dt)
	self:PressWay(me, yaw, pitch, x, y)
	me.bJump, me.bCrouch, me.bReload, me.WeaponKey = brake, false, false, 0
	me.bFire, me.bAltFire = false, false
end

-- Holds or releases the fire key, and presses the keys of weapons.
function Brain:PressTrigger(me, pawn, fire)
	local now = world.TimeSeconds
	local press = fire and (self:WeaponFacts(pawn).automatic or now % 0.25 < 0.12)
	me.bFire, me.bAltFire = press and self.mode == 0, press and self.mode == 1
	me.bReload = now < self.reloadUntil
	me.WeaponKey = now < self.weaponKeyUntil and self.weaponKey or 0
end

-- Looks where it goes, towards what it heard, and sometimes back over its shoulder.
function Brain:LookAbout(pawn, view, x, y, dt)
	local now, at = world.TimeSeconds, pawn.Location
	if now < self.lookUntil then
		local to = self.lookAt - at
		return aiming.Look(self.hand, self.Skill, view, to.X, to.Y, to.Z, dt)
	end
	if now >= (self.glanceAt or 0) then
		self.glanceAt = now + 3 + 4 * math.random()
		local angle = math.atan2(self.aheadY or 0, self.aheadX or 1) + (math.random() - 0.5) * 4
		self.glanceUntil, self.glanceX, self.glanceY = now + 0.5, math.cos(angle), math.sin(angle)
	end
	if now < (self.glanceUntil or 0) then
		x, y = self.glanceX, self.glanceY
	elseif x ~= 0 or y ~= 0 then
		self.aheadX, self.aheadY = x, y
	elseif self.aheadX then
		x, y = self.aheadX, self.aheadY
	else
		local ahead = view:Vector()
		x, y = ahead.X, ahead.Y
		self.aheadX, self.aheadY = x, y
	end
	return aiming.Look(self.hand, self.Skill, view, x, y, 0, dt)
end

return Brain
