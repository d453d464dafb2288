-- announcer: what a match says about itself, in words.
local announcer = {}

-- What is said of a death, by its kind; %s are killer and victim.
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

-- What is said of who died by himself.
local own = {
	rocket = "%s stood too near his own rocket",
	grenade = "%s sat on his own grenade",
	exploded = "%s burnt with his buggy",
}

-- What is said where nobody was behind it.
local accidents = {
	fell = "the depth took %s",
	crushed = "%s was crushed",
	exploded = "%s burnt with his buggy",
}

local function nameOf(controller, pawn)
	local of = controller or pawn
	local player = of and of.PlayerReplicationInfo or pawn and pawn.PlayerReplicationInfo
	return player and player.PlayerName or "somebody"
end

-- "Ada blew up Bo (7 : 3)": the figures are both scores after it.
function announcer.Death(killer, victim, pawn, kind)
	local dead = nameOf(victim, pawn)
	if killer == victim then
		return (own[kind] or "%s died by his own hand"):format(dead)
	elseif not killer then -- the level, or somebody who is dead himself by now
		return (accidents[kind] or "a stray " .. kind .. " got %s"):format(dead)
	end
	local text = (deaths[kind] or "%s's " .. kind .. " killed %s"):format(nameOf(killer), dead)
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

-- "the match is over (goal): Ada wins with 25, then Bo 19, Cleo 11".
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
	for i = 1, math.min(3, #players) do
		local player = players[i]
		local form = i == 1 and ": %s wins with %d" or i == 2 and ", then %s %d" or ", %s %d"
		text = text .. form:format(player.PlayerName, player.Score)
	end
	return text .. "."
end

return announcer
