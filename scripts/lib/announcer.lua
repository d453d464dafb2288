-- announcer: the texts that a match sends to its players.
local announcer = {}

-- Sends a text to all players and to the log; kind is one of those of PlayerController:ClientMessage.
function announcer.Say(game, text, kind)
	log(text)
	game:Broadcast(text, kind)
end

-- Texts about a death, by its kind; %s are killer and victim.
local deaths = {
	rifle = "%s shot %s",
	head = "%s shot %s in the head",
	shotgun = "%s peppered %s",
	rocket = "%s blew up %s",
	grenade = "%s's grenade got %s",
	cutlass = "%s cut down %s",
	["ran over"] = "%s ran over %s",
	exploded = "%s's buggy took %s along",
	crushed = "%s dropped something on %s",
}

-- Texts about players who killed themselves.
local own = {
	rocket = "%s stood too near their own rocket",
	grenade = "%s sat on their own grenade",
	exploded = "%s burnt with their buggy",
}

-- Texts about deaths that no player caused.
local accidents = {
	fell = "the depth took %s",
	crushed = "%s was crushed",
	exploded = "%s burnt with their buggy",
}

local function nameOf(controller, pawn)
	local of = controller or pawn
	local player = of and of.PlayerReplicationInfo or pawn and pawn.PlayerReplicationInfo
	return player and player:GetQuotedName() or "somebody"
end

-- "Ada blew up Bo (7 : 3)": the figures are both scores after it. kind may be "" or nil.
function announcer.Death(killer, victim, pawn, kind)
	local dead = nameOf(victim, pawn)
	kind = type(kind) == "string" and kind or ""
	if killer == victim and killer then
		return (own[kind] or "%s died by their own hand"):format(dead)
	elseif not killer then -- the level, or a player who is already dead
		if kind == "" then
			return dead .. " was killed"
		end
		return accidents[kind] and accidents[kind]:format(dead) or "a stray " .. kind .. " got " .. dead
	end
	local text
	if deaths[kind] then
		text = deaths[kind]:format(nameOf(killer), dead)
	else
		text = nameOf(killer) .. (kind ~= "" and "'s " .. kind or "") .. " killed " .. dead
	end
	local one, other = killer.PlayerReplicationInfo, victim and victim.PlayerReplicationInfo
	if one and other then
		text = text .. (" (%d : %d)"):format(one.Score, other.Score)
	end
	return text
end

-- "DeathMatch on arena: 6 players, to 25".
function announcer.Started(game)
	local count = #game.GameState:GetPlayerArray()
	local text = game:GetClass() .. " on " .. world.LevelName
	if count > 0 then
		text = text .. (": %d player%s"):format(count, count == 1 and "" or "s")
	end
	if game.GoalScore > 0 then
		text = text .. ", to " .. game.GoalScore
	end
	return text
end

-- "ebb wins 50 : 42", or "a draw, 42 : 42", of three or more teams "ebb wins 50 : 42 : 3".
local function teamsText(state)
	local teams = {}
	for team = 1, #state.TeamNames do
		if state.TeamNames[team] ~= "" then
			local name, score = state.TeamNames[team], state.TeamScores[team]
			teams[#teams + 1] = { Name = name, Score = score, Number = team }
		end
	end
	table.sort(teams, function(a, b)
		if a.Score ~= b.Score then
			return a.Score > b.Score
		end
		return a.Number < b.Number
	end)
	local scores = {}
	for i, team in ipairs(teams) do
		scores[i] = ("%d"):format(team.Score)
	end
	local draw = #teams > 1 and teams[1].Score == teams[2].Score
	return (draw and "a draw, " or teams[1].Name .. " wins ") .. table.concat(scores, " : ")
end

-- "the match is over (goal): Ada wins with 25, then Bo 19, Cleo 11.", or in a game of teams "the match is over
-- (goal): ebb wins 50 : 42. Best Ada 25, Bo 19, Cleo 11."
function announcer.Ended(game, why)
	local players = {}
	for _, player in ipairs(game.GameState:GetPlayerArray()) do
		if not player.bIsSpectator then
			players[#players + 1] = player
		end
	end
	table.sort(players, function(a, b)
		if a.Score ~= b.Score then
			return a.Score > b.Score
		end
		return a.PlayerID < b.PlayerID
	end)
	local text = "the match is over" .. (why and " (" .. why .. ")" or "")
	local first, second = ": %s wins with %d", ", then %s %d"
	if game.bTeamGame then
		text = text .. ": " .. teamsText(game.GameState)
		first, second = ". Best %s %d", ", %s %d"
	end
	for i = 1, math.min(3, #players) do
		local player = players[i]
		local form = i == 1 and first or i == 2 and second or ", %s %d"
		text = text .. form:format(player:GetQuotedName(), player.Score)
	end
	return text .. "."
end

return announcer
