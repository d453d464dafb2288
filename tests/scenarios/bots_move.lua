-- Bots get about: by the keys a player has, over jumps and lifts, and never stuck.

local net = require("shared.net")

-- A game whose bots fight nobody, so that all they do is to get about.
local peaceful = net.with [[
	local PeacefulBrain = class("PeacefulBrain", "Brain")
	PeacefulBrain.defaults { SightRange = 0 }
	local PeacefulBot = class("PeacefulBot", "Bot")
	PeacefulBot.defaults { BrainClass = "PeacefulBrain" }
]]

local function bot(s, at, class)
	local mind, pawn = s:spawn(class or "PeacefulBot", {}), s:spawn("Character", { Location = at })
	mind:Possess(pawn)
	return pawn, mind
end

-- The sample match: every living bot moves 200 uu in any 20 s, on foot or in a vehicle.
for_each({
	{ level = "flat", bots = 6 }, { level = "wall", bots = 6 }, { level = "steps", bots = 6 },
	{ level = "arena", bots = 16 }, { level = "estuary", bots = 16 },
}, function(case)
	scenario("bots in a match on " .. case.level .. ": nobody stays where he is", { budget = 120, long = case.bots > 8 }, function(t)
		local s = t:server{ level = case.level, game = "DeathMatch", options = "?bots=" .. case.bots .. "?goalscore=0" }
		local since = {}
		for second = 1, 30 do
			t:run(1)
			for _, mind in ipairs(s:actors("Bot")) do
				local pawn, id = mind.Pawn, mind:GetId()
				local last = since[id]
				if not pawn or not pawn.alive then
					since[id] = nil
				elseif not last or last.at:Distance(pawn.Location) >= 200 then
					since[id] = { at = pawn.Location, second = second }
				else
					t:le(second - last.second, 20, tostring(pawn.Location))
				end
			end
		end
	end)
end)

-- What a hurt bot wants most, at the end of a way that is more than walking.
for_each({
	{ what = "on a ledge that takes a jump", level = "steps", from = vector(0, 800, 88.5), to = vector(800, 800, 80) },
	{ what = "where a lift goes", level = "steps", from = vector(0, 1600, 88.5), to = vector(1100, 1600, 310) },
	{ what = "below the edge it stands on", level = "steps", from = vector(1300, -1600, 345), to = vector(1700, -1600, 40) },
	{ what = "behind a wall", level = "wall", from = vector(300, 1500, 88.5), to = vector(700, 1500, 40) },
}, function(case)
	scenario("bots fetch what lies " .. case.what, { budget = 60 }, function(t)
		local s = peaceful.server(t, { level = case.level })
		local pawn = bot(s, case.from)
		pawn.Health = 30
		local pickup = s:spawn("Pickup", { Location = case.to })
		t:within(25, function() return not pickup.bAvailable end)
		t:eq(pawn.Health, 55)
	end)
end)

-- One can only crawl through the wall: there and back, and to what lies in there.
for_each({
	{ what = "beyond a passage where one has to crouch", from = vector(0, 300, 88.5), to = vector(1500, -200, 40) },
	{ what = "in a passage where one has to crouch", from = vector(0, 300, 88.5), to = vector(700, 0, 20) },
	{ what = "out of a passage where one has to crouch", from = vector(700, 20, 44.5), to = vector(0, 800, 40), low = true },
}, function(case)
	scenario("bots fetch what lies " .. case.what, { budget = 60 }, function(t)
		local s = peaceful.server(t, { level = "crawl" })
		local mind = s:spawn("PeacefulBot", {})
		local pawn = s:spawn("Character", { Location = case.low and vector(0, 0, 88.5) or case.from })
		if case.low then
			pawn:SetCrouching(true)
			pawn:SetLocation(case.from)
		end
		mind:Possess(pawn)
		pawn.Health = 30
		local pickup = s:spawn("Pickup", { Location = case.to })
		local crouched = false
		t:within(14, function()
			crouched = crouched or pawn.bCrouching
			return not pickup.bAvailable
		end)
		t:ok(crouched)
		t:lt(mind:GetStuckSeconds(), 1)
		t:within(20, function() return not pawn.bCrouching end)
	end)
end)

scenario("bots on a client crawl where they have to, and are not corrected for it", { budget = 60 }, function(t)
	local s, a = net.play(t, { level = "crawl" }, { name = "a", lag = 0.05, loss = 0.02 })
	s:pawn(a).Health = 30
	local pickup = s:spawn("Pickup", { Location = vector(1500, 0, 40) })
	t:run(0.5)
	a:controller():StartBrain(3)
	t:within(25, function() return not pickup.bAvailable end)
	t:eq(#a:corrections(), 0)
end)

scenario("bots whose body cannot crouch look for no way through low passages", { budget = 60 }, function(t)
	t:scripts(peaceful.classes .. [[
		local Stiff = class("Stiff", "Character")
		Stiff.defaults { CrouchHeight = 0 }
	]])
	local s = t:server{ level = "crawl" }
	local mind, pawn = s:spawn("PeacefulBot", {}), s:spawn("Stiff", { Location = vector(0, 300, 88.5) })
	mind:Possess(pawn)
	pawn.Health = 30
	local pickup = s:spawn("Pickup", { Location = vector(1500, 0, 40) })
	t:run(25)
	t:ok(pickup.bAvailable)
	t:lt(pawn.Location.X, 500)
	t:lt(mind:GetStuckSeconds(), 3)
end)

-- The second fire key of the sample's body leaps: a brain knows of it by GetLeap alone.
local dasher = peaceful.classes .. [[
	local CountedDash = class("CountedDash", "DashAbility")
	function CountedDash:Dash(chance)
		self:GetOwner():NoteDash()
		CountedDash.super.Dash(self, chance)
	end

	local Dasher = class("Dasher", "ShooterPawn")
	Dasher.properties { Dashes = int(0), Least = float(10) }
	Dasher.components { Dash = "CountedDash" }
	function Dasher:NoteDash()
		self.Dashes = self.Dashes + 1
		if self.dashed then self.Least = math.min(self.Least, world.TimeSeconds - self.dashed) end
		self.dashed = world.TimeSeconds
	end
]]

for_each({ { skill = 0, least = 0, most = 3 }, { skill = 7, least = 3, most = 8 } }, function(case)
	scenario("bots leap where the way is long and straight: skill " .. case.skill, { budget = 60 }, function(t)
		t:scripts(dasher)
		local s = t:server{ level = "flat", options = "?skill=" .. case.skill }
		local mind, pawn = s:spawn("PeacefulBot", {}), s:spawn("Dasher", { Location = vector(0, 0, 88.5) })
		mind:Possess(pawn)
		pawn.Health = 30
		local pickup = s:spawn("Pickup", { Location = vector(5000, 0, 40) })
		local from = s.time
		t:within(15, function() return not pickup.bAvailable end)
		t:ge(pawn.Dashes, case.least)
		t:le(pawn.Dashes, case.most)
		t:ge(pawn.Least, 1.45, "no sooner than a player may")
		if case.skill == 7 then t:lt(s.time - from, 5000 / 440) end
	end)
end)

scenario("bots leap over no edge and against no wall", { budget = 120 }, function(t)
	t:scripts(dasher .. [[
		local Careful = class("Careful", "Dasher")
		function Careful:NoteDash()
			local way = self.Acceleration:Normal()
			local to = self.Location + way * 300
			if self:Trace(self.Location, to) or world:FastTrace(to, to - vector(0, 0, 400)) then error("a rash leap") end
			Careful.super.NoteDash(self)
		end
	]])
	local s = t:server{ level = "arena", options = "?skill=7" }
	local starts, pawns = s:actors("PlayerStart"), {}
	for i = 1, 4 do
		local mind = s:spawn("PeacefulBot", {})
		pawns[i] = s:spawn("Careful", { Location = starts[i].Location })
		mind:Possess(pawns[i])
	end
	t:run(60)
	local dashes = 0
	for _, pawn in ipairs(pawns) do
		t:ok(pawn.alive)
		dashes = dashes + pawn.Dashes
	end
	t:gt(dashes, 3)
end)

-- What stands in the way and no graph knows of is gone round: soon, whichever way it stands.
for_each({ { yaw = 0 }, { yaw = 16384 }, { yaw = 6000 } }, function(case)
	scenario("bots go round a vehicle in their way that stands turned by " .. case.yaw, { budget = 60 }, function(t)
		local s = peaceful.server(t, { level = "flat" })
		s:spawn("Buggy", { Location = vector(600, 10, 60), Rotation = rotator(0, case.yaw, 0) })
		t:run(1)
		local pawn, mind = bot(s, vector(0, 0, 88.5))
		pawn.Health = 30
		local pickup = s:spawn("Pickup", { Location = vector(1200, 0, 30) })
		t:within(7, function() return not pickup.bAvailable end)
		t:lt(mind:GetStuckSeconds(), 0.75, "at the first try")
	end)
end)

scenario("bots ride a lift on whose middle somebody stands", { budget = 90 }, function(t)
	local s = peaceful.server(t, { level = "steps" })
	local lift = s:actors("Mover")[1]
	local idler = s:spawn("Character", { Location = lift.Location + vector(0, 0, 160) })
	t:run(10) -- it has gone up and come down with who stands there
	t:ok(idler.alive)
	local pawn, mind = bot(s, vector(0, 1600, 88.5))
	pawn.Health = 30
	local pickup = s:spawn("Pickup", { Location = vector(1100, 1600, 310) })
	t:within(12, function() return not pickup.bAvailable end)
	t:lt(mind:GetStuckSeconds(), 1)
end)

scenario("bots whose way is blocked do something else", { budget = 60 }, function(t)
	local s = peaceful.server(t, { level = "flat" })
	local pawn = bot(s, vector(0, 0, 88.5))
	pawn.Health = 30
	-- Four walls of bodies that nobody told it of: the pickup is inside.
	local block = s:spawn("Character", { Location = vector(600, 0, 88.5) })
	block:SetCollisionSize(150, 88)
	s:spawn("Pickup", { Location = vector(600, 0, 30) })
	t:run(10)
	local from, most = pawn.Location, 0
	for _ = 1, 20 do
		t:run(1)
		most = math.max(most, (pawn.Location - from):Size())
	end
	t:ge(most, 200)
end)

-- The same brain on a player's machine, which knows only what it was sent.
for_each({
	{ name = "at once", lag = 0, loss = 0 },
	{ name = "at 150 ms and 2 % loss", lag = 0.075, loss = 0.02 },
}, function(line)
	scenario("bots on a client fetch what its player would: " .. line.name, { budget = 60 }, function(t)
		local s, a = net.play(t, { level = "steps" }, { name = "a", lag = line.lag, loss = line.loss })
		s:pawn(a).Health = 30
		s:pawn(a):SetLocation(vector(0, 1600, 88.5))
		local pickup = s:spawn("Pickup", { Location = vector(1100, 1600, 310) })
		t:run(0.5)
		a:controller():StartBrain(3)
		t:within(30, function() return not pickup.bAvailable end)
		t:ge(s:pawn(a).Health, 55)
		a:controller():StopBrain()
		t:run(0.5)
		local at = s:pawn(a).Location
		t:run(1)
		t:near(s:pawn(a).Location, at, 60, "the keys are let go of")
	end)
end)

scenario("bots know ways: natives of navigation", function(t)
	local s = t:server{ level = "steps" }
	t:eq(s:eval[[
		local path, seconds, partial = world:FindPath(vector(0, 800, 88), vector(800, 800, 128))
		local kinds = {}
		for _, step in ipairs(path) do kinds[step.Kind] = true end
		return kinds.jump and seconds > 1 and seconds < 5 and not partial
	]], true)
	t:eq(s:eval[[
		local path = world:FindPath(vector(0, 800, 88), vector(1100, 1600, 360))
		for _, step in ipairs(path) do
			if step.Kind == "lift" then return step.Mover:IsA("Mover") end
		end
	]], true)
	t:eq(s:eval[[ return world:FindPath(vector(0, 800, 88), vector(0, 0, 900000)) == nil or "a way" ]], "a way", "beside it")
	t:eq(s:eval[[ return world:Reachable(vector(0, 800, 88), vector(800, 800, 128)) ]], true)
	t:lt(s:eval[[ return (world:RandomReachable(vector(0, 0, 88), 600) - vector(0, 0, 88)):Size() ]], 601)
	t:near(s:eval[[ return world:NearestNode(vector(0, 0, 150)) ]].Z, 88, 2)
	t:near(s:eval[[ return world:JumpVelocity(vector(0, 0, 88), vector(200, 0, 88)) ]], vector(200 / (2 * 420 / 980), 0, 420), 1)
	t:eq(s:eval[[ return world:JumpVelocity(vector(0, 0, 88), vector(200, 0, 400)) == nil ]], true)
	t:near(s:eval[[ return world:DropVelocity(vector(0, 0, 288), vector(200, 0, 88)) ]], vector(200 / math.sqrt(400 / 980), 0, 0), 1)
	local log = #s:log()
	t:expect_error("expected a vector")
	s:eval[[ world:FindPath(1, 2) ]]
	t:ge(#s:log(), log)
end)

scenario("bots see who stands before them: ActorsInSight", function(t)
	local s = t:server{ level = "wall" }
	local eye = s:spawn("Character", { Location = vector(0, 0, 88.5) })
	local near = s:spawn("Character", { Location = vector(200, 0, 88.5) })
	local far = s:spawn("Character", { Location = vector(400, 50, 88.5) })
	s:spawn("Character", { Location = vector(-200, 0, 88.5) }) -- behind it
	s:spawn("Character", { Location = vector(900, 0, 88.5) }) -- behind the wall
	local hidden = s:spawn("Character", { Location = vector(300, 100, 88.5) })
	hidden.bHidden = true
	local seen = eye:ActorsInSight("Pawn", 2000, eye.Location, rotator(0, 0, 0), 0.5)
	t:eq(#seen, 2)
	t:ok(seen[1] == near and seen[2] == far, "the nearest first")
	t:eq(#eye:ActorsInSight("Pawn", 2000, eye.Location, rotator(0, 0, 0), 0.5, 1), 1)
	t:eq(#eye:ActorsInSight("Pawn", 2000, eye.Location, rotator(0, 0, 0)), 3, "all around")
	t:eq(#eye:ActorsInSight("Pawn", 300, eye.Location, rotator(0, 0, 0), 0.5), 1)
end)
