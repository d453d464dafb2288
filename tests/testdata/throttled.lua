-- A match of eight bots beside a mod whose one class is throttled and whose other is quarantined; accounts_test.go compares the
-- hashes that it logs. The scale is changed as a host that measures its machine does, at the same ticks each time.
local HEAVY = [[
	local Mill = class("Mill", "Actor")
	Mill.properties { Turns = int(0), Time = float(0) }
	Mill.defaults { bAlwaysRelevant = true }
	Mill.replication { { "Turns" } }
	function Mill:BeginPlay() self:SetTimer(0.25, true, "Chime") end
	function Mill:Tick(dt)
		self.Turns = self.Turns + 1
		self.Time = self.Time + dt
		local x = 0
		for i = 1, 1200 do x = x + i end
	end
	function Mill:Chime() self.Time = self.Time + math.random() end

	local Broken = class("Broken", "Actor")
	Broken.properties { Steps = int(0) }
	function Broken:Tick(_)
		self.Steps = self.Steps + 1
		if math.random() < 0.02 then error("broken") end
	end
]]

scenario("G6 a match with a throttled and a quarantined class", { budget = 100 }, function(t)
	t:scripts(HEAVY, { mod = "mill" })
	local s = t:server { level = "arena", game = "DeathMatch", options = "?bots=8?goalscore=0" }
	t:expect_error("Broken:Tick: .*broken")
	for i = 1, 60 do s:spawn("Mill", { Location = vector(i * 20, 0, 3000) }) end
	for _ = 1, 4 do s:spawn("Broken") end
	for second = 1, 40 do
		if second == 10 then s:cost_scale(31.5) end
		if second == 25 then s:cost_scale(12) end
		t:run(1)
		if second % 5 == 0 then
			log(second, s:hash(), s:throttled().Mill or 1)
		end
	end
	local quarantined = table.concat(s:log(), "\n")
	t:match(quarantined, "Broken: .*quarantined")
	t:match(quarantined, "Mill: .*Tick is called less often")
end)
