-- G2: functions that perform moves are taken out of use on the server and on its clients together.

local net = require("shared.net")

local DASH = [[
	local Dasher = class("Dasher", "Character")
	Dasher.properties { bBroken = false, Dashes = int(0) }
	Dasher.replication { { "bBroken", when = COND_OwnerOnly } }
	Dasher.moves { state = { "Dashes" } }
	function Dasher:ProcessMove(move)
		Dasher.super.ProcessMove(self, move)
		self:Boost(move.Delta)
	end
	function Dasher:Boost(dt)
		self.Dashes = self.Dashes + 1
		self.Velocity = self.Velocity + vector(60, 0, 0) * dt
	end
	function Dasher:Tick(_) if self.bBroken and self.Role == ROLE_Authority then self:Boost(nil) end end

]]

for _, case in ipairs { { lag = 0.02, loss = 0 }, { lag = 0.075, loss = 0.02 } } do
	scenario("G2 a function of moves is out of use on both ends, " .. case.lag .. " s", { budget = 60, seeds = 3 }, function(t)
		t:scripts(DASH)
		local s, a = net.play(t, { pawn = "Dasher" }, { name = "a", lag = case.lag, jitter = case.lag / 5, loss = case.loss })
		net.hold(t, a, { forward = 1 }, 2)
		t:eq(#a:corrections(), 0)
		t:expect_error("Dasher:Boost: ")
		s:pawn(a).bBroken = true
		t:run(2)
		t:match(table.concat(s:log(), "\n"), "Dasher:Boost: .*quarantined")
		-- What was on its way when it happened may be corrected; from then on both ends agree.
		local before, dashes = #a:corrections(), a:pawn().Dashes
		net.hold(t, a, { forward = 1, strafe = 1 }, 10)
		t:eq(#a:corrections(), before)
		t:eq(a:pawn().Dashes, dashes, "the client's own version is out of use as well")
		-- A player who joins later does not run it either.
		local b = t:client { name = "b", lag = case.lag }
		t:within(5, function() return b:pawn() end)
		net.hold(t, b, { forward = 1 }, 5)
		t:eq({ b:pawn().Dashes, #b:corrections() }, { 0, 0 })
		-- A reload brings it back on all.
		s:pawn(a).bBroken = false
		t:run(1)
		t:reload(DASH .. "-- again\n" .. net.game("Dasher"))
		t:run(3)
		t:gt(b:pawn().Dashes, 0)
	end)
end
