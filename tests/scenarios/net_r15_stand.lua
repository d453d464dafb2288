-- G15: either side stands still for three seconds. Two seconds later the clocks agree, no shot of an honest player is refused, and
-- nobody's moves are held to real time.

local net = require("shared.net")
local range = require("shared.range")

-- A shooter who fires at a target all the time.
local function shooting(t, lag)
	local s, a = range.stand(t, "Gallery", { name = "a", lag = lag, jitter = 0.01 })
	t:run(6)
	net.hold(t, a, { fire = true }, 2)
	return s, a
end

for_each({ 0.025, 0.1 }, function(lag)
	for_each({ "the server", "the client", "both" }, function(who)
		local name = ("G15 %s stood still for 3 s at %g ms: clocks and shots are right 2 s later"):format(who, 2000 * lag)
		scenario(name, { seeds = 3, budget = 60, transport = "sim" }, function(t)
			local s, a = shooting(t, lag)
			if who ~= "the client" then s:stand(3) end
			if who ~= "the server" then a:stand(3) end
			t:run(3)
			t:run(2)
			local refused, shots = s:controller(a):GetRefusedClaims(), s:pawn(a).Weapon.Rounds.Shots
			for _ = 1, 60 do
				t:run(0.1)
				t:near(a:controller():GetServerTime() - s:eval("return world.TimeSeconds"), 0, 0.03)
			end
			t:eq(s:controller(a):GetRefusedClaims(), refused)
			t:ge(s:pawn(a).Weapon.Rounds.Shots - shots, 40)
			t:eq(s:controller(a).found, nil)
		end)
	end)
end)

-- A player who runs in circles; returns the server, the client, and the length of a client's tick.
local function running(t, lag)
	t:scripts[[
		local Runner = class("Runner", "PlayerController")
		function Runner:TimeDiscrepancyDetected(how) self.found = how end
		local Track = class("Track", "GameInfo")
		Track.defaults { DefaultPawnClass = "Character", PlayerControllerClass = "Runner" }
	]]
	local s = t:server{ game = "Track" }
	local a = t:client{ name = "a", lag = lag, jitter = 0.01 }
	t:within(5, function() return s:pawn(a) and a:controller() and a:pawn() end)
	local yaw = 0
	return s, a, function()
		yaw = (yaw + 3000) % 65536
		net.hold(t, a, { forward = 1, yaw = yaw }, 0.1)
	end
end

-- How far apart the pawn of a runner is on both machines: as far as they run in a round trip, and some ticks.
local function together(t, s, a, lag)
	return t:le(s:pawn(a).Location:Distance(a:pawn().Location), 440 * (2 * lag + 0.09))
end

-- While they run, their pawn goes on without them on the server; how long that is allowed to be, and longer.
for_each({ 0.3, 0.8, 9 }, function(still)
	for_each({ 0, 0.1 }, function(loss)
		local name = ("G15 a client that runs stood still for %g s, %g %% of packets lost: its moves count again within a second")
		scenario(name:format(still, 100 * loss), { seeds = 3, budget = 60, transport = "sim" }, function(t)
			local s, a, step = running(t, 0.05)
			for _ = 1, 30 do step() end
			a:link{ loss = loss }
			a:stand(still)
			t:run(still)
			for _ = 1, loss > 0 and 20 or 10 do step() end
			a:link{ loss = 0 }
			for _ = 1, 4 do step() end
			local corrections = a:controller().CorrectionCount
			for _ = 1, 40 do
				step()
				together(t, s, a, 0.05)
			end
			t:eq({ a:controller().CorrectionCount, s:controller(a).found }, { corrections, nil })
		end)
	end)
end)

-- A line that holds moves back brings them all in the end: their player's clock was right all the time.
for_each({ 0.8, 2 }, function(held)
	local name = "G15 a line held moves back for %g s: they are past, and the player's clock is as it was"
	scenario(name:format(held), { seeds = 3, budget = 60, transport = "sim" }, function(t)
		local s, a, step = running(t, 0.05)
		for _ = 1, 30 do step() end
		a:link{ lag = held }
		for _ = 1, 10 * held do step() end
		a:link{ lag = 0.05 }
		for _ = 1, 20 do step() end
		for _ = 1, 40 do
			step()
			together(t, s, a, 0.05)
		end
		t:eq(s:controller(a).found, nil)
	end)
end)

-- A host that was stopped runs some ticks before it has read what arrived meanwhile: its players seem silent, and their pawns go on
-- without them. All their moves come then in a burst, up to the present.
for_each({ 0, 0.5, 2 }, function(still)
	for_each({ 0.3, 0.55, 1 }, function(held)
		local name = "G15 a host stood still for %g s, and moves reach it %g s after that: nobody is ahead of time"
		scenario(name:format(still, held), { seeds = 3, budget = 60, transport = "sim" }, function(t)
			local s, a, step = running(t, 0.05)
			for round = 1, 3 do
				for _ = 1, 30 + round do step() end
				if still > 0 then s:stand(still) end
				t:run(still)
				a:link{ lag = held }
				t:run(held)
				a:link{ lag = 0.05 }
				t:eq(s:controller(a).found, nil)
			end
			for _ = 1, 20 do step() end
			for _ = 1, 40 do
				step()
				together(t, s, a, 0.05)
			end
			t:eq(s:controller(a).found, nil)
		end)
	end)
end)

-- The clock of a player with a new pawn is unknown: what they did with it while the host stood still comes at once.
for_each({ 0.3, 1, 9 }, function(still)
	local name = "G15 a host stood still for %g s as a player took over a pawn: nobody is ahead of time"
	scenario(name:format(still), { seeds = 5, budget = 60, transport = "sim" }, function(t)
		local s, a, step = running(t, 0.05)
		for round = 1, 4 do
			for _ = 1, 5 do step() end
			s:controller(a):Possess(s:spawn("Character", { Location = vector(0, 300 * round, 88.1) }))
			t:ticks(round)
			s:stand(still)
			for _ = 1, 20 + 10 * still do step() end
			t:eq(s:controller(a).found, nil)
		end
		for _ = 1, 10 do
			step()
			together(t, s, a, 0.05)
		end
	end)
end)

-- A busy machine: a player's clock loses time while the host stands still, and a little again later. That the first loss is seen
-- within a moment says nothing about the clock.
for_each({ 5, 9 }, function(still)
	local name = "G15 a host stood still for %g s, and a player whose machine lost time then and later is not slow"
	scenario(name:format(still), { seeds = 3, budget = 60, transport = "sim" }, function(t)
		local s, a, step = running(t, 0.05)
		for _ = 1, 80 do step() end
		s:stand(still)
		a:stand(1.2)
		for _ = 1, 10 * still + 19 do step() end
		a:stand(0.45)
		for _ = 1, 80 do step() end
		t:eq(s:controller(a).found, nil)
	end)
end)

-- What a standstill excuses is over soon: a clock that is wrong is found within the time that it takes without one, and three windows.
for_each({ { 0.9, "slow" }, { 1.06, "ahead" }, { 1.5, "ahead" } }, function(case)
	scenario(("G15 a clock at %g × is found after the host stood still for 5 s"):format(case[1]), { seeds = 3, budget = 60, transport = "sim" }, function(t)
		t:scripts[[
			local Runner = class("Runner", "PlayerController")
			function Runner:TimeDiscrepancyDetected(how) self.found, self.foundAt = self.found or how, self.foundAt or world.TimeSeconds end
			local Track = class("Track", "GameInfo")
			Track.defaults { DefaultPawnClass = "Character", PlayerControllerClass = "Runner" }
		]]
		local s, a = net.play(t, { game = "Track" }, { name = "a", lag = 0.05, jitter = 0.01, timescale = case[1] })
		local yaw = 0
		local function run(n)
			for _ = 1, n do
				yaw = (yaw + 3000) % 65536
				net.hold(t, a, { forward = 1, yaw = yaw }, 0.1)
			end
		end
		run(10)
		s:stand(5)
		run(50)
		local at = s.time
		run(190)
		t:eq(s:controller(a).found, case[2])
		t:le(s:controller(a).foundAt - at, 17.5)
		t:ok(s:controller(a).bHeldToTime)
	end)
end)
