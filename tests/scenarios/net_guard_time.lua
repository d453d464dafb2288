-- G6: throttling takes nothing from what players do themselves.

local net = require("shared.net")

local HEAVY = [[
	local Swarm = class("Swarm", "Actor")
	Swarm.properties { Turns = int(0) }
	Swarm.defaults { bAlwaysRelevant = true }
	Swarm.replication { { "Turns" } }
	function Swarm:Tick(_)
		self.Turns = self.Turns + 1
		local x = 0
		for i = 1, 400 do x = x + i end
	end

	local Runner = class("Runner", "Character")
	Runner.properties { Steps = int(0) }
	function Runner.simulated:Tick(_)
		self.Steps = self.Steps + 1
		local x = 0
		for i = 1, 4000 do x = x + i end
	end

]]

for _, case in ipairs { { lag = 0.02, loss = 0 }, { lag = 0.075, loss = 0.02 } } do
	scenario("G6 no correction is caused by throttling, " .. case.lag .. " s", { budget = 90, seeds = 2, long = true }, function(t)
		t:scripts(HEAVY, { mod = "swarm" })
		local s, a = net.play(t, { pawn = "Runner" }, { name = "a", lag = case.lag, jitter = case.lag / 5, loss = case.loss })
		s:cost_scale(200)
		a:cost_scale(200)
		for i = 1, 40 do s:spawn("Swarm", { Location = vector(i * 50, 3000, 100) }) end
		t:run(2)
		for second = 1, 6 do
			a:input { forward = 1, strafe = second % 3 - 1, jump = second % 5 == 0, yaw = second * 2500 }
			t:run(1)
		end
		t:ok(s:throttled().Swarm and s:throttled().Swarm > 1, "Swarm is throttled")
		t:ok(s:throttled().Runner or a:throttled().Runner, "so is the class of the player's own pawn")
		local steps = s:pawn(a).Steps
		t:run(1)
		t:eq(s:pawn(a).Steps - steps, 60, "what a player moves is called every tick")
		t:eq(#a:corrections(), 0)
		net.hold(t, a, { forward = 0, strafe = 0, jump = false }, 2)
		t:near(a:pawn().Location, s:pawn(a).Location, 1)
	end)
end
