-- Actors are bounded by class and tick; what a script makes beyond raises there, and the others go on (G9).

local net = require("shared.net")

local RABBITS = net.with [[
	local Rabbit = class("Rabbit")
	Rabbit.properties { N = int(0) }
	Rabbit.defaults { bAlwaysRelevant = true }
	Rabbit.replication { { "N" } }
	local Farm = class("Farm")
	Farm.properties { Made = int(0), Refused = int(0), bBreeding = false }
	function Farm:Breed()
		for i = 1, 1000 do
			local ok = pcall(self.Spawn, self, "Rabbit")
			if ok then self.Made = self.Made + 1 else self.Refused = self.Refused + 1 break end
		end
	end
	function Farm:Tick(_) if self.bBreeding then self:Breed() end end
	function Farm:Try() self:Spawn("Rabbit") end
]]

scenario("R1.1 a class that spawns 1 000 actors a tick stops at 256 a tick and 4 096; a player goes on", function(t)
	local s, a = RABBITS.play(t, {}, { name = "a", lag = 0.03 })
	local farm = s:spawn("Farm")
	farm:Breed()
	t:eq(farm.Made, 256)
	farm.bBreeding = true
	t:run(2)
	farm.bBreeding = false
	t:eq(farm.Made, 4096)
	t:expect_error("Farm:Try: .*class Rabbit has 4096 actors alive, at most 4096; destroy or reuse some first, or raise actors of %[classes%.Rabbit%] in host.toml")
	farm:Try()
	t:ok(s:spawn("Farm"), "another class is not held back")
	t:no(a.error)
end)

scenario("R5.1 what the server has made arrives at clients, whatever their own bounds say", { seeds = 2 }, function(t)
	local s, a = RABBITS.play(t, {}, { name = "a", down = 1000000 })
	local farm = s:spawn("Farm")
	t:run(0.1)
	for _ = 1, 3 do
		farm:Breed()
		t:ticks(1)
	end
	t:within(20, function() return #a:actors("Rabbit") == 768 end)
	t:no(a.error)
end)
