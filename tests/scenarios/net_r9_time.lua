-- Section 9 of the rules: R9.6, the time that moves last is compared with the server's clock; and moves that no honest
-- client sends.

local net = require("shared.net")

-- A game whose players tell what was found about their clocks, with pawns slow enough for a minute on one level.
local WATCHED = net.with [[
	local Watched = class("Watched", "PlayerController")
	Watched.properties { Performed = int(0), Asked = float(0) }
	function Watched:TimeDiscrepancyDetected(how) self.found, self.foundAt = self.found or how, self.foundAt or world.TimeSeconds end
	function Watched:MoveAutonomous(move)
		self.Performed, self.Asked = self.Performed + 1, self.Asked + move.Delta
		return Watched.super.MoveAutonomous(self, move)
	end
	local Stroller = class("Stroller", "Character")
	Stroller.defaults { GroundSpeed = 200 }
	local Duel = class("Duel", "GameInfo")
	Duel.defaults { PlayerControllerClass = "Watched", DefaultPawnClass = "Stroller" }
]]

local function player(t, options)
	local s, a, pawn = WATCHED.player(t, { game = "Duel", config = { calls_per_second = 2000 } }, options)
	t:run(1)
	return s, a, pawn
end

-- How fast a player walks in half a minute, by the server, in shares of what an honest one does.
local function stroll(t, s, a, pawn)
	local from, at = pawn.Location.X, s.time
	net.hold(t, a, { forward = 1 }, 30)
	return (pawn.Location.X - from) / (200 * 30), s:controller(a), at
end

for_each({
	{ 1.05, 0.075, 0.015, 0.02, "fast" }, { 1.5, 0.075, 0.015, 0.02, "ahead" }, { 10, 0.075, 0.015, 0.02, "ahead" },
	{ 1.05, 0.2, 0.1, 0.1, "fast" }, { 0.9, 0.075, 0.015, 0.02, "slow" }, { 0.5, 0.075, 0.015, 0.02, "slow" },
}, function(case)
	local name = ("R9.6 a clock at %g × is found within 10 s and held to real time, at %g ms"):format(case[1], case[2] * 1000)
	scenario(name, { seeds = 5, transport = "sim", long = case[1] > 2 }, function(t)
		local s, a, pawn = player(t, { timescale = case[1], lag = case[2], jitter = case[3], loss = case[4] })
		local share, pc, at = stroll(t, s, a, pawn)
		t:eq(pc.found, case[5])
		t:le(pc.foundAt - at, 10)
		t:ok(pc.bHeldToTime)
		t:le(share, 1.02)
		t:ge(share, case[1] < 0.6 and 0.85 or 0.95)
	end)
end)

for_each({
	{ 1, 0.2, 0.1, 0.1 }, { 1, 0.1, 0.1, 0.2 }, { 1.02, 0.05, 0.01, 0.02 }, { 1.02, 0.2, 0.1, 0.1 }, { 0.98, 0.075, 0.015, 0.02 },
}, function(case)
	local name = ("R9.6 no false alarm: a clock at %g × over %g ± %g ms with %g %% loss"):format(case[1], case[2] * 1000, case[3] * 1000, case[4] * 100)
	scenario(name, { seeds = 5, transport = "sim" }, function(t)
		local s, a, pawn = player(t, { timescale = case[1], lag = case[2], jitter = case[3], loss = case[4] })
		local share, pc = stroll(t, s, a, pawn)
		t:eq(pc.found, nil)
		t:near(share, case[1], 0.025)
	end)
end)

scenario("R9.6 who withholds his moves and sends them at once gains nothing", { seeds = 5 }, function(t)
	local s, a, pawn = player(t)
	local from, at = pawn.Location.X, s.time
	a:input{ forward = 1 }
	for _ = 1, 20 do
		a:link{ lag = 0.4 }
		t:run(0.5)
		a:link{ lag = 0.01 }
		t:run(0.5)
	end
	net.hold(t, a, { forward = 0 }, 1)
	t:le((pawn.Location.X - from) / (200 * (s.time - at - 1)), 1.02)
end)

scenario("R9.6 a clock that is right again is believed again", function(t)
	local s, a, pawn = player(t)
	local pc = s:controller(a)
	net.hold(t, a, { forward = 1 }, 1)
	-- It leaps: ten seconds are claimed at once.
	a:eval("local pc = world:ActorsOf('PlayerController')[1] pc.clock = pc.clock + 10000")
	t:within(1, function() return pc.bHeldToTime end)
	t:within(20, function() return not pc.bHeldToTime end)
	local from = pawn.Location.X
	t:run(5)
	t:near(pawn.Location.X - from, 1000, 20)
end)

scenario("R9.6 accounting is on by default, and a game may turn it off", function(t)
	local s, a, pawn = player(t, { timescale = 1.5 })
	local pc = s:controller(a)
	t:ok(s:eval("return world:Spawn('PlayerController').bCheckTime"))
	pc.bCheckTime = false
	t:run(1)
	local from = pawn.Location.X
	net.hold(t, a, { forward = 1 }, 4)
	t:near(pawn.Location.X - from, 200 * 4 * 1.5, 60)
end)

-- What a hostile client sends instead of ServerMove: it never moves the pawn faster than a pawn moves, and never harms.

scenario("R9.3 stamps that leap, go back or stand still do not move the pawn by more than real time", function(t)
	local s, a, pawn = player(t)
	local pc, own = s:controller(a), a:controller()
	local accel = 1 -- all of it, straight ahead
	local from, at = pawn.Location.X, s.time
	for i = 1, 300 do
		own:ServerMove(i * 31000 % 65536, accel, vector(), 0)
		own:ServerMove((65536 - i) % 65536, accel, vector(), 0)
		own:ServerMove(7, accel, vector(), 0)
		own:ServerMove(i % 65536, accel, vector(), 0, 10000, 1, 16384 * 9999, 16384 * 5000, 255, 256, 3840, 16777216)
		own:ServerMove(i % 65536, accel, vector(), 0, 0, 3, 3, 268435455)
		t:ticks(1)
	end
	t:le(pawn.Location.X - from, 200 * (s.time - at) * 1.02 + 200 * 0.6)
	t:ok(pc.bHeldToTime)
	t:ok(pawn.alive)
end)

scenario("R9.3 a flood of moves is bounded in every tick", function(t)
	local s, a = player(t)
	local pc, own = s:controller(a), a:controller()
	t:run(0.5)
	local before = pc.Performed
	for i = 1, 1000 do own:ServerMove((30000 + i) % 65536, 0, vector(), 0) end
	t:run(1)
	t:le(pc.Performed - before, pc.MaxMovesPerTick + 70)
	t:eq(a.error, nil)
end)

for_each({
	{ "NaN in a place", "0, 0, vector(0/0, 0, 0), 0", "finite" },
	{ "a place without end", "0, 0, vector(1/0, 0, 0), 0", "finite" },
	{ "a stamp below 0", "-1, 0, vector(), 0", "0" },
	{ "a stamp too large", "65536, 0, vector(), 0", "65535" },
	{ "an acceleration too large", "0, 268435456, vector(), 0", "accel" },
	{ "flags too large", "0, 0, vector(), 0, 0, 0, 0, 0, 65536", "65535" },
}, function(case)
	scenario("R9.3 R6.7 " .. case[1] .. " does not even cross", function(t)
		local _, a = player(t)
		t:expect_error("ServerMove.*" .. case[3])
		a:call(a:controller(), "ServerMove", a:eval("return " .. case[2]))
	end)
end)

scenario("R9.3 R6.7 a view that looks back over the head is refused", function(t)
	local s, a = player(t)
	a:controller():ServerMove(1, 0, vector(), 20000 * 65536)
	t:within(1, function() return a.error end)
	t:eq(a.error_code, "validation")
	t:within(1, function() return s:controller(a) == nil end)
end)

scenario("R9.3 moves for a pawn that the player has not acknowledged are none", function(t)
	local s, a, pawn = player(t)
	local old = pawn
	local new = s:spawn("Stroller", { Location = vector(0, 3000, 88.1) })
	local accel = 1 -- all of it, straight ahead
	local from = new.Location
	s:controller(a):Possess(new)
	for i = 1, 10 do a:controller():ServerMove(40000 + i * 30, accel, vector(), 0) end
	t:ticks(1)
	t:near(new.Location, from, 0.01)
	t:ok(old.alive)
	t:within(1, function() return a:controller().AcknowledgedPawn and a:controller().AcknowledgedPawn:Is(new) end)
	net.hold(t, a, { forward = 1 }, 1)
	t:gt(new.Location.X - from.X, 100)
	t:eq(#a:corrections(), 0)
end)
