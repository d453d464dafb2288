-- The pace of a match: pause, step and slow motion reach every client, count for no budget and no time check, and
-- leave the clocks right.

local net = require("shared.net")
local holds = net.holds

local range = require("shared.range")

local THINGS = [[
	local Dial = class("Dial")
	Dial.properties { Turns = int(0), Seen = int(0), Ticks = int(0) }
	Dial.defaults { bAlwaysRelevant = true, NetUpdateFrequency = 2 }
	Dial.replication { { "Turns", notify = true } }
	function Dial:OnRep_Turns(_) self.Seen = self.Seen + 1 end
	function Dial.simulated:Tick(_) self.Ticks = self.Ticks + 1 end
]]

-- A game whose players tell what was found about their clocks, with pawns slow enough for a minute on one level.
local WATCHED = [[
	local Watched = class("Watched", "PlayerController")
	function Watched:TimeDiscrepancyDetected(how, rate) self.found = self.found or how .. " " .. rate end
	local Stroller = class("Stroller", "Character")
	Stroller.defaults { GroundSpeed = 200 }
	local Duel = class("Duel", "GameInfo")
	Duel.defaults { PlayerControllerClass = "Watched", DefaultPawnClass = "Stroller" }
]]

-- A server, and clients that are in and whose first moves are answered.
local function match(t, game, ...)
	t:scripts(THINGS .. WATCHED)
	local s = t:server{ game = game }
	local list = {}
	for _, o in ipairs{ ... } do
		local c = t:client(o)
		table.insert(list, c)
		t:within(8, function() return s:pawn(c) and c:controller() and c:pawn() end)
	end
	t:run(3)
	return s, unpack(list)
end

local function wrong(s, a) return a:controller():GetServerTime() - s:eval("return world.TimeSeconds") end

scenario("pace: paused worlds stand still, and what is set meanwhile arrives", { seeds = 3 }, function(t)
	local s, a, b = match(t, "GameInfo", { name = "a", lag = 0.05 }, { name = "b", lag = 0.05 })
	local dial = s:spawn("Dial")
	net.hold(t, a, { forward = 1, yaw = 0 }, 1)
	s:pace(0)
	t:run(0.5) -- what was on its way
	t:eq((a:pace()), 0)
	t:eq((b:pace()), 0)
	local times, at = { s.time, a.time, b.time }, { s:pawn(a).Location, a:pawn().Location, b:copy(s:pawn(a)).Location }
	t:run(5)
	t:eq({ s.time, a.time, b.time }, times)
	t:eq({ s:pawn(a).Location, a:pawn().Location, b:copy(s:pawn(a)).Location }, at)
	-- A variable with two updates a second does not wait for a time that stands still, and its notify runs.
	for turn = 1, 3 do
		dial.Turns = turn
		t:run(0.4)
		holds(t, a:copy(dial), { Turns = turn, Seen = turn })
		t:eq(b:copy(dial).Turns, turn)
	end
	local other = s:spawn("Dial", { Turns = 9 })
	t:run(0.4)
	t:eq(b:copy(other).Turns, 9)
	s:pawn(b):SetLocation(vector(300, 300, 88.1))
	t:run(0.4)
	t:near(a:copy(s:pawn(b)).Location, vector(300, 300, 88.1), 1)
	t:eq({ s.time, a.time, b.time }, times)
	s:pace(1)
	t:run(1)
	t:near(s.time - times[1], 1, 0.02)
	t:near(a.time - times[2], 1 - 0.05, 0.06)
	t:near(b.time - times[3], 1 - 0.05, 0.06)
end)

scenario("pace: a key pressed and released while paused moves nothing", function(t)
	local s, a = match(t, "GameInfo", { name = "a", lag = 0.05 })
	s:pace(0)
	t:run(0.5)
	local at, moves = s:pawn(a).Location, t:traffic(a).by_function["PlayerController.ServerMove"].received
	for _ = 1, 10 do
		net.hold(t, a, { forward = 1, jump = true }, 0.1)
		net.hold(t, a, { forward = 0, jump = false }, 0.1)
	end
	t:eq(t:traffic(a).by_function["PlayerController.ServerMove"].received, moves)
	s:pace(1)
	t:run(1)
	t:near(s:pawn(a).Location, at, 0.1)
	t:near(a:pawn().Location, at, 0.1)
end)

scenario("pace: steps run exactly that many ticks on the server and on its clients, and the world stays paused", { seeds = 3 }, function(t)
	local s, a, b = match(t, "GameInfo", { name = "a", lag = 0.05 }, { name = "b", lag = 0.1, jitter = 0.03, loss = 0.1, tick = 30 })
	local dial = s:spawn("Dial")
	s:pace(0)
	t:run(1)
	local tick = 1 / 60
	local function steps(list)
		local ticks, times = { dial.Ticks, a:copy(dial).Ticks }, { s.time, a.time, b.time }
		local sum = 0
		for _, n in ipairs(list) do
			s:step(n)
			sum = sum + n
		end
		local scale, pending = s:pace()
		t:eq({ scale, pending }, { 0, sum })
		t:run(sum * tick + 2.5)
		t:eq({ dial.Ticks - ticks[1], a:copy(dial).Ticks - ticks[2] }, { sum, sum })
		t:near(s.time - times[1], sum * tick, 1e-6)
		t:near(a.time - times[2], sum * tick, 1e-6)
		t:near(b.time - times[3], sum * tick, 1 / 30 + 1e-6)
		scale, pending = s:pace()
		t:eq({ scale, pending }, { 0, 0 })
	end
	steps{ 1 }
	steps{ 3 }
	steps{ 10, 2, 30 }
	steps{ 600 }
	t:error(function() s:step(601) end, "step 601: expected 1 to 600 ticks")
	t:error(function() s:step(0) end, "step 0: expected 1 to 600 ticks")
	t:error(function() s:pace(5) end, "pace 5: expected 0 %(paused%) or 0.01 to 4")
	t:error(function() a:pace(1) end, "a client follows the match")
end)

for_each({ 0.25, 0.5, 2, 4 }, function(scale)
	scenario(("pace: at %g × server and clients make that progress, and predict without corrections"):format(scale), { seeds = 3, transport = "sim" }, function(t)
		local s, a, b = match(t, "Duel", { name = "a", lag = 0.06, jitter = 0.01 }, { name = "b", lag = 0.06 })
		local dial = s:spawn("Dial")
		t:run(0.5)
		s:pace(scale)
		t:run(1)
		local corrected = #a:corrections()
		local from, fromOwn = s:pawn(a).Location, a:pawn().Location
		local times, ticks = { s.time, a.time, b.time }, { dial.Ticks, a:copy(dial).Ticks, b:copy(dial).Ticks }
		net.hold(t, a, { forward = 1 }, 8)
		for i, peer in ipairs{ s, a, b } do
			t:near(peer.time - times[i], 8 * scale, 0.05)
			t:near(peer:copy(dial).Ticks - ticks[i], 8 * 60 * scale, 4)
		end
		t:near(s:pawn(a).Location:Distance(from), 200 * 8 * scale, 200 * scale * 0.3 + 40)
		t:near(a:pawn().Location:Distance(fromOwn), 200 * 8 * scale, 200 * scale * 0.1 + 40)
		net.hold(t, a, { forward = 0, jump = true }, 2)
		t:eq({ #a:corrections() - corrected, s:controller(a).found }, { 0, nil })
		t:near(wrong(s, a), 0, 0.03 * math.max(1, scale))
	end)
end)

scenario("pace: who joins a paused match is paused, too, and so after a travel and a reconnection", { seeds = 2 }, function(t)
	local s, a = match(t, "GameInfo", { name = "a", lag = 0.05 })
	s:pace(0)
	t:run(0.5)
	local b = t:client{ name = "b", lag = 0.05 }
	t:within(5, function() return b:controller() and b:pawn() end)
	t:run(1)
	t:eq({ b:pace(), b.time }, { 0, 0 })
	t:near(wrong(s, b), 0, 0.02)
	s:eval('world:Travel("steps")')
	t:within(5, function() return a:controller() and b:controller() and s:controller(a) and s:controller(b) end)
	t:run(2)
	t:eq({ s:pace(), s.time }, { 0, 0 })
	t:eq({ (a:pace()), (b:pace()) }, { 0, 0 })
	t:eq({ a.time, b.time }, { 0, 0 })
	b:leave()
	t:run(0.5)
	b:join()
	t:within(5, function() return b:controller() end)
	t:run(1)
	t:eq({ b:pace(), b.time }, { 0, 0 })
	s:pace(0.5)
	t:run(2)
	t:near(s.time, 1, 0.02)
	t:near(a.time, 1, 0.06)
	t:near(b.time, 1, 0.06)
	t:near(wrong(s, a), 0, 0.03)
	t:near(wrong(s, b), 0, 0.03)
end)

scenario("pace: the message arrives although packets are lost", { transport = "sim" }, function(t)
	local s, a = match(t, "GameInfo", { name = "a", lag = 0.05 })
	a:lose("down", 1, 2, 3, 4)
	s:pace(0)
	t:run(0.1)
	t:eq(a:pace(), 1)
	t:run(1.5)
	t:eq(a:pace(), 0)
	local at = a.time
	t:near(wrong(s, a), 0, 1e-3)
	t:run(1)
	t:eq(a.time, at)
	a:lose("down", 1, 2, 3, 4)
	s:pace(1)
	t:run(2.5)
	t:eq(a:pace(), 1)
	t:gt(a.time, at + 0.5)
	t:near(wrong(s, a), 0, 0.03)
end)

scenario("pace: the clocks, the connection and the script budgets outlive a pause of 60 s", { budget = 150, transport = "sim" }, function(t)
	local s, a = match(t, "Duel", { name = "a", lag = 0.1, jitter = 0.02, loss = 0.02 })
	net.hold(t, a, { forward = 1 }, 2)
	s:pace(0)
	t:run(60)
	t:near(wrong(s, a), 0, 0.03)
	local real = s:eval("return world.RealTimeSeconds - world.TimeSeconds")
	s:pace(1)
	t:run(0.6)
	t:eq(s:eval("return world.RealTimeSeconds - world.TimeSeconds"), real)
	for _ = 1, 50 do
		t:run(0.1)
		t:near(wrong(s, a), 0, 0.03)
	end
	t:eq({ s:controller(a).found, a.error, next(s:throttled()), next(a:throttled()) }, { nil, nil, nil, nil })
end)

-- What a walking player's clock may be found to be, over changes of pace that follow each other.
local LINK = { name = "a", lag = 0.2, jitter = 0.02, loss = 0.05 }

scenario("pace: changes of speed over 200 ms and 5 % loss: no move is held to real time", { seeds = 5, budget = 150, transport = "sim" }, function(t)
	local s, a = match(t, "Duel", LINK)
	net.hold(t, a, { forward = 1 }, 3)
	for _, scale in ipairs{ 4, 2, 1, 0.5, 0.25, 0.1, 0.5, 1, 2, 4, 1, 0.25, 3, 0, 2, 1 } do
		s:pace(scale)
		t:run(2.6)
	end
	t:run(6)
	t:eq({ s:controller(a).found, a.error }, { nil, nil })
end)

scenario("pace: shots count as before over changes of pace, 200 ms and 5 % loss, and most still hit", { seeds = 3, budget = 150, transport = "sim" }, function(t)
	t:scripts [[
		local Long = class("Long", "Gallery")
		Long.defaults { MaxRecordTime = 1.5 }
	]]
	local s, a, target = range.stand(t, "Long", LINK)
	t:run(6)
	net.hold(t, a, { fire = true }, 2)
	local rounds = s:pawn(a).Weapon.Rounds
	local refused, claims = rounds.Refused, s:controller(a):GetRefusedClaims()
	local shots, hits = rounds.Shots, target.Hits
	for _, scale in ipairs{ 0, 1, 0.25, 1, 0, 0.5, 2, 1, 0, 1, 0, 1, 0.1, 1 } do
		s:pace(scale)
		t:run(2.2)
	end
	t:run(4)
	rounds = s:pawn(a).Weapon.Rounds
	t:gt(rounds.Shots - shots, 80)
	-- Without changes of pace this link has one in every sixth run: a shot whose unreliable call was lost.
	t:le(s:controller(a):GetRefusedClaims() - claims, 1)
	t:eq(rounds.Refused - refused, 0)
	t:gt(target.Hits - hits, 0.6 * (rounds.Shots - shots))
	t:eq({ s:controller(a).found, a.error }, { nil, nil })
end)

-- A client that ignores the pace moves no farther than the world's time allows.
for_each({ 0, 0.25 }, function(scale)
	scenario(("pace: a client that ignores a scale of %g is found, and held to the world's time"):format(scale), { seeds = 3, transport = "sim" }, function(t)
		local s, a = match(t, "Duel", { name = "a", lag = 0.05, unpaced = true })
		t:run(2)
		s:pace(scale)
		t:run(0.5)
		a:input{ forward = 1 }
		local from, at = s:pawn(a).Location, s.time
		t:run(20)
		t:ne(s:controller(a).found, nil)
		t:ok(s:controller(a).bHeldToTime)
		t:le(s:pawn(a).Location:Distance(from), 200 * (s.time - at + 0.8))
		s:pace(1)
		t:run(5)
		t:le(s:pawn(a).Location:Distance(from), 200 * (s.time - at + 0.8))
	end)
end)
