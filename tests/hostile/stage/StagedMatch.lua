-- StagedMatch: a deathmatch in which attacks begin some seconds after the match does. It is the game of tests/hostile: it
-- belongs to the game's layer, so that what an attack does is charged to the attack's own mod.
--
--	host 'arena?game=StagedMatch?minplayers=8?timelimit=0.5?attack=Breaker,Burner*30?attackat=8'
local StagedMatch = class("StagedMatch", "DeathMatch")

StagedMatch.properties {
	AttackAt = float(8, { min = 0, max = 3600 }), -- ?attackat=, seconds from the match's beginning to the attack
}

StagedMatch.defaults {
	bDelayedStart = true, -- it begins when all honest players are in
	GoalScore = 0, -- only time ends it
}

-- ?attack= names the classes to spawn, with commas, and *30 behind one for thirty actors of it; ?pawn= and ?player= replace the game's classes by an attack's.
function StagedMatch:InitGame(options)
	local wrong = StagedMatch.super.InitGame(self, options)
		or self:TakeNumber("attackat", "AttackAt", 0, 3600, true)
	self.attack = self:ParseOption(options, "attack") or ""
	self.DefaultPawnClass = self:ParseOption(options, "pawn") or self.DefaultPawnClass
	self.PlayerControllerClass = self:ParseOption(options, "player") or self.PlayerControllerClass
	self.HUDType = self:ParseOption(options, "hud") or self.HUDType
	return wrong
end

-- The match begins: what follows is quiet until AttackAt.
function StagedMatch:HandleMatchHasStarted()
	log("stage: the match begins")
	StagedMatch.super.HandleMatchHasStarted(self)
	self:SetTimer(math.max(0.01, self.AttackAt), false, "BeginAttack")
end

-- Spawns the attack's actors, spread over the level.
function StagedMatch:BeginAttack()
	log("stage: the attack begins")
	local starts = self:ActorsOf("PlayerStart")
	for word in self.attack:gmatch("[^,]+") do
		local name, count = word:match("^([^*]+)%*?(%d*)$")
		for i = 1, tonumber(count) or 1 do
			local start = starts[(i - 1) % #starts + 1]
			local ok, err = pcall(self.Spawn, self, name, { Location = start.Location + vector(0, 0, 40) })
			if not ok then
				log("stage: " .. name .. " was not spawned: " .. tostring(err):sub(1, 200))
				break
			end
		end
	end
end

-- The match is over; the next one follows after PostMatchTime.
function StagedMatch:HandleMatchHasEnded()
	log("stage: the match is over")
	StagedMatch.super.HandleMatchHasEnded(self)
end

return StagedMatch
