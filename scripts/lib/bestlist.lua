-- bestlist: an ordered list of the store, whose best the players of a match see. A game gives it players when
-- they join and when a match is over: the store is read then, and never by a tick. It has the GameState,
-- whose class declares Best and DescribeScore, and players whose class declares BestPlace.
local bestlist = {}

local PATIENCE = 10 -- seconds after which an answer is not expected any more: a loaded world gets none

-- Whether a player may be in lists: neither a bot nor a guest.
function bestlist.IsListed(player)
	return not player.bBot and not player.bGuest and not player.UniqueId:find("^guest%-")
end

-- Returns the name of a player in lists, nil for bots and guests. Players may have the same name, so it ends
-- with the end of what their connection proved; nothing that a player types has a line break.
local function entryOf(player)
	return bestlist.IsListed(player) and player.PlayerName .. "\n" .. player.UniqueId:sub(-24) or nil
end

-- Whether the store answered. The log names the first failure, and then none until it works again.
local function answered(state, err)
	if err and not state.bestFailed then
		state:Log(("the list of the best: %s"):format(err))
	end
	state.bestFailed = err ~= nil
	return not err
end

-- Returns the list in words, for those who have not joined yet.
local function describe(state)
	local lines = {}
	for place = 1, #state.Best do
		local best = state.Best[place]
		if best.Name ~= "" then
			lines[place] = ("%d. %s: %s"):format(place, best.Name, state:DescribeScore(best.Score))
		end
	end
	return lines[1] and "The best of all matches\n" .. table.concat(lines, "\n") or ""
end

-- Reads a list, and shows the best of it to all players. Calls while it is being read read it once more.
function bestlist.Show(state, list)
	if state.bestAsked and world.TimeSeconds - state.bestAsked < PATIENCE then
		state.bestAgain = true
		return
	end
	state.bestAsked, state.bestAgain = world.TimeSeconds, false
	store:Top(list, #state.Best, function(entries, err)
		state.bestAsked = nil
		if answered(state, err) then
			for i = 1, #state.Best do
				local entry = entries[i]
				local name = entry and entry.Name:match("^[^\n]*") or ""
				state.Best[i] = { Name = name, Score = entry and math.abs(entry.Score) or 0 }
			end
			state.JoinText = describe(state)
		end
		if state.bestAgain then
			bestlist.Show(state, list)
		end
	end)
end

-- Removes the entries of a player who had another name before: nobody is among the best twice.
local function removeFormer(state, list, name)
	local id = name:match("\n.*$")
	store:Top(list, #state.Best, function(entries)
		for _, entry in ipairs(entries or {}) do
			if entry.Name ~= name and entry.Name:sub(-#id) == id then
				store:Rank(list, entry.Name, nil, function(_, err)
					if answered(state, err) then
						bestlist.Show(state, list)
					end
				end)
			end
		end
	end)
end

-- Gives a player a score in a list, which is shown then. 0 is no score: the list is only shown.
function bestlist.Enter(state, list, player, score)
	local name = entryOf(player)
	if not name or score == 0 then
		bestlist.Show(state, list)
		return
	end
	removeFormer(state, list, name)
	store:Rank(list, name, score, function(place, err)
		if answered(state, err) then
			if not player.bDeleteMe then
				player.BestPlace = place or 0
			end
			bestlist.Show(state, list)
		end
	end)
end

return bestlist
