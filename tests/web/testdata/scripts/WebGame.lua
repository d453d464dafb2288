-- WebGame: the sample match for tests of the browser client. Ten times a second it writes to the host's log where everybody is.
-- What an operator says (the command say) sets the tests' stage: see commands.
local WebGame = class("WebGame", "DeathMatch")

WebGame.properties {
	Sign = ref("WebSign"), -- shows on the stage what is no server's
	Shown = ref("Actor"), -- what stands on the stage
}

WebGame.defaults {
	BotClass = "WebBot",
	GoalScore = 0, -- no end
	TimeLimit = 0, -- no end
	RespawnDelay = 1, -- seconds
	bRateStarts = false, -- the level's starts in their order
}

function WebGame:StartPlay()
	WebGame.super.StartPlay(self)
	self.Sign = self:Spawn("WebSign", { Location = vector(0, 600, 100) })
	self:SetTimer(0.1, true, "Tell")
end

-- One line for all players and bots that have a body.
function WebGame:Tell()
	local line = {}
	for _, controller in ipairs(self:ActorsOf("Controller")) do
		local player, pawn = controller.PlayerReplicationInfo, controller.Pawn
		if player and pawn then
			local at = pawn.Location
			line[#line + 1] = ("%s %.3f %.3f %.3f %.3f %d %d %d"):format(player.PlayerName, at.X, at.Y, at.Z,
				pawn.Velocity:Size(), pawn.Health, player.Score, player.Deaths)
		end
	end
	log("WEB " .. table.concat(line, ";"))
end

-- Where bots stand: in front of the first player, a little aside.
function WebGame:RestartPlayer(controller)
	WebGame.super.RestartPlayer(self, controller)
	local player = controller.PlayerReplicationInfo
	if player and player.bBot and controller.Pawn then
		controller.Pawn:SetLocation(vector(600, -1500, 88))
	end
end

-- Puts an actor of a class on the stage, in front of where the view of TestContactSheet stands, and tells whether there
-- was one that can be seen. An empty name clears the stage.
function WebGame:Stage(name)
	if self.Shown and not self.Shown.bDeleteMe then
		self.Shown:Destroy()
	end
	self.Shown = nil
	for _, vehicle in ipairs(self:ActorsOf("Vehicle")) do
		vehicle:Destroy() -- of a VehicleFactory
	end
	self.Sign:ShowEffect("")
	if name == "" then
		log("STAGE empty")
		return
	end
	if world:GetDefault(name, "bNoDelete") then
		log(("STAGE %s level"):format(name)) -- part of a level for good
		return
	end
	if world:GetDefault(name, "RemoteRole") == ROLE_None and not world:GetDefault(name, "bHidden") then
		self.Sign:ShowEffect(name)
		log(("STAGE %s shown"):format(name))
		return
	end
	-- What falls stands farther off, where its place on the floor is in the middle of the picture, too.
	local away = world:GetDefault(name, "Physics") == PHYS_RigidBody and 400 or 260
	local made = self:Spawn(name, { Location = vector(away, -2000, 100) })
	self.Shown = made
	if made and not made.bDeleteMe then
		made.LifeSpan = 0 -- it stays
		made.Velocity = vector(0, 0, 0)
		if made.Physics ~= PHYS_RigidBody then
			made:SetPhysics(PHYS_None)
		end
	end
	log(("STAGE %s %s"):format(name, made and (made.bHidden and "hidden" or "shown") or "none"))
end

-- Adds dots that fly before the stage, each slowly, until there are so many: no more in a tick than may be spawned in one.
function WebGame:Crowd(count)
	self.Dots = tonumber(count)
	self:AddDots()
end

function WebGame:AddDots()
	local from = #self:ActorsOf("WebDot")
	if from + 200 < self.Dots then
		self:SetTimer(0.1, false, "AddDots")
	end
	for i = from, math.min(from + 200, self.Dots) - 1 do
		local row = math.floor(i / 25)
		self:Spawn("WebDot", { Location = vector(600, -2000 + 20 * (i - 25 * row - 12), 60 + 20 * row) })
	end
end

-- Takes health from everybody.
function WebGame:Hurt(amount)
	for _, pawn in ipairs(self:ActorsOf("ShooterPawn")) do
		pawn:TakeDamage(tonumber(amount), nil, pawn.Location, vector(), "test")
	end
end

-- Puts everybody into a team.
function WebGame:SetTeam(number)
	for _, player in ipairs(self.GameState.PlayerArray) do
		player.Team = tonumber(number)
	end
end

-- What an operator says to the tests' match, and what does it.
local commands = { stage = "Stage", crowd = "Crowd", hurt = "Hurt", team = "SetTeam" }

function WebGame:Broadcast(text, kind)
	local word, rest = text:match("^(%l+) ?(%w*)$")
	local command = commands[word]
	if not command then
		return WebGame.super.Broadcast(self, text, kind)
	end
	self[command](self, rest)
	return true
end

return WebGame
