-- Section 9 of the rules: moves that the player's machine makes at once and the server after it, R9.1 to R9.5 and R9.8.

local net = require("shared.net")
local holds = net.holds
local shared = require("shared.moves")
local numbers, told = shared.numbers, shared.told

-- A client that is in and whose first moves are answered; the server's pawn of it.
local function player(t, level, options, game)
	local s, a, pawn = net.player(t, { level = level, game = game or "GameInfo" }, options)
	t:run(1 + 2 * (options and options.lag or 0))
	return s, a, pawn
end

local function functionsOf(t, client, name) return t:traffic(client).by_function["PlayerController." .. name] end

local function received(t, client) local f = functionsOf(t, client, "ServerMove") return f and f.received or 0 end

-- Runs, jumps, crouches and turns about for some seconds, and not far from the middle of the level.
local function roam(t, client, seconds, random)
	local left = seconds
	while left > 0 do
		local at = client:pawn().Location
		local yaw = math.floor(random() * 65536)
		if at:Size2D() > 1800 then yaw = (-at):Rotation().Yaw end
		local strafe = random() < 0.3 and (random() < 0.5 and 1 or -1) or 0
		client:input{
			forward = random() < 0.9 and 1 or 0, strafe = strafe, yaw = yaw,
			run = random() < 0.2, crouch = random() < 0.1, jump = random() < 0.4,
		}
		local d = 0.1 + random()
		t:run(d / 2)
		net.hold(t, client, { jump = false }, d / 2)
		left = left - d
	end
end

scenario("R9.1 the player's own pawn moves in the tick of the key, the server's a way later", function(t)
	local _, a, pawn = player(t, "flat", { lag = 0.1 })
	local from, there = a:pawn().Location, pawn.Location
	a:input{ forward = 1 }
	t:ticks(2)
	t:gt((a:pawn().Location - from).X, 0)
	t:eq(pawn.Location, there)
	t:run(0.07)
	t:eq(pawn.Location, there)
	t:run(0.1)
	t:gt((pawn.Location - there).X, 0)
	t:run(0.8)
	net.hold(t, a, { forward = 0 }, 1)
	t:eq(a:pawn().Location, pawn.Location, "to the last bit")
	t:eq({ a:pawn().Velocity, #a:corrections() }, { vector(), 0 })
end)

scenario("R9.1 stamps are the client's: a server that ticks at another rate leads the pawn to the same place", function(t)
	local s, a = net.play(t, { tick = 20, net = 20 }, { name = "a", lag = 0.03 })
	t:run(1)
	net.hold(t, a, { forward = 1, strafe = 0.5 }, 1)
	net.hold(t, a, { jump = true }, 2)
	net.hold(t, a, { forward = 0, strafe = 0 }, 1)
	t:eq({ a:pawn().Location, #a:corrections() }, { s:pawn(a).Location, 0 })
end)

for_each({ 60, 144 }, function(tick)
	scenario("R9.2 moves are put together: at " .. tick .. " ticks a second no more than 30 packets go up", function(t)
		local _, a = player(t, "flat", { tick = tick })
		net.hold(t, a, { forward = 1 }, 0.5)
		local before, up = received(t, a), t:traffic(a).up
		t:run(4)
		local after = t:traffic(a).up
		t:near(received(t, a) - before, 120, 10, "calls in 4 s")
		t:le(after.packets - up.packets, 4 * 31 + 1)
		for i = 1, 240 do -- and no more though every tick has another direction
			a:input{ yaw = i * 3000 % 65536, jump = i % 7 == 0 }
			t:ticks(1)
		end
		t:le(t:traffic(a).up.packets - after.packets, 4 * 31 + 1)
		t:run(0.5)
		t:eq(a:controller().CorrectionCount, 0)
	end)
end)

scenario("R9.2 two moves in one call: the server performs both", function(t)
	t:scripts [[
		local Counter = class("Counter", "PlayerController")
		Counter.properties { Performed = int(0), Longest = float(0) }
		function Counter:MoveAutonomous(move)
			self.Performed = self.Performed + 1
			self.Longest = math.max(self.Longest, move.Delta)
			return Counter.super.MoveAutonomous(self, move)
		end
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { PlayerControllerClass = "Counter" }
	]]
	local s, a = player(t, "flat", {}, "Duel")
	local pc = s:controller(a)
	net.hold(t, a, { forward = 1 }, 0.5)
	local function calls() return t:traffic(a).by_function["Counter.ServerMove"].received end
	local before, performed = calls(), pc.Performed
	pc.Longest = 0
	for i = 1, 60 do
		a:input{ yaw = i * 8192 % 65536 } -- every tick another direction: none can be put together
		t:ticks(1)
	end
	t:near(pc.Performed - performed, 60, 3)
	t:near(calls() - before, 30, 3)
	t:lt(pc.Longest, 0.03)
	t:eq(a:controller().CorrectionCount, 0)
end)

scenario("R9.2 one lost packet loses no jump and no turn", { seeds = 5 }, function(t)
	local s, a, pawn = player(t, "flat", { lag = 0.05 })
	local random = numbers(t:seed())
	for i = 1, 12 do
		a:input{ forward = 1, yaw = math.floor(random() * 65536) }
		t:run(0.2 + random() * 0.1)
		-- The packet with the press is lost.
		a:link{ loss = 1 }
		net.hold(t, a, { jump = true, yaw = math.floor(random() * 65536) }, 0.033)
		a:link{ loss = 0 }
		net.hold(t, a, { jump = false }, 0.4)
		t:eq(pawn.Physics, PHYS_Falling, "jump " .. i)
		t:run(0.7)
	end
	t:eq({ told(a:corrections(), 0), s:controller(a).bHeldToTime }, { "", false })
end)

scenario("R9.2 two packets lost in a row, in which the player runs into a wall, lose nothing", { seeds = 5, transport = "sim" }, function(t)
	local s, a, pawn = player(t, "wall", { lag = 0.05, tick = 144 })
	local from = vector(300, 0, 88.1)
	local wall = pawn:Trace(from, from + vector(5000, 0, 0))
	t:ok(wall)
	local random = numbers(t:seed())
	for i = 1, 12 do
		pawn:SetLocation(wall.Location - vector(90, 300, 0))
		net.hold(t, a, { forward = 0 }, 0.7)
		local before = #a:corrections()
		a:input{ forward = 1, yaw = 16384 } -- along the wall, and then against it and back
		t:run(0.4)
		a:input{ yaw = 65536 - math.floor(4000 + 6000 * random()) }
		t:within(1, function() return a:pawn().Location.X > wall.Location.X - 50 + 12 * random() end)
		a:link{ loss = 1 }
		t:run(0.066)
		a:link{ loss = 0 }
		t:run(0.3)
		t:eq(told(a:corrections(), before), "", "run " .. i)
	end
	t:eq(s:controller(a).bHeldToTime, false)
end)

for_each({ 60, 144 }, function(tick)
	local name = "R9.2 three packets lost in a row, in which the player sets out or turns, lose nothing: at " .. tick .. " ticks a second"
	scenario(name, { seeds = 5, transport = "sim" }, function(t)
		local s, a, pawn = player(t, "flat", { lag = 0.05, tick = tick })
		local random = numbers(t:seed())
		for i = 1, 12 do
			if i % 2 == 1 then
				pawn:SetLocation(vector(0, 0, 88.1))
				net.hold(t, a, { forward = 0 }, 0.9)
			end
			t:run(0.3 + 0.05 * random())
			local before = #a:corrections()
			a:link{ loss = 1 }
			net.hold(t, a, { forward = 1, yaw = math.floor(random() * 65536) }, 0.095)
			a:link{ loss = 0 }
			t:run(0.3)
			t:eq(told(a:corrections(), before), "", "time " .. i)
		end
		t:eq(s:controller(a).bHeldToTime, false)
	end)
end)

scenario("R9.2 five packets lost in a row lose no jump", { seeds = 5, transport = "sim" }, function(t)
	local _, a, pawn = player(t, "flat", { lag = 0.05 })
	a:input{ forward = 1 }
	for i = 1, 5 do
		net.hold(t, a, { yaw = i * 20000 % 65536 }, 0.5 + 0.01 * i)
		a:link{ loss = 1 }
		a:input{ jump = true }
		t:ticks(2)
		a:input{ jump = false }
		t:run(0.13) -- with the two ticks before, five packets
		a:link{ loss = 0 }
		t:run(0.3)
		t:eq(pawn.Physics, PHYS_Falling, "jump " .. i)
		t:within(2, function() return pawn.Physics == PHYS_Walking end)
	end
end)

scenario("R9.2 R4.1 upstream at 60 Hz input: at most 900 B/s of moves, 3 000 with all headers", { seeds = 5 }, function(t)
	local s, a = player(t, "arena", { lag = 0.075, jitter = 0.015, loss = 0.02 })
	local random = numbers(t:seed())
	t:run(1)
	local before, idle = t:traffic(a).up, received(t, a)
	local from = s.time
	roam(t, a, 20, random)
	local after, seconds = t:traffic(a).up, s.time - from
	t:gt((received(t, a) - idle) / seconds, 20)
	t:le((after.packets - before.packets) / seconds, 33)
	t:le((after.bytes - before.bytes) / seconds, 3000)
	-- A packet has eight bytes of numbers and acknowledgements, at most eleven, before what it says.
	t:le((after.payload - before.payload - 8 * (after.packets - before.packets)) / seconds, 900)
end)

-- How a player turns who never stops turning: their view in the next sixtieth of a second.
local turns = {
	["steadily, 300 degrees a second"] = function(yaw) return yaw + 910, 2000 end,
	["steadily, 1 000 degrees a second"] = function(yaw) return yaw + 3034, 63000 end,
	["like a hand with a mouse"] = function(yaw, random, state)
		state.speed = state.speed * 0.95 + (random() - 0.5) * 800
		state.time = state.time + 1 / 60
		return yaw + state.speed, 3000 * math.sin(state.time)
	end,
	["anywhere, every time"] = function(_, random) return random() * 65536, 0 end,
}
for_each({
	{ "steadily, 300 degrees a second", 1, 0 }, { "steadily, 1 000 degrees a second", 0, -1 },
	{ "like a hand with a mouse", 1, 1 }, { "anywhere, every time", 1, 0 },
}, function(case)
	local how, forward, strafe = case[1], case[2], case[3]
	local name = ("R9.2 R4.1 upstream of a player who turns nonstop, %s: at most 900 B/s of moves, 3 000 with all headers"):format(how)
	scenario(name, { seeds = 5 }, function(t)
		local s, a = player(t, "arena", { lag = 0.075, jitter = 0.015, loss = 0.02 })
		local random, state = numbers(t:seed()), { speed = 0, time = 0 }
		t:run(1)
		local before, idle, corrections = t:traffic(a).up, received(t, a), #a:corrections()
		local from, yaw = s.time, 0
		for i = 1, 10 * 60 do
			local pitch
			yaw, pitch = turns[how](yaw, random, state)
			yaw = math.floor(yaw) % 65536
			a:input{ forward = forward, strafe = strafe, yaw = yaw, pitch = math.floor(pitch) % 65536, jump = i % 70 == 0 }
			t:ticks(1)
		end
		local after, seconds = t:traffic(a).up, s.time - from
		t:gt((received(t, a) - idle) / seconds, 25)
		t:le((after.bytes - before.bytes) / seconds, 3000)
		t:le((after.payload - before.payload - 8 * (after.packets - before.packets)) / seconds, 900)
		t:eq(told(a:corrections(), corrections), "")
	end)
end)

scenario("R9.3 what crosses of a move is exact: the server gets the numbers that the client moved by", function(t)
	local s = t:server{}
	local wrong = s:eval [[
		local movecode = require("lib.movecode")
		local function any(n) return math.random(0, n) end
		for _ = 1, 2000 do
			local view, accel = rotator(0, any(65535), 0), any(4095) + 4096 * math.random(1, 15) + 65536 * any(4095)
			local number = movecode.PackAcceleration(accel, view)
			if number < 1 or number > 268435455 or movecode.UnpackAcceleration(number, view) ~= accel then
				return ("acceleration %d at yaw %d"):format(accel, view.Yaw)
			end
			local old, oldFlags, turn = any(1) == 0 and any(268435455) or accel - accel % 4096 + any(4095), any(255), any(4095)
			local longer = any(2) > 0 and (any(1) == 0 and any(2) - 1 or any(20000) - 10000) or nil
			local one, other, turned = movecode.PackEarlier(accel, 7, turn, longer, old, oldFlags)
			local accel2, flags2, turn2, longer2 = movecode.UnpackEarlier(accel, 7, turn, longer == nil, one, other)
			if one < 1 or one > 1073741823 or other > 16777216 or accel2 ~= old or flags2 ~= oldFlags or turn2 ~= turned or longer2 ~= (longer or 0) then
				return ("%d after %d, turned by %d, longer by %s"):format(accel, old, turn, tostring(longer))
			end
		end
		return movecode.PackAcceleration(0, rotator(0, 5000, 0)) == 0 and movecode.UnpackAcceleration(0, rotator(0, 5000, 0)) == 0
	]]
	t:eq(wrong, true)
end)

scenario("R9.3 moves that come twice or late are no moves", { seeds = 5 }, function(t)
	local _, a, pawn = player(t, "flat", { lag = 0.03, jitter = 0.02, dup = 0.5, reorder = 0.4 })
	roam(t, a, 10, numbers(t:seed()))
	net.hold(t, a, { forward = 0, strafe = 0, jump = false, crouch = false }, 2)
	t:eq({ a:pawn().Location, told(a:corrections(), 0) }, { pawn.Location, "" })
end)

scenario("R9.3 every move is acknowledged, once a server tick at most", function(t)
	local _, a = player(t, "flat", { lag = 0.05 })
	local before, moves = functionsOf(t, a, "ClientAckGoodMove").count, received(t, a)
	net.hold(t, a, { forward = 1 }, 2)
	local acks = functionsOf(t, a, "ClientAckGoodMove").count - before
	t:near(acks, received(t, a) - moves, 2)
	t:le(acks, 2 * 60)
	t:near(a:controller().Ping, 0.117, 0.03, "the ping is measured from the stamps")
end)

for_each({ { 1.5, false }, { 2, true } }, function(case)
	scenario("R9.3 an error of " .. case[1] .. " uu is " .. (case[2] and "corrected" or "none"), function(t)
		local s, a, pawn = player(t, "flat")
		net.hold(t, a, { forward = 1 }, 0.5)
		pawn:SetLocation(pawn.Location + vector(0, case[1], 0))
		t:run(0.5)
		t:eq(a:controller().CorrectionCount, case[2] and 1 or 0)
		t:run(0.5)
		net.hold(t, a, { forward = 0 }, 1)
		t:near(a:pawn().Location:Distance(pawn.Location), case[2] and 0 or case[1], 0.01)
		t:near(s:controller(a).MaxPositionError, 1.7, 1e-6)
	end)
end)

scenario("R9.3 a correction's numbers cross as full floats: after it both are equal to the last bit", { seeds = 5 }, function(t)
	local _, a, pawn = player(t, "flat", { lag = 0.07, jitter = 0.02 })
	local random = numbers(t:seed())
	for _ = 1, 5 do
		net.hold(t, a, { forward = 1, yaw = math.floor(random() * 65536) }, 0.3)
		pawn:SetLocation(pawn.Location + vector(random() * 40, random() * 40, 10 + random()))
		t:run(1)
		net.hold(t, a, { forward = 0 }, 1.5)
		holds(t, a:pawn(), { Location = pawn.Location, Velocity = pawn.Velocity })
	end
end)

scenario("R9.3 moves made before the last correction can have arrived are not corrected again", function(t)
	local _, a, pawn = player(t, "flat", { lag = 0.15 })
	net.hold(t, a, { forward = 1 }, 0.5)
	for i = 1, 5 do
		pawn:SetLocation(pawn.Location + vector(0, 50, 0))
		t:run(1)
		t:eq(a:controller().CorrectionCount, i)
	end
end)

scenario("R9.3 a correction that is lost is said again after a round trip, the first of a match, too", function(t)
	local _, a, pawn = player(t, "flat", { lag = 0.05 })
	net.hold(t, a, { forward = 1 }, 0.5)
	t:eq(a:controller().CorrectionCount, 0)
	a:link{ loss_down = 1 }
	pawn:SetLocation(pawn.Location + vector(0, 100, 0))
	t:run(0.2)
	a:link{ loss_down = 0 }
	t:within(0.5, function() return math.abs(a:pawn().Location.Y - pawn.Location.Y) < 1 end)
end)

scenario("R9.3 a player who does nothing is told at once when he was moved", function(t)
	local s, a, pawn = player(t, "flat", { lag = 0.05 })
	t:run(2)
	pawn:SetLocation(vector(500, 300, 88.5))
	t:run(0.2)
	t:near(a:pawn().Location:Distance(pawn.Location), 0, 1)
	t:run(2)
	pawn:AddMomentum(vector(300, 0, 400))
	t:run(0.25)
	t:gt(a:pawn().Location.Z, 100)
	t:run(1.5)
	t:eq(a:pawn().Location, pawn.Location)
	t:gt(pawn.Location.X, 600)
	t:eq(s:controller(a).bHeldToTime, false)
end)

scenario("R9.3 a pawn whose player is silent does not hang in the air", function(t)
	local s, a, pawn = player(t, "flat", { lag = 0.05 })
	a:input{ jump = true, forward = 1 }
	t:within(1, function() return pawn.Location.Z > 120 end)
	a:link{ loss = 1 }
	t:within(2, function() return pawn.Physics == PHYS_Walking and pawn.Velocity == vector() end)
	t:near(pawn.Location.Z, 88, 0.5)
	t:run(1)
	a:link{ loss = 0 }
	t:run(1.5)
	net.hold(t, a, { forward = 0 }, 1)
	t:eq({ a:pawn().Location, s:controller(a).bHeldToTime }, { pawn.Location, false })
end)

scenario("R9.3 who was silent is heard again, also where his moves have become slower on the way", { seeds = 5, transport = "sim" }, function(t)
	local s, a, pawn = player(t, "flat", { lag = 0.03, jitter = 0.01 })
	for i = 1, 4 do
		net.hold(t, a, { forward = 1, yaw = i * 16384 % 65536 }, 0.5)
		a:link{ loss = 1 }
		t:run(1.2)
		a:link{ loss = 0, lag = i % 2 == 1 and 0.1 or 0.03 }
		t:run(1.2)
		t:gt(pawn.Velocity:Size2D(), 430, "time " .. i)
		net.hold(t, a, { forward = 0 }, 1.5)
		t:near(a:pawn().Location:Distance(pawn.Location), 0, 0.01)
	end
	t:no(s:controller(a).bHeldToTime)
end)

scenario("R9.4 after a correction the moves since are done again: the pawn is ahead by the way there and back", function(t)
	local _, a, pawn = player(t, "flat", { lag = 0.1 })
	net.hold(t, a, { forward = 1 }, 1)
	local ahead = a:pawn().Location.X - pawn.Location.X
	pawn:SetLocation(pawn.Location + vector(0, 200, 0))
	t:within(1, function() return a:controller().CorrectionCount == 1 end)
	t:ticks(1)
	t:near(a:pawn().Location.X - pawn.Location.X, ahead, 16)
	t:near(a:pawn().Location.Y, pawn.Location.Y, 0.01)
end)

scenario("R9.4 what is seen glides to the corrected place, what scripts know is there at once", function(t)
	local _, a, pawn = player(t, "flat", { lag = 0.02 })
	local before = a:pawn().Location
	pawn:SetLocation(before + vector(0, 80, 0.1))
	t:within(1, function() return a:controller().CorrectionCount == 1 end)
	t:ticks(1)
	local seen = function() return a:pawn():GetVisualLocation() end
	t:near(a:pawn().Location.Y - before.Y, 80, 0.01)
	t:lt(seen().Y - before.Y, 60)
	t:run(0.1)
	t:gt(seen().Y - before.Y, 50)
	t:run(0.5)
	t:near(seen(), a:pawn().Location, 0.1)
end)

scenario("R9.8 for every correction the client can say what differed, both values, the move and its inputs", function(t)
	local _, a, pawn = player(t, "flat", { lag = 0.05 })
	net.hold(t, a, { forward = 1, yaw = 8192, pitch = 1024 }, 0.5)
	t:eq(#a:corrections(), 0)
	pawn:SetLocation(pawn.Location + vector(0, 0, 300))
	t:run(1)
	t:ge(#a:corrections(), 1)
	local c = a:corrections()[1]
	t:eq(c.field, "Physics")
	t:eq({ c.client, c.server }, { PHYS_Walking, PHYS_Falling })
	t:gt(c.time, 0.5)
	t:eq(c.move.view, rotator(1024, 8192, 0))
	t:near(c.move.accel, vector(2048, 0, 0):Size() * vector(0.70710678, 0.70710678, 0), 1)
	t:near(c.move.delta, 1 / 30, 0.02)
	t:eq({ c.move.flags, #a:corrections() }, { 0, a:controller().CorrectionCount })
	net.hold(t, a, { forward = 0 }, 1)
	local n = #a:corrections()
	pawn:SetLocation(pawn.Location + vector(30, 0, 0))
	t:run(0.5)
	c = a:corrections()[n + 1]
	t:eq(c.field, "Location")
	t:near((c.server - c.client).X, 30, 0.1)
end)

-- What of a level moves by itself stands still: the rule is about static geometry.
local function still(s)
	for _, mover in ipairs(s:actors("Mover")) do mover.bTriggerOnly = true end
	for _, class in ipairs { "VehicleFactory", "Vehicle", "Destructible", "RigidBody" } do
		for _, thing in ipairs(s:actors(class)) do
			if thing.alive then thing:Destroy() end
		end
	end
end

local spots = {
	steps = { vector(300, -1600, 88.1), vector(300, -800, 88.1), vector(300, 0, 88.1), vector(300, 800, 88.1) },
	wall = { vector(300, 0, 88.1) },
}
for_each({ "flat", "wall", "steps", "arena", "estuary" }, function(level)
	for_each({
		{ 0.15, 0.03, 0.02, 60, 0 }, { 0.075, 0.03, 0.05, 144, 0 }, { 0.075, 0.03, 0, 20, 0 }, { 0.3, 0.03, 0.05, 60, 1 },
	}, function(case)
		local name = ("R9.5 no corrections on %s: %g ms, %g %% loss, %d ticks a second"):format(level, case[1] * 1000, case[3] * 100, case[4])
		scenario(name, { seeds = 5, transport = "sim" }, function(t)
			local s, a, pawn = player(t, level, { lag = case[1], jitter = case[2], loss = case[3], tick = case[4] })
			still(s)
			local list = spots[level]
			if list then
				pawn:SetLocation(list[t:seed() % #list + 1])
				t:run(2)
			end
			local before = #a:corrections()
			roam(t, a, 22, numbers(t:seed()))
			if #a:corrections() - before > case[5] then t:eq(told(a:corrections(), before), "") end
			t:eq(s:controller(a).bHeldToTime, false)
		end)
	end)
end)

scenario("R9.5 none while riding a lift, at most one on boarding it", { seeds = 5 }, function(t)
	local s, a, pawn = player(t, "steps", { lag = 0.15, jitter = 0.03, loss = 0.02 })
	local lift = s:actors("Mover")[1]
	pawn:SetLocation(vector(500, 1600, 88.1))
	t:run(2)
	local before = #a:corrections()
	lift.StayOpenTime, lift.bLoop = 0.5, true
	a:input{ forward = 1 }
	t:within(3, function() return pawn.Base == lift end)
	net.hold(t, a, { forward = 0 }, 0.5)
	t:le(#a:corrections() - before, 1)
	before = #a:corrections()
	local random, from = numbers(t:seed()), s.time
	while s.time - from < 60 do
		local off = a:pawn().Location - a:copy(lift).Location
		local yaw = math.floor(random() * 65536)
		if off:Size2D() > 40 then yaw = (-off):Rotation().Yaw end
		a:input{ forward = random() < 0.6 and 0.25 or 0, yaw = yaw }
		t:run(0.1 + random() * 0.1)
	end
	t:eq({ pawn.Base, told(a:corrections(), before) }, { lift, "" })
end)

-- A player on a lift that goes back and forth; it walks off, and what was corrected by that.
local function leave(t, a, pawn, lift, when)
	pawn:SetLocation(lift.Location + vector(0, 0, 97))
	t:run(1.5)
	t:within(20, function() return pawn.Base == lift and when(a:copy(lift).Velocity.Z) end)
	t:run(0.3)
	local before = #a:corrections()
	net.hold(t, a, { forward = 1, yaw = 32768 }, 1.2)
	net.hold(t, a, { forward = 0 }, 1)
	t:no(pawn.Base)
	t:near(pawn.Location:Distance(a:pawn().Location), 0, 0.2)
	return #a:corrections() - before
end

for_each({
	{ "going up", function(v) return v > 0 end }, { "going down", function(v) return v < 0 end },
	{ "at its ends", function(v) return v == 0 end },
}, function(case)
	scenario("R9.5 stepping off a lift: no corrections but where it is flush with the floor: " .. case[1], { seeds = 5, transport = "sim" }, function(t)
		local s, a, pawn = player(t, "steps", { lag = 0.15, jitter = 0.03, loss = 0.02 })
		local lift = s:actors("Mover")[1]
		lift.StayOpenTime, lift.bLoop, lift.MoveTime = 1.5, true, 4
		lift:GotoState("Opening")
		local count = 0
		for _ = 1, 6 do count = count + leave(t, a, pawn, lift, case[2]) end
		t:le(count, 1)
	end)
end)

for_each({ { "aside", "vector(0, 6, 0)" }, { "up by more than the lift can have moved", "vector(0, 0, 70)" } }, function(case)
	scenario("R9.3 who steps off a lift is believed no more than the lift explains: " .. case[1], function(t)
		t:scripts([[
			local Liar = class("Liar", "PlayerController")
			function Liar:CallServerMove(move, one, two, three)
				if move.Base then
					self.rode = true
				elseif self.rode then
					move.Location = move.Location + ]] .. case[2] .. [[
				end
				Liar.super.CallServerMove(self, move, one, two, three)
			end
			local Duel = class("Duel", "GameInfo")
			Duel.defaults { PlayerControllerClass = "Liar" }
		]])
		local s, a, pawn = player(t, "steps", { lag = 0.05 }, "Duel")
		local lift = s:actors("Mover")[1]
		lift.StayOpenTime, lift.bLoop, lift.MoveTime = 1.5, true, 4
		lift:GotoState("Opening")
		t:ge(leave(t, a, pawn, lift, function(v) return v > 0 end), 1)
	end)
end)

scenario("R9.5 a lift that has stopped is where it is, also on the client", function(t)
	local s, a, pawn = player(t, "steps", { lag = 0.1 })
	local lift = s:actors("Mover")[1]
	pawn:SetLocation(lift.Location + vector(0, 0, 96.1))
	t:within(5, function() return lift.Location.Z > 263 and lift.Velocity == vector() end)
	t:run(0.5)
	t:near(a:copy(lift).Location.Z, lift.Location.Z, 0.5)
	t:eq(a:copy(lift).Velocity, vector())
end)
