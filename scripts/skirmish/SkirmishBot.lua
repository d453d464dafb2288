-- SkirmishBot: the mind of a bot. In Roaming it walks from one interesting place to the next and looks for
-- others; in Fighting it shoots at the one it saw and keeps moving; in Dead it waits for its next body.
local SkirmishBot = class("SkirmishBot", "AIController")

SkirmishBot.properties {
	BotName = str("Bot", { max = 32 }),
	Enemy = ref("Pawn"), -- whom it fights
	SightRange = float(2500, { min = 0 }), -- uu
}

SkirmishBot.auto_state = "Roaming"

SkirmishBot.state("Roaming", {})

function SkirmishBot.state.Roaming:Code()
	while true do
		self:MoveTo(self:PickPlace(), 60)
		-- Walk until there or until something better turns up; look around four times a second.
		for _ = 1, 24 do
			Sleep(0.25)
			if self:LookForEnemy() then
				self:GotoState("Fighting")
			end
			if self:HasArrived() then
				break
			end
		end
	end
end

SkirmishBot.state("Fighting", {})

function SkirmishBot.state.Fighting:Code()
	while self:CanSee(self.Enemy) do
		self.Focus = self.Enemy
		self:Strafe()
		self.Pawn:ShootAt(self.Enemy.Location)
		Sleep(0.2)
	end
	self.Enemy = nil
	self.Focus = nil
	self:GotoState("Roaming")
end

SkirmishBot.state("Dead", {})

function SkirmishBot.state.Dead:Code()
	local game = world.Game
	Sleep(game.RespawnDelay or 3)
	game:RestartPlayer(self)
	self:GotoState("Roaming")
end

-- The body is gone; the mind waits for another.
function SkirmishBot:PawnDied(pawn)
	SkirmishBot.super.PawnDied(self, pawn)
	self.Enemy = nil
	self.Focus = nil
	self.bMoving = false
	self:GotoState("Dead")
end

-- A place worth walking to: a pickup that is there, or anywhere near.
function SkirmishBot:PickPlace()
	local choices = {}
	for _, pickup in ipairs(self:ActorsOf("Pickup")) do
		if pickup.bAvailable then
			choices[#choices + 1] = pickup.Location
		end
	end
	for _, start in ipairs(self:ActorsOf("PlayerStart")) do
		choices[#choices + 1] = start.Location
	end
	if #choices == 0 or not self.Pawn then
		return vector()
	end
	return choices[math.random(#choices)]
end

-- Remembers the nearest pawn in sight as the enemy; whether there is one.
function SkirmishBot:LookForEnemy()
	local pawn = self.Pawn
	if not pawn then
		return false
	end
	local best, bestAt = nil, self.SightRange
	for _, other in ipairs(self:ActorsInRadius("Pawn", self.SightRange, pawn.Location)) do
		local distance = other.Location:Distance(pawn.Location)
		if other ~= pawn and distance < bestAt and other:VisibleFrom(pawn:GetViewLocation()) then
			best, bestAt = other, distance
		end
	end
	self.Enemy = best
	return best ~= nil
end

-- Whether it could shoot at somebody now.
function SkirmishBot:CanSee(other)
	local pawn = self.Pawn
	return pawn and other and other.Health > 0
		and other.Location:Distance(pawn.Location) < self.SightRange
		and other:VisibleFrom(pawn:GetViewLocation())
end

-- Goes around the enemy, now left, now right, and jumps at times.
function SkirmishBot:Strafe()
	local pawn = self.Pawn
	local toward = (self.Enemy.Location - pawn.Location):With{ Z = 0 }:Normal()
	local side = vector(-toward.Y, toward.X, 0)
	if math.random() < 0.5 then
		side = -side
	end
	self:MoveTo(pawn.Location + side * 300 + toward * 100, 20)
	if math.random() < 0.1 then
		pawn:DoJump()
	end
end

return SkirmishBot
