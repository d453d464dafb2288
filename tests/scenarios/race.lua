-- The second game: a race (docs/second-game.md).

local function race(t, options)
	return t:server { level = "circuit", game = "Race", options = options or "" }
end

-- Every driver of a race.
local function drivers(s) return s:actors("RacePlayerState") end

scenario("W6 race: four brains drive two laps, nobody is stuck, and the order is that of the road", { long = true }, function(t)
	local s = race(t, "?bots=4?laps=2?skill=4")
	t:run(3)
	for _, player in ipairs(drivers(s)) do t:eq(player.NextGate, 0) end
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
		s:eval(("log('%s: %.2f, best lap %.2f')"):format(player.PlayerName, player.FinishTime, player.BestLap))
	end
	t:eq(#places, 4)
	for k = 2, 4 do t:ok(places[k - 1] <= places[k], "places go by time") end
	for _, bot in ipairs(s:actors("RaceBot")) do
		t:ok(bot:GetStuckSeconds() < 5, "stuck for " .. bot:GetStuckSeconds())
	end
end)

-- A race with one player and no bots, and their car on the server once it is there.
local function alone(t, preset)
	local s = race(t, "?bots=0?laps=2")
	local a = t:client { name = "a", preset = preset }
	t:within(5, function() return a:pawn() ~= nil and a:pawn():IsA("RaceCar") end)
	return s, a, s:pawn(a), s:controller(a).PlayerReplicationInfo
end

-- Waits until cars may go.
local function started(t, s) t:within(6, function() return s:actors("RaceState")[1]:IsStarted() end) end

scenario("W6 race: cars are held until the start, whatever a client asks for", function(t)
	local s, a, car = alone(t)
	a:input { forward = 1 }
	for _ = 1, 10 do
		a:pawn():ServerDrive(1, 0, 0)
		t:run(0.2)
		t:ok(car.Velocity:Size2D() < 20, "held")
	end
	started(t, s)
	t:run(1.5)
	t:ok(car.Velocity:Size2D() > 300, "it goes")
	t:ok(a:pawn().Velocity:Size2D() > 300, "at home, too")
end)

scenario("W6 race: a gate that is left out does not count, nor one that is crossed backwards", function(t)
	local s, _, car, player = alone(t)
	started(t, s)
	local gates = s:actors("RaceState")[1]:GetGates()
	-- Puts the car on a gate, with a speed along it.
	local function cross(number, speed)
		local gate = gates[number + 1]
		car:SetLocation(gate.Location + gate.Rotation:Vector() * 30 + vector(0, 0, 90))
		car:SetRotation(gate.Rotation)
		car.Velocity = gate.Rotation:Vector() * speed
		t:run(0.1)
		return player.NextGate
	end
	t:eq({ cross(0, 600), player.Lap, cross(2, 600), cross(1, -600) }, { 1, 1, 1, 1 })
	t:eq({ cross(1, 600), cross(2, 600) }, { 2, 3 })
	for k = 3, #gates - 1 do cross(k, 600) end
	t:eq({ player.Lap, player.NextGate }, { 1, 0 })
	cross(0, 600)
	t:eq({ player.Lap, player.FinishTime }, { 2, 0 })
	t:ok(player.LastLap > 1 and player.BestLap == player.LastLap, "the lap is timed")
end)

scenario("W6 race: after the last lap a driver has finished, and the race ends", function(t)
	local s, _, car, player = alone(t)
	started(t, s)
	local gates = s:actors("RaceState")[1]:GetGates()
	for k = 0, 2 * #gates do
		local gate = gates[k % #gates + 1]
		car:SetLocation(gate.Location + gate.Rotation:Vector() * 30 + vector(0, 0, 90))
		car:SetRotation(gate.Rotation)
		car.Velocity = gate.Rotation:Vector() * 600
		t:run(0.1)
	end
	t:ok(player.FinishTime > 0, "finished")
	t:eq(s:actors("RaceState")[1].MatchState, "WaitingPostMatch")
end)

scenario("W6 race: the ghost of the best lap is on its driver's machine alone", function(t)
	local s, a, car, player = alone(t)
	local b = t:client { name = "b" }
	started(t, s)
	local function lap(number, last)
		player.Lap, player.LastLap, player.BestLap = number, last, last
		t:run(1.5)
	end
	lap(1, 0)
	t:eq(#a:actors("RaceGhost"), 0)
	car.Velocity = car.Rotation:Vector() * 500
	lap(1, 0)
	lap(2, 3)
	t:eq(#a:actors("RaceGhost"), 1)
	t:eq({ #b:actors("RaceGhost"), #s:actors("RaceGhost") }, { 0, 0 })
	local at = a:actors("RaceGhost")[1].Location
	t:run(1)
	t:ok(a:actors("RaceGhost")[1].Location:Distance(at) > 20, "it drives")
end)

scenario("W6 race: who lies on his back, or asks, is back on the road, and may not ask all the time", function(t)
	local s, a, car = alone(t)
	started(t, s)
	local gate = s:actors("RaceState")[1]:GetGates()[1]
	local function near() return car.Location:Distance(gate.Location) < 400 and car:GetUpVector().Z > 0.9 end
	car.LastGate = gate
	car:SetLocation(gate.Location + vector(0, 3000, 100))
	car:SetRotation(rotator(0, 0, 32768))
	t:within(6, near)
	t:run(2.5)
	car:SetLocation(gate.Location + vector(0, 3000, 100))
	a:input { Reset = true }
	t:within(1, near)
	a:input { Reset = false }
	t:run(0.1)
	car:SetLocation(gate.Location + vector(0, 3000, 100))
	a:input { Reset = true }
	t:run(0.5)
	t:ok(not near(), "too soon")
end)

scenario("W6 race: a car drives alike on server and client, with loss", function(t)
	local s, a, car = alone(t, "internet")
	started(t, s)
	a:input { forward = 1 }
	t:run(4)
	t:ok(car.Velocity:Size2D() > 900, "it is fast")
	a:input { forward = 0 }
	t:run(6)
	t:near(a:pawn().Location, car.Location, 60)
end)
