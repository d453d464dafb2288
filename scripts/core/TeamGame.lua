-- TeamGame: a game in which players fight in teams, numbered from 0. Teams are kept at equal size, team-mates
-- are protected, and points count for the team.
local TeamGame = class("TeamGame", "GameInfo")

TeamGame.properties {
	NumTeams = int(2, { min = 2, max = 4 }), -- numbered from 0
	bBalanceTeams = true, -- nobody may join a larger team, and bots fill up the smaller ones
	TeamNames = array(str("", { max = 16 }), 4), -- by number, from 1 for team 0
	FriendlyFire = float(0, { min = 0, max = 1 }), -- share of damage that reaches team-mates
}

TeamGame.defaults {
	bTeamGame = true,
	bRateStarts = true,
	TeamNames = { "red", "blue", "green", "gold" },
}

-- Publishes the names of the teams.
function TeamGame:InitGame(options)
	local wrong = TeamGame.super.InitGame(self, options)
	for team = 1, wrong and 0 or self.NumTeams do
		self.GameState.TeamNames[team] = self.TeamNames[team]
	end
	return wrong
end

-- Returns the number of controllers in a team, without counting except.
function TeamGame:CountTeam(team, except)
	local n = 0
	for _, player in ipairs(self.GameState.PlayerArray) do
		if player.Team == team and player ~= except and not player.bIsSpectator then
			n = n + 1
		end
	end
	return n
end

-- Returns the smallest team; among equals the requested one. Without balancing, always the requested one.
function TeamGame:PickTeam(wish)
	if wish and self:IsTeam(wish) and not self.bBalanceTeams then
		return wish
	end
	local best, fewest
	for team = 0, self.NumTeams - 1 do
		local n = self:CountTeam(team)
		if not best or n < fewest or n == fewest and team == wish then
			best, fewest = team, n
		end
	end
	return best
end

-- Whether a number is a team of this game: whole, from 0 to NumTeams - 1.
function TeamGame:IsTeam(team)
	return team >= 0 and team < self.NumTeams and team == math.floor(team)
end

-- Moves a player to another team. They lose their pawn and get a new one at a start of the new team. Returns
-- whether they may.
function TeamGame:ChangeTeam(controller, team)
	local player = controller.PlayerReplicationInfo
	if not self:IsTeam(team) or team == player.Team or player.bIsSpectator then
		return false
	end
	if self.bBalanceTeams and self:CountTeam(team, player) > self:CountTeam(player.Team, player) then
		return false
	end
	player:SetTeam(team)
	player:ForceNetUpdate()
	if self:HasBody(controller) then
		controller.Pawn:Withdraw()
		self:RestartActivePlayer(controller)
	end
	self:BalanceTeams()
	return true
end

-- While one team has two players more than another, its last bot changes sides.
function TeamGame:BalanceTeams()
	if not self.bBalanceTeams then
		return
	end
	for _ = 1, self.NumBots do
		local large, small = 0, 0
		for team = 1, self.NumTeams - 1 do
			large = self:CountTeam(team) > self:CountTeam(large) and team or large
			small = self:CountTeam(team) < self:CountTeam(small) and team or small
		end
		local bot = self:LastBotOf(large)
		if self:CountTeam(large) - self:CountTeam(small) < 2 or not bot then
			return
		end
		self:ChangeTeam(bot, small)
	end
end

-- Returns the bot that joined a team last, or nil.
function TeamGame:LastBotOf(team)
	local last
	for _, controller in ipairs(self:ActorsOf("AIController")) do
		local player = controller.PlayerReplicationInfo
		if player and player.bBot and player.Team == team then
			last = controller
		end
	end
	return last
end

-- Reduces damage to team-mates by FriendlyFire.
function TeamGame:ReduceDamage(amount, victim, instigator, at, momentum, kind)
	amount = TeamGame.super.ReduceDamage(self, amount, victim, instigator, at, momentum, kind)
	local attacker = instigator and instigator.Controller
	if attacker and attacker ~= victim.Controller and self:OnSameTeam(attacker, victim.Controller) then
		return amount * self.FriendlyFire
	end
	return amount
end

-- Adds points to the player and to their team; the team's score can end the match.
function TeamGame:AddScore(controller, points)
	local player = controller.PlayerReplicationInfo
	if not player then
		return
	end
	player.Score = player.Score + points
	player:ForceNetUpdate()
	if player.Team >= 0 then
		local scores = self.GameState.TeamScores
		scores[player.Team + 1] = scores[player.Team + 1] + points
		self.GameState:ForceNetUpdate()
		if self.GoalScore > 0 and scores[player.Team + 1] >= self.GoalScore then
			self:EndMatch("goal")
		end
	end
end

return TeamGame
