-- The second game: a race (docs/second-game.md).

local function race(t, options)
	return t:server { level = "circuit", game = "Race", options = options or "" }
end

-- Every driver of a race.
local function drivers(s)
	return s:actors("RacePlayerState")
end

scenario("W6 race: four brains drive two laps, nobody is stuck, and the order is that of the road", { long = true }, function(t)
	local s = race(t, "?bots=4?laps=2?skill=4")
	t:run(3)
	for _, player in ipairs(drivers(s)) do
		t:eq(player.NextGate, 0)
	end
	t:run(30)
	local gates = #s:actors("RaceGate")
	for _, player in ipairs(drivers(s)) do
		t:ok(player:GetProgress(gates) > 20, player.PlayerName .. " has crossed 20 gates")
		for _, other in ipairs(drivers(s)) do
			if player:GetProgress(gates) > other:GetProgress(gates) + 1 then
				t:ok(player.Place < other.Place, "who is ahead has the better place")
			end
		end
	end
	t:within(120, function() return s:actors("RaceState")[1].MatchState == "WaitingPostMatch" end)
	local places = {}
	for _, player in ipairs(drivers(s)) do
		t:ok(player.FinishTime > 0, player.PlayerName .. " has finished")
		t:ok(player.BestLap > 10 and player.BestLap < 60, "its best lap took " .. player.BestLap)
		places[player.Place] = player.FinishTime
	end
	t:eq(#places, 4)
	for k = 2, 4 do
		t:ok(places[k - 1] <= places[k], "places go by time")
	end
	for _, bot in ipairs(s:actors("RaceBot")) do
		t:ok(bot:GetStuckSeconds() < 5, "stuck for " .. bot:GetStuckSeconds())
	end
end)
