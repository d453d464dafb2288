-- Skirmish: what a fresh host plays: a few bots that walk about the arena, pick things up and shoot at
-- each other. It is a small game whole: rules here, minds in SkirmishBot, bodies in SkirmishPawn, shots
-- in Bolt.
local Skirmish = class("Skirmish", "GameInfo")

Skirmish.properties {
	BotCount = int(4, { min = 0, max = 32 }),
	RespawnDelay = float(3, { min = 0.1, max = 60 }), -- seconds between a death and the next life
	Kills = int(0, { min = 0 }), -- of the whole match
}

Skirmish.defaults {
	DefaultPawnClass = "SkirmishPawn",
	PlayerControllerClass = "SkirmishPlayer",
}

-- ?bots=8 in the start URL asks for another number of bots.
function Skirmish:InitGame(options)
	local problem = Skirmish.super.InitGame(self, options)
	if problem then
		return problem
	end
	local bots = self:ParseOption(options, "bots")
	if bots then
		local n = tonumber(bots)
		if not n or n < 0 or n > 32 or n ~= math.floor(n) then
			return "bots=" .. bots .. ": expected a whole number from 0 to 32"
		end
		self.BotCount = n
	end
	-- The level's PlayerStarts do not exist yet: bots come with the first timer.
	if self.BotCount > 0 then
		self:SetTimer(0.1, false, "AddBots")
	end
	return nil
end

local names = { "Ada", "Bo", "Cleo", "Dag", "Esra", "Finn", "Gil", "Hana" }

function Skirmish:AddBots()
	for i = 1, self.BotCount do
		local round = math.floor((i - 1) / #names)
		local name = names[(i - 1) % #names + 1] .. (round > 0 and round + 1 or "")
		local bot = self:Spawn("SkirmishBot", { BotName = name })
		if bot then
			self:RestartPlayer(bot)
		end
	end
	log(self.BotCount .. " bots enter the arena")
end

-- A pawn died. killer is the pawn that did it, nil for the level itself.
function Skirmish:ReportKill(killer, victim, kind)
	self.Kills = self.Kills + 1
	local own = victim.PlayerReplicationInfo
	if own then
		own.Deaths = own.Deaths + 1
	end
	local winner = killer and killer ~= victim and killer.PlayerReplicationInfo
	if winner then
		winner.Score = winner.Score + 1
	end
	local who = "a stray " .. kind .. " hit "
	if kind == "fell" then
		who = "the depth took "
	elseif killer == victim then
		who = "nobody but himself shot "
	elseif killer then
		who = killer:GetDisplayName() .. " shot "
	end
	log(who .. victim:GetDisplayName() .. " (" .. self.Kills .. " down so far)")
end

return Skirmish
