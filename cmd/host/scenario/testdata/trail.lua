-- Runs that differ in one thing each: what TestTrail compares.
local function run(name, seconds, at_one)
	scenario(name, function(t)
		t:scripts [[
			local Chest = class("Chest")
			Chest.properties { Gold = int(0) }
			Chest.defaults { bAlwaysRelevant = true }
			Chest.replication { { "Gold", notify = true } }
			function Chest:OnRep_Gold() end
			function Chest:Shout() self:Log("hello") end
		]]
		local s = t:server{}
		t:client{ name = "a", lag = 0.02, jitter = 0.01 }
		local chest = s:spawn("Chest")
		t:run(1)
		at_one(chest)
		t:run(seconds - 1)
		t:ok(chest.alive)
	end)
end
run("first", 2, function() end)
run("later", 2, function(chest) chest.Location = vector(5, 0, 0) end)
run("shorter", 1.5, function() end)
run("said", 2, function(chest) chest:Shout() end)
run("set", 2, function(chest) chest.Gold = 1 end)
