-- Section 9 of the rules, R9.9: the two abilities of the sample game's pawn, a dash and a jet pack.

local shared = require("shared.moves")
local numbers, told = shared.numbers, shared.told

-- The sample's game, with pawns that count what their abilities do, and without other things to run into.
local COUNTED = [[
	local CountedDash = class("CountedDash", "DashAbility")
	CountedDash.properties { Dashes = int(0) }
	function CountedDash:Dash(chance)
		self.Dashes = self.Dashes + 1
		CountedDash.super.Dash(self, chance)
	end

	local CountedJet = class("CountedJet", "JetPack")
	CountedJet.properties { Burnt = float(0) } -- seconds
	function CountedJet:ProcessMove(move)
		CountedJet.super.ProcessMove(self, move)
		if self.bBurning then self.Burnt = self.Burnt + move.Delta end
	end

	local Flyer = class("Flyer", "ShooterPawn")
	Flyer.components { Dash = "CountedDash", Jet = "CountedJet" }

	local Sky = class("Sky", "DeathMatch")
	Sky.defaults { DefaultPawnClass = "Flyer" }
]]

local LINE = { name = "a", lag = 0.15, jitter = 0.03, loss = 0.02 }

local function player(t, options)
	t:scripts(COUNTED)
	local s = t:server{ game = "Sky" }
	local a = t:client(options)
	t:within(8, function() return s:pawn(a) and a:controller() and a:pawn() and a:pawn().Weapon end)
	t:run(1 + 2 * (options.lag or 0))
	return s, a, s:pawn(a)
end

-- Runs, turns, jumps, dashes and flies for some seconds. Shots would throw nobody here.
local function romp(t, a, seconds, random)
	local left = seconds
	while left > 0 do
		local at = a:pawn().Location
		local yaw = math.floor(random() * 65536)
		if at:Size2D() > 1800 then yaw = (-at):Rotation().Yaw end
		a:input{
			forward = random() < 0.9 and 1 or 0, strafe = random() < 0.3 and 1 or 0, yaw = yaw,
			pitch = random() < 0.5 and 60000 or 2000,
			up = random() < 0.5 and 1 or 0, jump = random() < 0.3, altfire = random() < 0.5, crouch = random() < 0.1,
		}
		local d = 0.1 + random() * 0.6
		t:run(d / 2)
		a:input{ altfire = false, jump = false }
		t:run(d / 2)
		left = left - d
	end
	a:input{ forward = 0, strafe = 0, up = 0, jump = false, altfire = false, crouch = false }
	t:run(3)
end

scenario("R9.9 R9.5 the sample's dash and jet pack, both used all the time for a minute: no corrections", { seeds = 5 }, function(t)
	local s, a, pawn = player(t, LINE)
	local before = #a:corrections()
	romp(t, a, 60, numbers(t:seed()))
	t:eq(told(a:corrections(), before), "")
	t:ge(pawn.Dash.Dashes, 8)
	t:eq(a:pawn().Dash.Dashes, pawn.Dash.Dashes)
	t:ge(pawn.Jet.Burnt, 5)
	t:run(4)
	t:near(a:pawn().Jet.Fuel, pawn.Jet.Fuel, 1e-5)
	t:near(a:pawn().Location:Distance(pawn.Location), 0, 1)
	t:eq(s:controller(a).RefusedInputs, 0, table.concat(s:log(), "\n"))
end)

scenario("R9.9 the jet pack lifts its player at once, until the tank is empty, and only then fills again", { seeds = 5 }, function(t)
	local _, a, pawn = player(t, LINE)
	local from, before = a:pawn().Location.Z, #a:corrections()
	a:input{ up = 1 }
	t:ticks(6)
	t:gt(a:pawn().Location.Z, from + 0.5, "at once")
	t:near(pawn.Location.Z, from, 0.1, "the server does not know yet")
	t:run(0.5)
	t:gt(pawn.Location.Z, from + 5)
	t:eq(a:pawn().GravityScale, 1 - a:pawn().Jet.Thrust)
	t:run(0.6)
	t:eq(pawn.Jet.bBurning, false, "0.8 s are over")
	t:eq(pawn.GravityScale, 1)
	-- The key stays down: it starts again with a quarter of a tank, one second later.
	t:within(1.5, function() return pawn.Jet.bBurning end)
	t:ge(pawn.Jet.Fuel, 0.1) -- where a packet was lost, all moves that it held back are made in this tick
	a:input{ up = 0 }
	t:run(6)
	t:eq({ pawn.Jet.Fuel, a:pawn().Jet.Fuel, told(a:corrections(), before) }, { 1, 1, "" })
end)

scenario("R9.9 W3.1 its player sees the jet pack burn at once, others as soon as they hear of it", function(t)
	local s, a, pawn = player(t, LINE)
	local b = t:client { name = "b" }
	t:within(8, function() return s:pawn(b) and b:copy(pawn) end)
	t:eq({ a:pawn().bJetBurning, b:copy(pawn).bJetBurning }, { false, false })
	a:input { up = 1 }
	t:run(0.1)
	t:ok(a:pawn().bJetBurning, "it is predicted")
	t:within(1, function() return b:copy(pawn).bJetBurning end)
	a:input { up = 0 }
	t:run(0.1)
	t:no(a:pawn().bJetBurning)
	t:within(1, function() return not b:copy(pawn).bJetBurning end)
end)

scenario("R9.9 a client that fills its tank by itself flies no longer than the server's fuel lasts", function(t)
	local _, a, pawn = player(t, { name = "a", lag = 0.05 })
	local before = #a:corrections()
	a:input{ up = 1 }
	for _ = 1, 60 do
		a:pawn().Jet.Fuel = 1
		t:ticks(2)
	end
	t:lt(pawn.Jet.Burnt, 1.3)
	t:gt(#a:corrections(), before)
	t:eq(a:corrections()[before + 1].field, "Jet.Fuel")
	a:input{ up = 0 }
	t:run(6)
	t:near(a:pawn().Location:Distance(pawn.Location), 0, 1)
end)

scenario("R9.9 whoever leaves a pawn in flight leaves it to its weight", function(t)
	local s, a, pawn = player(t, { name = "a", lag = 0.05 })
	a:input{ up = 1 }
	t:within(1, function() return pawn.Jet.bBurning end)
	s:controller(a):UnPossess()
	t:eq(pawn.GravityScale, 1)
	t:within(2, function() return pawn.Physics == PHYS_Walking end)
end)

for_each({ { mode = "listen" }, { mode = "standalone" } }, function(case)
	scenario("R9.9 the player of a " .. case.mode .. " host dashes and flies at once", function(t)
		t:scripts(COUNTED)
		local s = t:server{ game = "Sky", mode = case.mode }
		t:within(3, function() return s:pawn() and s:pawn().Weapon end)
		t:run(0.5)
		local pawn = s:pawn()
		s:input{ forward = 1, altfire = true }
		t:ticks(2)
		t:gt(pawn.Velocity:Size2D(), 800)
		s:input{ altfire = false, forward = 0 }
		t:run(2)
		t:eq(pawn.Dash.Dashes, 1)
		local from = pawn.Location.Z
		s:input{ up = 1 }
		t:run(0.7)
		t:gt(pawn.Location.Z, from + 50)
		s:input{ up = 0 }
		t:run(5)
		t:eq(pawn.Jet.Fuel, 1)
		t:near(pawn.Jet.Burnt, 0.7, 0.05)
	end)
end)

scenario("R9.9 the sample's abilities are harmless to bots, which dash and do not fly", { budget = 60 }, function(t)
	t:scripts(COUNTED)
	local s = t:server{ level = "arena", game = "Sky", options = "?bots=4?skill=7?goalscore=0" }
	t:run(30)
	for _, pawn in ipairs(s:actors("Flyer")) do t:eq({ pawn.GravityScale, pawn.Jet.Burnt }, { 1, 0 }) end
	t:eq(#s:log(), 0, table.concat(s:log(), "\n"))
end)

-- What moves take upstream while a player runs about for 20 s, in bytes a second: payload beside the eight bytes of numbers
-- and acknowledgements that a packet has at least, and all with headers. press sets the keys of abilities at each step.
local function upstream(t, a, random, press)
	local before, from = t:traffic(a).up, a.time
	for _ = 1, 200 do
		local at = a:pawn().Location
		if random() < 0.2 then
			local yaw = at:Size2D() > 1800 and (-at):Rotation().Yaw or math.floor(random() * 65536)
			a:input{ forward = random() < 0.9 and 1 or 0, strafe = random() < 0.3 and 1 or 0, yaw = yaw, jump = random() < 0.4 }
		end
		a:input(press(random))
		t:run(0.1)
	end
	local after, seconds = t:traffic(a).up, a.time - from
	return (after.payload - before.payload - 8 * (after.packets - before.packets)) / seconds, (after.bytes - before.bytes) / seconds
end

for_each({
	{ "the jet pack's key held", 815, function() return { up = 1 } end },
	{ "the jet pack's key toggled", 870, function(random) return { up = random() < 0.5 and 1 or 0 } end },
	{ "both toggled ten times a second", 900, function(random) return { up = random() < 0.5 and 1 or 0, altfire = random() < 0.5 } end },
}, function(case)
	local name = ("R9.2 R9.9 R4.1 upstream with %s: at most %d B/s of moves, 3 000 with all headers"):format(case[1], case[2])
	scenario(name, { seeds = 5, transport = "sim" }, function(t)
		local _, a = player(t, { name = "a", lag = 0.075, jitter = 0.015, loss = 0.02 })
		local before = #a:corrections()
		local moves, all = upstream(t, a, numbers(t:seed()), case[3])
		t:le(moves, case[2])
		t:le(all, 3000)
		t:eq(told(a:corrections(), before), "")
	end)
end)
