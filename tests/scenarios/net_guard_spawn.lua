-- G1: what core's functions and natives are given that they cannot take is the caller's fault.

local net = require("shared.net")

scenario("G1 an Instigator that is no pawn is refused where it is given, and no player is lost", { budget = 30 }, function(t)
	t:scripts([[
		local Forger = class("Forger", "Actor")
		function Forger:Tick(_) self:Spawn("Rocket", { Location = self.Location, Instigator = self }) end
		local Setter = class("Setter", "Actor")
		function Setter:Tick(_)
			local r = self:Spawn("Rocket", { Location = self.Location + vector(0, 0, 300) })
			r.Instigator = self
		end
	]], { mod = "forger" })
	local s, a = net.play(t, { level = "arena", game = "DeathMatch" }, { name = "a", lag = 0.02 })
	t:expect_error("Forger:Tick: .*Rocket.Instigator: expected a Pawn, got the actor Forger_0 %(Forger%).*%[mod forger%]")
	t:expect_error("Setter:Tick: .*Instigator.*Pawn.*%[mod forger%]")
	s:spawn("Forger", { Location = s:pawn(a).Location })
	s:spawn("Setter", { Location = s:pawn(a).Location })
	t:run(5)
	t:eq(a.error, nil)
	t:no(table.concat(s:log(), "\n"):find("Rocket:Explode", 1, true), "Rocket is not blamed")
end)
