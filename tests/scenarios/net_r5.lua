-- Section 5 of the rules, R5.1 to R5.4: how an actor opens on a client, what differs, what is named, when it is
-- compared. Conditions are in net_r5_conditions.lua.

local net = require("shared.net")
local bytes, copy, join, received, holds = net.bytes, net.copy, net.join, net.received, net.holds

-- Gold crosses to all with a notify, Wood to all; Iron is named by no rule.
local CHEST = net.with [[
	local Chest = class("Chest")
	Chest.properties { Gold = int(0), Wood = int(3), Iron = int(0), Place = vector(0, 0, 0) }
	Chest.defaults { bAlwaysRelevant = true }
	Chest.replication { { "Gold", notify = true }, { "Wood", "Place" } }
]]

local STORY = net.with [[
	local Chest = class("Chest")
	Chest.properties { Gold = int(0), Wood = int(3) }
	Chest.defaults { bAlwaysRelevant = true }
	Chest.replication { { "Gold", notify = true }, { "Wood" } }
	function Chest.simulated:Note(what)
		local line = what .. " " .. self.Gold .. " " .. self.Wood .. " " .. self.Location.X
		self.story = (self.story or "") .. line .. "; "
	end
	function Chest.simulated:PreBeginPlay() self:Note("pre") end
	function Chest.simulated:BeginPlay() self:Note("begin") end
	function Chest.simulated:PostBeginPlay() self:Note("post") end
	function Chest.simulated:PostNetBeginPlay() self:Note("net") end
	function Chest:ReplicatedEvent(name, _) self:Note(name) end
]]

scenario("R5.1 a copy begins with its place alone; then come the other variables, their notifies, PostNetBeginPlay", function(t)
	local _, a, _, c = STORY.actor(t, "Chest", { Location = vector(100, 0, 50), Gold = 5, Wood = 4 }, "a")
	t:run(0.3)
	holds(t, c, { story = "pre 0 3 100; begin 0 3 100; post 0 3 100; Gold 5 4 100; net 5 4 100; ", Location = vector(100, 0, 50) })
	t:eq({ c:GetClass(), #a:actors("Chest") }, { "Chest", 1 })
end)

scenario("R5.1 the same for who joins later: the values of now are the initial ones", function(t)
	local s = STORY.server(t, {})
	local chest = s:spawn("Chest", { Location = vector(100, 0, 50), Gold = 5 })
	t:run(0.2)
	chest.Gold, chest.Wood = 7, 9
	local a = join(t, s, { name = "a" })
	local c = copy(t, a, chest)
	t:run(0.3)
	t:eq(c.story, "pre 0 3 100; begin 0 3 100; post 0 3 100; Gold 7 9 100; net 7 9 100; ")
end)

scenario("R5.1 PostNetBeginPlay runs once, also where no variable differs from its default", function(t)
	local _, _, chest, c = STORY.actor(t, "Chest", {}, "a")
	t:run(0.3)
	t:eq(c.story, "pre 0 3 0; begin 0 3 0; post 0 3 0; net 0 3 0; ")
	chest.Wood = 1
	t:within(1, function() return c.Wood == 1 end)
	t:run(0.2)
	t:eq(c.story, "pre 0 3 0; begin 0 3 0; post 0 3 0; net 0 3 0; ")
end)

for_each({
	{ true, rotator(0, 16384, 0), "it is there from the beginning" },
	{ false, rotator(0, 0, 0), "it comes with the variables" },
}, function(case)
	scenario("R5.1 the rotation with bNetInitialRotation " .. tostring(case[1]) .. ": " .. case[3], function(t)
		t:scripts [[
			local Sign = class("Sign")
			Sign.defaults { bAlwaysRelevant = true }
			function Sign.simulated:PreBeginPlay() self.pre = self.Rotation end
			function Sign.simulated:PostBeginPlay() self.post = self.Rotation end
			function Sign.simulated:PostNetBeginPlay() self.net = self.Rotation end
		]]
		local _, _, _, c = net.actor(t, "Sign", { Rotation = rotator(0, 16384, 0), bNetInitialRotation = case[1] }, "a")
		t:within(1, function() return c.net end)
		holds(t, c, { pre = case[2], post = case[2], net = rotator(0, 16384, 0) })
	end)
end)

scenario("R5.1 a client sees the actor open before anything else of it, once", function(t)
	local s, a, b = CHEST.start(t, {}, "a", "b")
	local chest = net.spawn(t, s, "Chest", { Gold = 5 }, a)
	copy(t, b, chest)
	chest.Wood = 8
	t:run(0.3)
	for _, client in ipairs { a, b } do
		local first, opened = nil, 0
		for _, e in ipairs(t:trace(client)) do
			if e.actor == chest then
				first = first or e.event
				if e.event == "opened" then
					opened = opened + 1
					t:eq(e.class, "Chest")
				end
			end
		end
		t:eq({ first, opened }, { "opened", 1 })
	end
end)

scenario("R5.2 a variable set to its class default costs nothing at first", function(t)
	local _, a, _, c = CHEST.actor(t, "Chest", { Gold = 5, Wood = 3 }, "a")
	t:run(0.3)
	holds(t, c, { Gold = 5, Wood = 3 })
	t:gt(bytes(t, a, "Chest.Gold"), 0)
	t:eq({ bytes(t, a, "Chest.Wood"), bytes(t, a, "Chest.Place") }, { 0, 0 })
end)

scenario("R5.2 going back to the default is news to whom it was told otherwise, and none to who comes later", function(t)
	local s, _, chest, c = CHEST.actor(t, "Chest", { Gold = 5 }, "a")
	t:run(0.2)
	t:eq(c.Gold, 5)
	chest.Gold = 0
	t:within(1, function() return c.Gold == 0 end)
	local b = join(t, s, { name = "b" })
	local d = copy(t, b, chest)
	t:run(0.3)
	t:eq({ d.Gold, bytes(t, b, "Chest.Gold") }, { 0, 0 })
end)

scenario("R5.2 the default is that of the actor's class, not of the class that declares the variable", function(t)
	t:scripts(CHEST.classes .. [[
		local Hoard = class("Hoard", "Chest")
		Hoard.defaults { Gold = 500, Wood = 0 }
	]])
	local s, a = net.start(t, {}, "a")
	local hoard, poor = s:spawn("Hoard"), s:spawn("Hoard", { Gold = 0 })
	local h, p = copy(t, a, hoard), copy(t, a, poor)
	t:run(0.3)
	holds(t, h, { Gold = 500, Wood = 0 })
	t:eq(p.Gold, 0, "the parent's default, which is not the class's")
	t:eq(p.Wood, 0)
end)

scenario("R5.3 what no rule names never crosses: not at first, not later, nor what is not declared", function(t)
	local s, a = CHEST.start(t, {}, "a")
	local chest = s:spawn("Chest", { Gold = 1, Iron = 5 })
	chest.secret = "x"
	local c = copy(t, a, chest)
	t:run(0.2)
	t:eq(c.Iron, 0)
	chest.Iron, chest.secret, chest.Gold = 6, "y", 2
	t:within(1, function() return c.Gold == 2 end)
	t:run(0.3)
	t:eq({ c.Iron, c.secret, bytes(t, a, "Chest.Iron") }, { 0, nil, 0 })
end)

scenario("R5.3 a parent's rules hold for its children, whose own come on top", function(t)
	t:scripts(CHEST.classes .. [[
		local Safe = class("Safe", "Chest")
		Safe.properties { Code = int(0), Hint = int(0) }
		Safe.replication { { "Code" } }
	]])
	local _, _, safe, c = net.actor(t, "Safe", { Gold = 1, Code = 2, Hint = 3, Iron = 4 }, "a")
	t:run(0.2)
	t:eq({ c.Gold, c.Code, c.Hint, c.Iron }, { 1, 2, 0, 0 })
	safe.Gold, safe.Code, safe.Hint = 5, 6, 7
	t:run(0.3)
	t:eq({ c.Gold, c.Code, c.Hint, c.Iron }, { 5, 6, 0, 0 })
end)

for_each({
	{ "its parent's variable", "Gold", "scripts:4:%d+: error: .*Gold" },
	{ "a variable of the engine", "Location", "scripts:4:%d+: error: .*Location" },
	{ "a variable that does not exist", "Silver", "scripts:4:%d+: error: .*Silver" },
}, function(case)
	scenario("R5.3 a block that names " .. case[1] .. " does not load", function(t)
		t:scripts([[
			local A = class("A")
			A.properties { Gold = int(0) }
			local B = class("B", "A")
			B.replication { { "]] .. case[2] .. [[" } }
		]])
		t:error(function() t:server{} end, case[3])
	end)
end)

scenario("R5.4 a value that changed and changed back is not sent", function(t)
	local _, a, chest, c = CHEST.actor(t, "Chest", { Gold = 5, Wood = 1 }, "a")
	t:run(0.5)
	local gold, wood = bytes(t, a, "Chest.Gold"), bytes(t, a, "Chest.Wood")
	chest.Gold = 9
	chest.Gold = 5
	t:run(0.3)
	t:eq({ c.Gold, bytes(t, a, "Chest.Gold") }, { 5, gold })
	chest.Wood = 2
	t:within(1, function() return c.Wood == 2 end)
	t:eq(bytes(t, a, "Chest.Gold"), gold, "nor with the next change of another variable")
	t:gt(bytes(t, a, "Chest.Wood"), wood)
end)

scenario("R5.4 compared at the net update: what changes back over some ticks between two is not sent", function(t)
	local s, a = CHEST.start(t, { tick = 60, net = 10 }, "a")
	local chest, c = net.spawn(t, s, "Chest", { Gold = 5 }, a)
	t:run(0.5)
	local before = bytes(t, a, "Chest.Gold")
	for _ = 1, 5 do
		t:within(1, function() return math.floor(s.time * 60 + 0.5) % 6 == 1 end)
		chest.Gold = 9
		t:ticks(3)
		chest.Gold = 5
		t:ticks(2)
	end
	t:run(0.3)
	t:eq({ bytes(t, a, "Chest.Gold"), c.Gold }, { before, 5 })
end)

scenario("R5.4 setting an equal value makes nothing dirty", function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { Gold = int(5), Wood = int(0), Place = vector(1, 2, 3), bOpen = false }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication {
			{ "Gold", "Place" },
			{ "Wood", when = function(self) return self.bNetDirty and self.bOpen end },
		}
	]]
	local _, _, chest, c = net.actor(t, "Chest", {}, "a")
	chest.Wood, chest.Gold = 7, 4
	t:within(1, function() return c.Gold == 4 end)
	t:run(0.3)
	chest.bOpen = true
	t:run(0.2)
	t:eq(c.Wood, 0, "nothing is dirty any more")
	chest.Gold, chest.Place = 4, vector(1, 2, 3)
	t:run(0.3)
	t:eq(c.Wood, 0, "equal values leave it so")
	chest.Gold = 6
	t:within(1, function() return c.Wood == 7 end)
end)

scenario("R5.4 a client never sees a value of the middle of a tick", function(t)
	t:scripts [[
		local Meter = class("Meter")
		Meter.properties { N = int(0), At = vector(0, 0, 0) }
		Meter.defaults { bAlwaysRelevant = true }
		Meter.replication { { "N", "At" } }
		function Meter:Tick(_)
			local n = self.N
			for i = 1, 3 do
				self.N = -i
				self.At = vector(-i, 0, 0)
			end
			self.N = n + 1
			self.At = vector(n + 1, 0, 0)
		end
	]]
	local _, a, meter, c = net.actor(t, "Meter", {}, "a")
	t:always(1, function() return c.N >= 0 and c.At.X >= 0 end)
	t:gt(c.N, 20)
	for _, n in ipairs(received(t, a, meter, "N")) do t:ge(n, 0) end
end)

scenario("R5.4 an actor that comes and goes between two net updates is never told of", function(t)
	local s, a = CHEST.start(t, {}, "a")
	local x = s:spawn("Chest")
	x:Destroy()
	local y = s:spawn("Chest", { Gold = 1 })
	y.Gold = 2
	local c = copy(t, a, y)
	t:run(0.3)
	t:eq({ c.Gold, #a:actors("Chest") }, { 2, 1 })
	for _, e in ipairs(t:trace(a)) do
		t:no(e.event == "set" and e.actor == y and e.name == "Gold" and e.value ~= 2)
	end
end)
