-- What outlives a match: store (C1), on the server of a scenario.

local net = require("shared.net")

local KEEPER = net.with [[
	local Keeper = class("Keeper", "Actor")
	Keeper.properties { Answers = int(0), Value = int(0), Failed = "", Place = int(0) }
	Keeper.replication { { "Value" } }
	Keeper.defaults { bAlwaysRelevant = true }
	function Keeper:Count()
		store:Increment("count", 1, function(n, err)
			self.Answers = self.Answers + 1
			self.Value = n or self.Value
			self.Failed = err or ""
		end)
	end
	function Keeper:Rank(name, score)
		store:Rank("best", name, score, function(place) self.Place = place or 0 end)
	end
	function Keeper:Ask() store:Get("count", function(n) self.Value = n end) end
	Keeper.state("Counting", {})
	function Keeper.state.Counting:Code()
		for _ = 1, 3 do self.Value = store:Increment("count") or -1 end
		self.Answers = 100
	end
]]

scenario("store: an answer comes between two ticks, and is there after a restart (C1)", function(t)
	local s, keeper = KEEPER.alone(t, "Keeper")
	local a = t:client {}
	local copy = t:within(5, function() return a:copy(keeper) end)
	for _ = 1, 10 do s:call(keeper, "Count") end
	t:eq(keeper.Answers, 0)
	t:within(1, function() return keeper.Answers == 10 end)
	t:eq(keeper.Value, 10)
	t:within(1, function() return copy.Value == 10 end)
	s:call(keeper, "Count")
	t:restart() -- what waits is written first
	keeper = s:spawn("Keeper")
	s:call(keeper, "Ask")
	t:within(1, function() return keeper.Value == 11 end)
end)

scenario("store: latent code waits for its answers; a store that is down says so, and what it lost was not stored (C1)", function(t)
	local s, keeper = KEEPER.alone(t, "Keeper")
	t:store { delay = 0.5 }
	s:call(keeper, "GotoState", "Counting")
	t:run(0.9)
	t:eq({ keeper.Value, keeper.Answers }, { 0, 0 })
	t:within(4, function() return keeper.Answers == 100 end)
	t:eq(keeper.Value, 3)
	t:store { down = "the disk is full" }
	s:call(keeper, "Count")
	t:within(1, function() return keeper.Answers == 101 end)
	t:eq(keeper.Failed, 'store:Increment("count"): the disk is full; nothing was stored')
	t:store {}
	s:call(keeper, "Count")
	t:within(1, function() return keeper.Value == 4 end)
	t:eq(keeper.Failed, "")
end)

scenario("store: an ordered list keeps the best, and equal scores in their order (C1)", function(t)
	local s, keeper = KEEPER.alone(t, "Keeper")
	for _, case in ipairs { { "Ann", 1, 1 }, { "Bob", 2, 1 }, { "Cid", 1, 3 }, { "Ann", 3, 1 } } do
		local name, score, place = unpack(case)
		s:call(keeper, "Rank", name, score)
		t:within(1, function() return keeper.Place == place end, name)
		keeper.Place = 0
	end
end)

scenario("store: a client has none (C1)", function(t)
	local _, keeper = KEEPER.alone(t, "Keeper")
	local a = t:client {}
	local copy = t:within(5, function() return a:copy(keeper) end)
	t:expect_error("store:Get: only the server has the store")
	a:call(copy, "Ask")
end)
