-- The race keeps best laps, and the ghost of the best of a level, for everybody (docs/second-game.md).

-- A client who is in at a host and has a car; returns the car on the host, and the PlayerState there.
local function enter(t, host, client)
	t:within(8, function()
		local pawn = client:pawn()
		return host:pawn(client) and pawn and pawn:IsA("RaceCar") and client:controller().myHUD
	end)
	return host:pawn(client), host:controller(client).PlayerReplicationInfo
end

local function started(t, host) t:within(8, function() return host:actors("RaceState")[1]:IsStarted() end) end

-- Puts a car on every gate from the line to the line, each for so many seconds.
local function lap(t, host, car, pause)
	local gates = host:actors("RaceState")[1]:GetGates()
	local player = car.PlayerReplicationInfo
	for k = player.NextGate == 0 and 0 or 1, #gates do
		local gate = gates[k % #gates + 1]
		car:SetLocation(gate.Location + gate.Rotation:Vector() * 30 + vector(0, 0, 90))
		car:SetRotation(gate.Rotation)
		car.Velocity = gate.Rotation:Vector() * 600
		t:run(pause)
	end
	return player.LastLap
end

-- The texts that a player sees, in one line.
local function seen(client)
	local list = {}
	for _, call in ipairs(client:canvas()) do
		if call.kind == "text" then list[#list + 1] = call.text end
	end
	return table.concat(list, " ")
end

-- The ghost of the best lap of all, on a client's machine.
local function rival(client)
	for _, ghost in ipairs(client:actors("RaceGhost")) do
		if ghost.Title ~= "" then return ghost end
	end
end

scenario("race best: a lap and its ghost are there after a restart, for everybody", function(t)
	local s = t:server { level = "circuit", game = "Race", options = "?bots=0?laps=9" }
	local ann = t:client { name = "Ann" }
	local car, player = enter(t, s, ann)
	started(t, s)
	local time = lap(t, s, car, 0.4)
	t:eq({ player.Lap, player.Record }, { 2, time })
	t:within(1, function() return s:actors("RaceState")[1].GhostLap == time end)
	t:within(1, function() return rival(ann) == nil and ann:copy(player).Record == time end)
	local slower = lap(t, s, car, 0.45)
	t:ok(slower > time, "slower")
	t:eq(player.Record, time)
	t:within(1, function() return rival(ann) end) -- it drives in Ann's second lap
	t:run(0.5)
	local before = s:actors("RaceState")[1]:GetGhostRecord()

	t:restart()
	t:within(2, function() return ann.error_code == "restart" end)
	ann:join()
	local bob = t:client { name = "Bob" }
	local _, again = enter(t, s, ann)
	local his = enter(t, s, bob)
	t:near(again.Record, time, 1e-6)
	local row = ("best laps 1 Ann %d:%05.2f"):format(0, time)
	t:within(2, function() return seen(bob):find(row, 1, true) end)
	t:match(seen(ann), "ever 0:")
	local state = s:actors("RaceState")[1]
	t:eq({ state:DescribeScore(59.996), state:DescribeScore(62.35) }, { "1:00.00", "1:02.35" })
	started(t, s)
	local gates = s:actors("RaceState")[1]:GetGates()
	his:SetLocation(gates[1].Location + gates[1].Rotation:Vector() * 30 + vector(0, 0, 90))
	his.Velocity = gates[1].Rotation:Vector() * 600
	local ghost = t:within(1, function() return rival(bob) end)
	t:eq({ ghost.Title, ghost.Paint }, { "Ann", "#ffd45c" })
	local record = s:actors("RaceState")[1]:GetGhostRecord()
	t:eq({ record, bob:actors("RaceState")[1]:GetGhostRecord() }, { before, record })
	t:near(#record * record.step, time, 0.25)
	t:gt(#record, 40) -- more than one piece
	t:near(record[1].place, gates[1].Location + vector(0, 0, 90), 150)
	t:run(1)
	local at = math.floor(ghost.Time / record.step) + 1
	local from, to, part = record[at].place, record[at + 1].place, ghost.Time / record.step - at + 1
	t:near(ghost.Location, from + (to - from) * part, 1)
	t:eq(#s:actors("RaceGhost"), 0)
end)

scenario("race best: who drives a better lap is the ghost, also of another host (C5)", function(t)
	local a = t:server { level = "circuit", game = "Race", options = "?bots=0?laps=9" }
	local b = t:host { name = "b", level = "circuit", game = "Race", options = "?bots=0?laps=9" }
	local ann, bob = t:client { name = "Ann" }, t:client { name = "Bob", host = "b" }
	local hers, his = enter(t, a, ann), enter(t, b, bob)
	started(t, a)
	started(t, b)
	local quick = lap(t, a, hers, 0.1)
	t:run(0.5)
	local slow = lap(t, b, his, 0.13)
	t:ok(slow > quick, "slower")
	local state = b:actors("RaceState")[1]
	t:within(1, function() return state.GhostName == "Ann" end) -- b is told of Ann's lap when it keeps Bob's
	t:near(state.GhostLap, quick, 1e-6)
	t:within(1, function() return state.Best[2].Name == "Bob" end)
	t:eq(b:controller(bob).PlayerReplicationInfo.BestPlace, 2)
	local best = lap(t, b, his, 0.07)
	t:ok(best < quick, "better")
	t:within(1, function() return state.GhostName == "Bob" and state.Best[1].Name == "Bob" end)
	t:near(state.Best[1].Score, best, 1e-4)
	t:match(state.JoinText, "^The best of all matches\n1%. Bob: 0:%d%d%.%d%d\n2%. Ann: 0:%d%d%.%d%d$")
end)

scenario("race best: a store that fails is told once, and the race goes on", function(t)
	t:scripts [[
		local Game = class("LoggingRace", "Race")
		function Game:Log(text) self.lines = (self.lines or "") .. text .. "\n" end
	]]
	local s = t:server { level = "circuit", game = "LoggingRace", options = "?bots=0?laps=9" }
	local ann = t:client { name = "Ann" }
	local car, player = enter(t, s, ann)
	started(t, s)
	t:store { down = "the disk is full" }
	local before = s.time
	lap(t, s, car, 0.13)
	lap(t, s, car, 0.11)
	local time = lap(t, s, car, 0.1)
	t:run(0.5)
	t:eq({ player.Lap, player.Record }, { 4, time })
	local lines = s:actors("Race")[1].lines
	t:match(lines, "^the ghost of the best lap: .*the disk is full")
	t:eq(select(2, lines:gsub("\n", "")), 1, lines)
	t:eq(s:actors("RaceState")[1].GhostLap, 0)
	t:store {}
	time = lap(t, s, car, 0.07)
	t:within(2, function() return s:actors("RaceState")[1].GhostLap == time end)
	t:ok(s.time - before > 5, "no tick waited")
end)

scenario("race best: bots and guests drive for this race only", function(t)
	local s = t:server { level = "circuit", game = "Race", options = "?bots=1?laps=9" }
	local gus = t:client { name = "Gus", options = "?guest=1" }
	local car, player = enter(t, s, gus)
	started(t, s)
	local time = lap(t, s, car, 0.1)
	lap(t, s, s:actors("RaceBot")[1].Pawn, 0.1)
	t:run(1)
	t:eq({ player.BestLap, player.Record }, { time, 0 })
	local state = s:actors("RaceState")[1]
	t:eq({ state.GhostLap, state.Best[1].Name }, { 0, "" })
end)

scenario("race best: of more levels than fit, a profile forgets the first", function(t)
	local s = t:server { level = "circuit", game = "Race", options = "?bots=0" }
	local player = s:spawn("RacePlayerState")
	for i = 1, 17 do
		player.Record, player.LastLap = 0, i
		t:ok(player:KeepRecord("level" .. i))
	end
	player.LastLap = 20
	t:no(player:KeepRecord("level17"), "slower")
	for level, time in pairs { level1 = 0, level2 = 2, level17 = 17 } do
		player.Record = 0
		player:FindRecord(level)
		t:eq(player.Record, time)
	end
	player.LastLap = 1
	t:ok(player:KeepRecord("level17"))
	t:eq({ player.Records[16].Lap, player.Records[1].Level }, { 1, "level2" })
end)
