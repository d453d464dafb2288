-- Bots drive: into a free vehicle near a long way, by ways wide enough, and out of it where it is of no more use.

local net = require("shared.net")

-- A bot that fights nobody and wants nothing but what mends it, and a vehicle that does not move.
local minds = net.with [[
	local CalmBrain = class("CalmBrain", "Brain")
	CalmBrain.defaults { SightRange = 0 }
	function CalmBrain:WantsPickup(pawn, pickup)
		return pickup:GetClass() == "Pickup" and CalmBrain.super.WantsPickup(self, pawn, pickup) or 0
	end
	local CalmBot = class("CalmBot", "Bot")
	CalmBot.defaults { BrainClass = "CalmBrain" }
	local Cart = class("Cart", "Buggy")
	Cart.defaults { EngineForce = 0 }
]]

local function bot(s, at, class)
	local mind, pawn = s:spawn(class or "CalmBot", {}), s:spawn("Character", { Location = at })
	mind:Possess(pawn)
	return pawn, mind
end

-- A bot that is hurt, what mends it far away, and a vehicle beside it.
local function errand(t, level, from, to, car, class)
	local s = minds.server(t, { level = level })
	t:run(0.2)
	local pawn, mind = bot(s, from)
	pawn.Health = 30
	local pickup = s:spawn("Pickup", { Location = to, Amount = 70 })
	for _, other in ipairs(s:actors("Vehicle")) do
		if other.Location:Distance(car) < 100 then
			return s, pawn, mind, pickup, other -- the level's own
		end
	end
	return s, pawn, mind, pickup, s:spawn(class or "Buggy", { Location = car })
end

for_each({
	{ what = "over open floor", level = "flat", from = vector(0, 3000, 88.5), to = vector(5500, 3000, 40), car = vector(-200, 3200, 60) },
	{ what = "round a wall", level = "wall", from = vector(-3000, -300, 88.5), to = vector(1800, 300, 40), car = vector(-3000, 0, 60) },
	{ what = "over a ford of the estuary", level = "estuary", from = vector(-3000, 4600, 88.5), to = vector(1500, 5200, 40), car = vector(-3200, 4800, 60) },
}, function(case)
	scenario("bots drive to what lies far away: " .. case.what, { budget = 90 }, function(t)
		local _, pawn, mind, pickup, car = errand(t, case.level, case.from, case.to, case.car)
		t:within(12, function() return mind.Pawn == car end)
		local best = 0
		t:within(60, function()
			best = math.max(best, car.Velocity:Size2D())
			return mind.Pawn == pawn
		end)
		t:gt(best, 600, "faster than on foot")
		t:lt(car.Velocity:Size2D(), 200, "it stops first: what one leaves rolls on")
		t:lt(pawn.Location:Distance(pickup.Location), 1000)
		t:within(12, function() return not pickup.bAvailable end)
		t:eq(pawn.Health, 100)
	end)
end)

for_each({
	{ name = "at once", lag = 0, loss = 0 },
	{ name = "at 150 ms and 2 % loss", lag = 0.075, loss = 0.02 },
}, function(line)
	scenario("bots on a client drive by its keys: " .. line.name, { budget = 90, seeds = line.loss > 0 and 5 or 1 }, function(t)
		t:scripts(minds.classes .. [[
			local CalmPlayer = class("CalmPlayer", "PlayerController")
			CalmPlayer.defaults { BrainClass = "CalmBrain" }
			local CalmGame = class("CalmGame", "GameInfo")
			CalmGame.defaults { PlayerControllerClass = "CalmPlayer" }
		]])
		local s, a = net.play(t, { game = "CalmGame" }, { name = "a", lag = line.lag, loss = line.loss })
		local pawn = s:pawn(a)
		pawn.Health = 30
		pawn:SetLocation(vector(0, 3000, 88.5))
		local car = s:spawn("Buggy", { Location = vector(-200, 3200, 60) })
		local pickup = s:spawn("Pickup", { Location = vector(5500, 3000, 40), Amount = 70 })
		t:run(1)
		a:controller():StartBrain(3)
		t:within(15, function() return s:controller(a).Pawn == car end)
		t:within(40, function() return not pickup.bAvailable end)
		t:eq(s:controller(a).Pawn, pawn, "it got out")
		t:eq(pawn.Health, 100)
	end)
end)

scenario("bots get out of what burns", { budget = 60 }, function(t)
	local _, pawn, mind, _, car = errand(t, "flat", vector(0, 3000, 88.5), vector(5500, 3000, 40), vector(-200, 3200, 60))
	t:within(12, function() return mind.Pawn == car and car.Velocity:Size2D() > 400 end)
	car.Health = car.HealthMax * 0.3
	t:within(4, function() return mind.Pawn == pawn end)
	t:run(8)
	t:ok(mind.Pawn == pawn, "and do not get in again")
end)

scenario("bots get out of what does not move, and leave it alone for a while", { budget = 90 }, function(t)
	local _, pawn, mind, pickup, cart = errand(t, "flat", vector(0, 3000, 88.5), vector(5500, 3000, 40), vector(-200, 3200, 60), "Cart")
	t:within(12, function() return mind.Pawn == cart end)
	t:within(10, function() return mind.Pawn == pawn end)
	t:within(30, function()
		t:ok(mind.Pawn == pawn, "got in again")
		return not pickup.bAvailable
	end)
end)

scenario("bots leave a vehicle alone that is taken, half broken or on its back", { budget = 60 }, function(t)
	local s, pawn, mind, _, car = errand(t, "flat", vector(0, 3000, 88.5), vector(5500, 3000, 40), vector(-200, 3200, 60))
	t:eq(car:BotDesireability(pawn), 1)
	car.Health = car.HealthMax * 0.4
	t:eq(car:BotDesireability(pawn), 0)
	t:always(6, function() return mind.Pawn == pawn end)
	local other = s:spawn("Buggy", { Location = vector(9000, 0, 60) })
	t:run(1)
	other:SetRotation(rotator(0, 0, 32768))
	t:eq(other:BotDesireability(pawn), 0)
end)

scenario("bots at the wheel run over who stands on open floor", { budget = 60 }, function(t)
	local s = minds.server(t, { level = "flat" })
	t:run(0.2)
	local mind, pawn = s:spawn("Bot", {}), s:spawn("Character", { Location = vector(0, 3000, 88.5) })
	mind:Possess(pawn)
	local car = s:spawn("Buggy", { Location = vector(0, 3200, 60) })
	t:run(1)
	t:ok(car:TryToDrive(pawn))
	local victim = s:spawn("Character", { Location = vector(1200, 3200, 88.5) })
	t:within(12, function() return not victim.alive or victim.Health < 100 end)
	t:ok(mind.Pawn == car)
end)

-- Bots who want nothing but to be far away, beside every vehicle of a level.
for_each({ { level = "estuary", least = 4 }, { level = "arena", least = 2 } }, function(case)
	scenario("bots drive about " .. case.level .. ": all get somewhere, and out again", { budget = 120 }, function(t)
		t:scripts(minds.classes .. [[
			local Tourist = class("Tourist", "CalmBrain")
			Tourist.defaults { RideSeconds = 2 }
			function Tourist:WantsPickup(_, _) return 0 end
			local TouristBot = class("TouristBot", "Bot")
			TouristBot.defaults { BrainClass = "Tourist" }
		]])
		local s = t:server{ level = case.level }
		t:run(1.5)
		local pawns, bots, since, drives, rides = {}, {}, {}, {}, 0
		for i, car in ipairs(s:actors("Vehicle")) do
			pawns[i], bots[i] = bot(s, car.Location + vector(0, 160, 40), "TouristBot")
			pawns[i].Health = 5000 -- another may run over them
		end
		t:ge(#bots, 2)
		for second = 1, 90 do
			t:run(1)
			for i, mind in ipairs(bots) do
				t:ok(pawns[i].alive, "a bot went over the edge of the level")
				local at, driving = mind.Pawn.Location, mind.Pawn:IsA("Vehicle")
				rides = rides + (driving and not drives[i] and 1 or 0)
				drives[i] = driving
				local last = since[i]
				if not last or last.at:Distance(at) >= 200 then
					since[i] = { at = at, second = second }
				else
					t:le(second - last.second, 20, tostring(at))
				end
			end
		end
		log(case.level .. ": " .. rides .. " rides")
		t:ge(rides, case.least)
	end)
end)
