-- BrainSenses: what a brain sees, hears and feels, and which enemy it therefore fights. Brain descends from
-- it.
local aiming = require("lib.aiming")

local BrainSenses = class("BrainSenses", "ActorComponent")

BrainSenses.properties {
	Skill = int(3, { min = 0, max = 7 }), -- 0 for a beginner, 7 for an expert; ?skill= of the start URL
	SightRange = float(4000, { min = 0 }), -- uu
	FieldOfView = float(110, { min = 1, max = 360 }), -- degrees, its field of view while it is not alert

	Enemy = ref("Pawn"), -- the enemy it fights
	LastHealth = int(0), -- at the last thought: a lower value now means it was hurt
	alertUntil = float(0), -- world time until which it looks all around
	lookUntil = float(0), -- world time until which it looks at the source of a noise
	fireFrom = float(0), -- world time at which it has reacted to the enemy
}

local ALERT = 2 -- seconds for which it looks all around after it was hurt or heard a noise

-- Begins to play with a skill from 0 (worst) to 7 (best); values outside are clamped. Children call super
-- first.
function BrainSenses:Start(skill)
	self.Skill = math.max(0, math.min(7, skill))
	self.hand = aiming.new()
	self.seen = nil -- the enemy when it was last seen: Location, Velocity, time
end

-- Whether a pawn is alive and can play: not nil, not dead and not a spectator, whose Health is 0.
function BrainSenses:IsBody(pawn)
	return pawn ~= nil and not pawn.bDeleteMe and pawn.Health > 0
end

-- Looks around after it was hurt.
function BrainSenses:Feel(pawn)
	if pawn.Health < self.LastHealth then
		self:BeAlert()
	end
	self.LastHealth = pawn.Health
end

-- Makes the brain look all around for 2 seconds. Being hurt and hearing a noise call it.
function BrainSenses:BeAlert()
	self.alertUntil = world.TimeSeconds + ALERT
end

-- Handles a noise (see Controller:HearNoise): a bot without an enemy turns to it.
function BrainSenses:HearNoise(_, maker)
	local pawn = self:GetOwner().Pawn
	local own = maker and (maker == pawn or maker.Instigator == pawn or maker.Owner == pawn)
	if not maker or not pawn or own or self.Enemy then
		return
	end
	self.lookAt, self.lookUntil = maker.Location, world.TimeSeconds + 1
	self:BeAlert()
end

-- Whether a pawn is on its side.
function BrainSenses:IsFriend(pawn, other)
	local mine, theirs = pawn.PlayerReplicationInfo, other.PlayerReplicationInfo
	return mine ~= nil and theirs ~= nil and mine.Team >= 0 and mine.Team == theirs.Team
end

-- Whether a pawn can be fought: not an empty vehicle, and not a driver, because the vehicle is fought
-- instead.
function BrainSenses:IsTarget(other)
	return self:IsBody(other) and not other.bHidden
		and not (other:IsA("Vehicle") and not other.bDriving)
end

-- Looks for enemies: remembers the nearest one in sight, and keeps the present one as long as it is seen.
function BrainSenses:LookForEnemy(me, pawn)
	local now = world.TimeSeconds
	local half = now < self.alertUntil and 180 or self.FieldOfView / 2
	local eyes = pawn:GetViewLocation()
	local found
	local range, cosine = self.SightRange, math.cos(math.rad(half))
	for _, other in ipairs(pawn:ActorsInSight("Pawn", range, eyes, me.ViewRotation, cosine)) do
		if self:IsTarget(other) and not self:IsFriend(pawn, other) then -- the list is sorted by distance
			if other == self.Enemy then
				found = other
				break
			end
			found = found or other
		end
	end
	local old = self.Enemy
	if not found and old and self:IsTarget(old) and now - self.seen.time < 1
		and old.Location:Distance(pawn.Location) < range and old:VisibleFrom(eyes) then
		found = old -- it left the field of view, but is still there and its position is known
	end
	if not found then
		return false
	end
	if found ~= self.Enemy then
		self.Enemy = found
		aiming.NewTarget(self.hand)
		self.fireFrom = now + aiming.ReactionTime(self.Skill)
	elseif now - self.seen.time > 0.5 then -- it came back into view
		self.fireFrom = now + aiming.ReactionTime(self.Skill) / 2
	end
	local seen = self.seen
	if not seen then
		seen = {}
		self.seen = seen
	end
	seen.Location, seen.Velocity, seen.time = found.Location, found.Velocity, now
	return true
end

return BrainSenses
