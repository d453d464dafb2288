-- The workloads of tests/counts that are matches. What happens between log("begin") and log("end") is counted.

-- Calls a function between the two marks.
local function counted(work)
	log("begin")
	work()
	log("end")
end

-- Joins a number of clients, and waits until each has a pawn.
local function join(t, s, n, options)
	local list = {}
	for i = 1, n do
		options.name = "player" .. i
		list[i] = t:client(options)
	end
	t:within(60, function()
		for _, c in ipairs(list) do
			if not c:pawn() or not s:pawn(c) then
				return false
			end
		end
		return true
	end)
	return list
end

local ENDLESS = [[
	local Endless = class("Endless", "DeathMatch")
	Endless.defaults { GoalScore = 0, TimeLimit = 0 }
]]

scenario("bots", { budget = 100 }, function(t)
	t:scripts(ENDLESS)
	local options = "?bots=64?maxplayers=66?skill=4"
	local s = t:server { level = "estuary", game = "Endless", options = options, tick = 60, net = 30 }
	join(t, s, 2, { lag = 0.03 })
	t:run(5) -- until they have met
	counted(function() t:run(3) end)
end)

scenario("players", { budget = 100 }, function(t)
	t:scripts(ENDLESS)
	local options = "?maxplayers=200"
	local s = t:server { level = "estuary", game = "Endless", options = options, tick = 60, net = 30 }
	local list = join(t, s, 200, { lag = 0.03, tick = 30 })
	for i, c in ipairs(list) do
		c:input { forward = 1, yaw = i * 1000 }
	end
	t:run(0.5)
	counted(function() t:run(0.5) end)
end)

scenario("move", function(t)
	local s = t:server { level = "arena", game = "GameInfo" }
	local ann = join(t, s, 1, { lag = 0.03 })[1]
	ann:input { forward = 1, yaw = 0 }
	t:run(0.5)
	counted(function() t:run(2) end)
	t:eq(ann:corrections(), {})
end)

scenario("join", function(t)
	local s = t:server { level = "arena", game = "DeathMatch", options = "?maxplayers=16" }
	join(t, s, 8, { lag = 0.03 })
	t:run(0.5)
	counted(function()
		local late = t:client { name = "late", lag = 0.03 }
		t:within(10, function() return late:pawn() end)
	end)
end)

local LAMP = [[
	local Lamp = class("Lamp")
	Lamp.properties { On = false, Turns = int(0) }
	Lamp.defaults { bAlwaysRelevant = true }
	Lamp.replication { { "On", "Turns" } }
	function Lamp:Turn() self.On, self.Turns = not self.On, self.Turns + %d end
]]

scenario("reload", function(t)
	t:scripts(LAMP:format(1))
	local s = t:server { level = "arena", game = "GameInfo" }
	local list = join(t, s, 4, { lag = 0.03 })
	for _ = 1, 100 do
		s:spawn("Lamp")
	end
	local lamp = s:spawn("Lamp")
	for _, c in ipairs(list) do
		t:within(5, function() return c:copy(lamp) end)
	end
	t:run(1)
	counted(function()
		t:reload(LAMP:format(2))
		lamp:Turn()
		for _, c in ipairs(list) do
			t:within(5, function() return c:copy(lamp).Turns == 2 end)
		end
	end)
end)

scenario("relevancy", function(t)
	t:scripts [[
		local Post = class("Post")
		Post.defaults { NetCullDistance = 2000 }
		Post.properties { Height = int(10), Label = "post" }
		Post.replication { { "Height", "Label" } }
	]]
	local s = t:server { level = "flat", game = "GameInfo", config = { relevant_timeout = 2 } }
	local ann = join(t, s, 1, { lag = 0.03 })[1]
	local home = s:pawn(ann).Location
	local away = home + vector(6000, 0, 0)
	local first, second
	for i = 1, 100 do
		first = s:spawn("Post", { Location = home + vector(10 * i, 200, 0) })
		second = s:spawn("Post", { Location = away + vector(10 * i, 200, 0) })
	end
	t:within(2, function() return ann:copy(first) end)
	counted(function()
		for _ = 1, 3 do
			s:pawn(ann):SetLocation(away)
			t:within(10, function() return ann:copy(second) and not ann:copy(first) end)
			s:pawn(ann):SetLocation(home)
			t:within(10, function() return ann:copy(first) and not ann:copy(second) end)
		end
	end)
end)

scenario("store", function(t)
	t:scripts [[
		local Clerk = class("Clerk", "Actor")
		Clerk.properties { Answers = int(0) }
		function Clerk:Write(n)
			for i = 1, n do
				store:Set("page" .. i, { text = "what was written", number = i }, function(_, err)
					if not err then self.Answers = self.Answers + 1 end
				end)
			end
		end
	]]
	local s = t:server { level = "flat", game = "GameInfo" }
	local clerk = s:spawn("Clerk")
	t:run(1)
	counted(function()
		for i = 1, 10 do
			s:call(clerk, "Write", 10)
			t:within(5, function() return clerk.Answers == 10 * i end)
		end
	end)
end)

scenario("load", function(t)
	counted(function() t:server { level = "estuary", game = "DeathMatch" } end)
end)

scenario("idle", function(t)
	t:scripts [[
		local Stone = class("Stone", "Actor")
		Stone.defaults { NetCullDistance = 1000 }
		Stone.properties { Weight = int(10), Label = "stone" }
		Stone.replication { { "Weight", "Label" } }
	]]
	local s = t:server { level = "flat", game = "GameInfo" }
	join(t, s, 1, { lag = 0.03 })
	for i = 1, 50000 do
		s:spawn("Stone", { Location = vector(20000 + i % 250 * 100, math.floor(i / 250) * 100, 0) })
	end
	t:run(1)
	counted(function() t:run(2) end)
end)

scenario("hop", function(t)
	t:scripts [[
		local Player = class("FerryPlayer", "PlayerState")
		Player.persistent { Gold = int(5) }
		local Ferry = class("Ferry", "DeathMatch")
		Ferry.defaults { PlayerStateClass = "FerryPlayer", MinPlayers = 1 }
		function Ferry:Leave(target)
			for _, pc in ipairs(self:ActorsOf("PlayerController")) do
				pc:Teleport(target, { Door = "north" }, function(_, err) if err then error(err) end end)
			end
		end
	]]
	local here = t:server { level = "arena", game = "Ferry" }
	local island = t:host { name = "island", level = "arena", game = "Ferry" }
	local ann = join(t, here, 1, { lag = 0.03 })[1]
	t:run(1) -- the hosts have heard of each other
	counted(function()
		here:call(here:actors("Ferry")[1], "Leave", "island")
		t:within(10, function()
			return island:controller(ann) and ann:pawn() and not here:controller(ann)
		end)
	end)
end)
