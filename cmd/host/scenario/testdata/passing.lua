-- What passes, with what -v shows of it.
scenario("a server ticks", function(t)
	t:scripts [[
		local Lamp = class("Lamp")
		Lamp.properties { Ticks = int(0) }
		function Lamp:Tick(_)
			self.Ticks = self.Ticks + 1
			if self.Ticks == 30 then self:Log("thirty", self.Location) end
		end
	]]
	local s = t:server{}
	local lamp = s:spawn("Lamp", { Location = vector(1, 2, 3) })
	t:run(1)
	t:eq(lamp.Ticks, 60)
	log("the scenario says", 1, { x = vector(1, 2, 3) })
end)

for_each({ { n = 1 }, { n = 2 } }, function(case)
	scenario("case " .. case.n, { seeds = 3 }, function(t)
		t:ok(t:seed() >= case.n or t:seed() < 99)
	end)
end)

scenario("an error that is expected, however often", function(t)
	t:scripts [[
		local Bad = class("Bad")
		function Bad:Go() error("boom") end
	]]
	local s = t:server{}
	local bad = s:spawn("Bad")
	t:expect_error("Bad:Go: scripts:2: boom")
	for _ = 1, 10 do
		bad:Go()
		t:run(10)
	end
	t:match(s:log()[2], "10 times")
end)
