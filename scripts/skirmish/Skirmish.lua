-- Skirmish: what a fresh host plays: a few bots that walk about the arena, pick things up and shoot at
-- each other. It is a small game whole: rules here, minds in SkirmishBot, bodies in SkirmishPawn, shots
-- in Bolt.
local Skirmish = class("Skirmish", "GameInfo")

Skirmish.properties {
	Kills = int(0, { min = 0 }), -- of the whole match
}

Skirmish.defaults {
	DefaultPawnClass = "SkirmishPawn",
	PlayerControllerClass = "SkirmishPlayer",
	BotCount = 4,
	RespawnDelay = 3,
}

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

-- A pawn died: it is told to whoever reads the log.
function Skirmish:BroadcastDeath(killer, victim, pawn, kind)
	self.Kills = self.Kills + 1
	local who = "a stray " .. kind .. " hit "
	if kind == "fell" then
		who = "the depth took "
	elseif killer and killer == victim then
		who = "nobody but himself shot "
	elseif killer then
		who = (killer.Pawn and killer.Pawn:GetDisplayName() or "A dead hand") .. " shot "
	end
	log(who .. pawn:GetDisplayName() .. " (" .. self.Kills .. " down so far)")
end

return Skirmish
