-- Section 5 of the rules, R5.20, R5.23 and R5.24: components, reload over the network, ReplicationInfo.

-- Joins a client for each table of options and waits until all are in.
local function join(t, s, ...)
	local list = {}
	for i, options in ipairs { ... } do
		list[i] = t:client(options)
	end
	t:within(10, function()
		for _, c in ipairs(list) do
			if not s:controller(c) or not c:controller() then
				return false
			end
		end
		return true
	end)
	return unpack(list)
end

-- Waits for a client's copy of an actor and gives it.
local function copy(t, client, actor)
	return t:within(5, function() return client:copy(actor) end)
end

-- Bytes that a client was sent for Class.Name, or for a whole class, so far.
local function bytes(t, client, key)
	local traffic = t:traffic(client)
	local entry = traffic.by_property[key] or traffic.by_class[key]
	return entry and entry.bytes or 0
end

-- How often a client's trace has an event of the server's actor.
local function count(t, client, actor, event, name)
	local n = 0
	for _, e in ipairs(t:trace(client)) do
		if e.event == event and e.actor == actor and (not name or e.name == name) then
			n = n + 1
		end
	end
	return n
end

-- R5.20

local PARTS = [[
	local Part = class("Part", "ActorComponent")
	Part.properties { Gold = int(0), Mine = int(0), Title = "", Plain = int(0) }
	Part.replication { { "Gold", "Title" }, { "Mine", when = COND_OwnerOnly } }
	function Part.server.reliable:ServerTake(n) self.took = n end
	function Part.client.reliable:ClientTake(n) self.took = n end
	function Part.multicast.reliable:MulticastTake(n) self.took = n end
	Part.params { ServerTake = { int(0) }, ClientTake = { int(0) }, MulticastTake = { int(0) } }
	function Part.validate:ServerTake(_) return true end
	local Silent = class("Silent", "ActorComponent")
	Silent.properties { Gold = int(0) }
	local Hero = class("Hero", "Character")
	Hero.components { Left = "Part", Right = "Part" }
	Hero.defaults { bAlwaysRelevant = true }
	local HeroGame = class("HeroGame", "GameInfo")
	HeroGame.defaults { DefaultPawnClass = "Hero" }
]]

scenario("R5.20 a component's variables cross through its actor, each component's own", function(t)
	t:scripts(PARTS)
	local s = t:server{ game = "HeroGame" }
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local pawn = s:pawn(a)
	local ca, cb = copy(t, a, pawn), copy(t, b, pawn)
	t:run(0.2)
	pawn.Left.Gold, pawn.Right.Gold, pawn.Right.Title, pawn.Left.Plain = 1, 2, "x", 9
	t:within(1, function() return ca.Left.Gold == 1 and cb.Right.Gold == 2 end)
	t:run(0.2)
	for _, c in ipairs { ca, cb } do
		t:eq({ c.Left.Gold, c.Left.Title, c.Right.Gold, c.Right.Title, c.Left.Plain }, { 1, "", 2, "x", 0 })
	end
	local late = join(t, s, { name = "late" })
	local cl = copy(t, late, pawn)
	t:within(1, function() return cl.Left.Gold == 1 and cl.Right.Gold == 2 and cl.Right.Title == "x" end)
end)

scenario("R5.20 conditions of a component ask for its actor's owner", function(t)
	t:scripts(PARTS)
	local s = t:server{ game = "HeroGame" }
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local pawn = s:pawn(a)
	local ca, cb = copy(t, a, pawn), copy(t, b, pawn)
	t:run(0.2)
	pawn.Left.Mine, pawn.Left.Gold = 5, 6
	t:within(1, function() return ca.Left.Mine == 5 and cb.Left.Gold == 6 end)
	t:run(0.3)
	t:eq(cb.Left.Mine, 0)
end)

scenario("R5.20 functions of a component go the way its actor's would", function(t)
	t:scripts(PARTS)
	local s = t:server{ game = "HeroGame" }
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local pawn = s:pawn(a)
	local ca, cb = copy(t, a, pawn), copy(t, b, pawn)
	t:within(1, function() return ca.Role == ROLE_AutonomousProxy end)
	ca.Left:ServerTake(5)
	t:within(1, function() return pawn.Left.took == 5 end)
	t:eq({ ca.Left.took, pawn.Right.took }, { nil, nil })
	cb.Left:ServerTake(6)
	t:run(0.3)
	t:eq({ pawn.Left.took, cb.Left.took }, { 5, nil }, "another client's is dropped")
	pawn.Right:ClientTake(7)
	t:within(1, function() return ca.Right.took == 7 end)
	t:run(0.2)
	t:eq({ pawn.Right.took, cb.Right.took, ca.Left.took }, { nil, nil, nil })
	pawn.Left:MulticastTake(8)
	t:within(1, function() return ca.Left.took == 8 and cb.Left.took == 8 end)
	t:eq(pawn.Left.took, 8)
end)

scenario("R5.20 a component that is added at run time comes to the clients, later ones too, and goes again", function(t)
	t:scripts(PARTS)
	local s = t:server{ game = "HeroGame" }
	local a = join(t, s, { name = "a" })
	local pawn = s:pawn(a)
	local c = copy(t, a, pawn)
	t:run(0.2)
	t:eq(c.Extra, nil)
	pawn:AddComponent("Part", "Extra")
	pawn.Extra.Gold = 5
	t:within(1, function() return c.Extra and c.Extra.Gold == 5 end)
	pawn.Extra.Gold = 6
	t:within(1, function() return c.Extra.Gold == 6 end)
	c.Extra:ServerTake(4)
	t:within(1, function() return pawn.Extra.took == 4 end)
	local late = join(t, s, { name = "late" })
	local cl = copy(t, late, pawn)
	t:within(1, function() return cl.Extra and cl.Extra.Gold == 6 end)
	pawn.Extra:Destroy()
	t:within(1, function() return c.Extra == nil and cl.Extra == nil end)
	t:ok(c.alive)
	t:eq(c.Left.Gold, 0)
end)

scenario("R5.20 what declares nothing replicated stays on its peer", function(t)
	t:scripts(PARTS)
	local s = t:server{ game = "HeroGame" }
	local a = join(t, s, { name = "a" })
	local pawn = s:pawn(a)
	local c = copy(t, a, pawn)
	pawn:AddComponent("Silent", "Shy")
	pawn:AddComponent("Part", "Extra")
	t:within(1, function() return c.Extra end)
	t:run(0.2)
	t:eq(c.Shy, nil)
	t:eq(pawn.Shy.Gold, 0)
end)

scenario("R5.20 a component is as relevant as its actor", function(t)
	t:scripts(PARTS)
	t:scripts [[
		local Purse = class("Purse")
		Purse.components { Left = "Part" }
		Purse.defaults { bOnlyRelevantToOwner = true }
	]]
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local purse = s:spawn("Purse", { Owner = s:controller(a) })
	purse.Left.Gold = 5
	local c = copy(t, a, purse)
	t:within(1, function() return c.Left.Gold == 5 end)
	t:run(0.2)
	t:eq(bytes(t, b, "Part"), 0)
	purse.Owner = s:controller(b)
	local d = copy(t, b, purse)
	t:within(1, function() return d.Left.Gold == 5 and not c.alive end)
	purse:Destroy()
	t:within(1, function() return not d.alive end)
end)

scenario("R5.20 a component's values of the start are there in its actor's PostNetBeginPlay", function(t)
	t:scripts(PARTS)
	t:scripts [[
		local Purse = class("Purse")
		Purse.components { Left = "Part" }
		Purse.defaults { bAlwaysRelevant = true }
		function Purse:BeginPlay() self.Left.Gold = 7 end
		function Purse.simulated:PostNetBeginPlay() self.net = self.Left.Gold end
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local purse = s:spawn("Purse")
	local c = copy(t, a, purse)
	t:within(1, function() return c.net end)
	t:eq(c.net, 7)
end)

scenario("R5.20 components arrive in the end, whatever is lost", { seeds = 5 }, function(t)
	t:scripts(PARTS)
	local s = t:server{ game = "HeroGame" }
	local a = join(t, s, { name = "a", lag = 0.04, jitter = 0.02, loss = 0.25, reorder = 0.1 })
	local pawn = s:pawn(a)
	local c = copy(t, a, pawn)
	for n = 1, 20 do
		if n == 5 then pawn:AddComponent("Part", "Extra") end
		if n >= 5 then pawn.Extra.Gold = n end
		pawn.Left.Gold = n
		pawn.Right.Title = "n" .. n
		t:ticks(1)
	end
	t:within(3, function()
		return c.Left.Gold == 20 and c.Right.Title == "n20" and c.Extra and c.Extra.Gold == 20
	end)
end)

-- Components that have everything.
local RICH = [[
	local Part = class("Part", "ActorComponent")
	Part.properties {
		N = int(0), Up = int(0), S = struct { A = int(0), B = "" }, Arr = array(int(0), 4), To = ref("Actor"), Bag = fastarray(struct { K = int(0) }), At = vector(0, 0, 0),
	}
	Part.replication { { "N", "S", "Arr", "To", "Bag", "At", notify = true } }
	function Part:OnRep_N(old) self.heard = old end
	function Part:OnAdd_Bag(key, item) self.added = (self.added or "") .. key .. ":" .. item.K .. " " end
	function Part:OnRemove_Bag(key, _) self.added = self.added .. "-" .. key .. " " end
	local Thing = class("Thing")
	Thing.components { Part = "Part" }
	Thing.properties { V = int(0) }
	Thing.defaults { bAlwaysRelevant = true }
	Thing.replication { { "V" } }
	function Thing:TornOff() self.torn = self.Part.N end
]]

scenario("R5.14 R5.20 notifies and callbacks of a component run on it", function(t)
	t:scripts(RICH)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Thing")
	local c = copy(t, a, x)
	t:run(0.2)
	x.Part.N = 5
	local k = x.Part.Bag:Add { K = 7 }
	t:within(1, function() return c.Part.N == 5 and c.Part.added == "1:7 " end)
	t:eq(c.Part.heard, 0)
	x.Part.N = 6
	x.Part.Bag:Remove(k)
	t:within(1, function() return c.Part.heard == 5 and c.Part.added == "1:7 -1 " end)
	t:eq({ x.Part.heard, x.Part.added }, { nil, nil }, "none on the server")
end)

scenario("R5.20 components have variables of every kind", function(t)
	t:scripts(RICH)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Thing")
	local c = copy(t, a, x)
	t:run(0.2)
	x.Part.S = { A = 1, B = "b" }
	x.Part.Arr[3] = 4
	x.Part.To = x
	x.Part.At = vector(1.5, 2, 3)
	t:within(1, function() return c.Part.S.A == 1 and c.Part.S.B == "b" and c.Part.Arr[3] == 4 and c.Part.To == c and c.Part.At == vector(2, 2, 3) end)
end)

scenario("R5.17 R5.20 a temporary actor's components come with its first send, and no more", function(t)
	t:scripts(RICH)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Thing", { bNetTemporary = true, V = 1 })
	x.Part.N = 5
	local c = copy(t, a, x)
	t:run(0.3)
	t:eq({ c.V, c.Part.N }, { 1, 5 })
	x.Part.N = 6
	x:Destroy()
	t:run(0.3)
	t:eq(c.Part.N, 5)
end)

scenario("R5.20 a component that goes and comes again under its name, whatever is lost", { seeds = 5 }, function(t)
	t:scripts(RICH)
	t:scripts [[
		local Other = class("Other", "ActorComponent")
		Other.properties { M = int(0) }
		Other.replication { { "M" } }
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.04, loss = 0.2, reorder = 0.1 })
	local x = s:spawn("Thing")
	local c = copy(t, a, x)
	for n = 1, 12 do
		local class = n % 2 == 0 and "Part" or "Other"
		x:AddComponent(class, "Extra")
		if class == "Part" then x.Extra.N = n else x.Extra.M = n end
		t:ticks(n % 5 + 1)
		if n < 12 then x.Extra:Destroy() end
	end
	t:within(4, function() return c.Extra and c.Extra:GetClass() == "Part" and c.Extra.N == 12 end)
end)

scenario("R5.20 added components go and come with the relevancy of their actor", function(t)
	t:scripts(RICH)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Thing", { bAlwaysRelevant = false, bOnlyRelevantToOwner = true, Owner = s:controller(a) })
	x:AddComponent("Part", "Extra")
	x.Extra.N = 3
	local c = copy(t, a, x)
	t:within(1, function() return c.Extra and c.Extra.N == 3 end)
	x.Owner = nil
	t:within(1, function() return not c.alive end)
	x.Extra.N, x.Part.N = 4, 5
	x.Owner = s:controller(a)
	c = copy(t, a, x)
	t:within(1, function() return c.Extra and c.Extra.N == 4 and c.Part.N == 5 end)
	x.Owner = nil
	t:within(1, function() return not c.alive end)
	x.Extra:Destroy()
	x.Owner = s:controller(a)
	c = copy(t, a, x)
	t:run(0.3)
	t:eq(c.Extra, nil)
	t:eq(c.Part.N, 5)
end)

scenario("R5.23 after a reload a component's new variables cross and its removed ones are gone", function(t)
	t:scripts(RICH)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Thing")
	x.Part.N = 5
	local c = copy(t, a, x)
	t:within(1, function() return c.Part.N == 5 end)
	t:reload((RICH:gsub("N = int%(0%),", "Z = int(0), N = int(0),"):gsub('{ { "N", ', '{ { "Z", "N", ')))
	x.Part.Z, x.Part.N = 7, 8
	t:within(2, function() return c.Part.Z == 7 and c.Part.N == 8 end)
end)

-- R5.23

local OLD = [[
	local Chest = class("Chest")
	Chest.properties { Gold = int(0), Wood = int(0), Kind = int(0), Iron = int(0) }
	Chest.defaults { bAlwaysRelevant = true }
	Chest.replication { { "Gold", "Wood", "Kind" } }
	function Chest.simulated:Say() return "old" end
	function Chest.multicast.reliable:Shout(n) self.heard = n end
	Chest.params { Shout = { int(0) } }
]]

local NEW = [[
	local Chest = class("Chest")
	Chest.properties { Silver = int(3), Gold = int(0), Kind = "text", Iron = int(0) }
	Chest.defaults { bAlwaysRelevant = true }
	Chest.replication { { "Silver", "Gold", "Kind", "Iron" } }
	function Chest.simulated:Say() return "new" end
	function Chest.multicast.reliable:Whisper(n) self.whisper = n end
	function Chest.multicast.reliable:Shout(n) self.heard = n * 10 end
	Chest.params { Shout = { int(0) }, Whisper = { int(0) } }
	function Chest.simulated:Reloaded(_) self.told = true end
	local Crate = class("Crate", "Chest")
]]

scenario("R5.23 after a reload added variables cross, removed ones are gone, nobody reconnects", function(t)
	t:scripts(OLD)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local chest = s:spawn("Chest", { Gold = 5, Wood = 6, Kind = 7, Iron = 8 })
	local ca, cb = copy(t, a, chest), copy(t, b, chest)
	t:run(0.3)
	local pc = a:controller()
	t:reload(NEW)
	t:run(0.3)
	for _, c in ipairs { ca, cb } do
		t:within(1, function() return c:Say() == "new" end)
		t:ok(c.told)
		t:eq({ c.Gold, c.Silver, c.Kind, c.Wood }, { 5, 3, "text", nil })
		t:within(1, function() return c.Iron == 8 end)
	end
	chest.Silver, chest.Gold, chest.Kind = 30, 50, "x"
	t:within(1, function()
		return ca.Silver == 30 and ca.Gold == 50 and ca.Kind == "x" and cb.Silver == 30 and cb.Gold == 50 and cb.Kind == "x"
	end)
	t:ok(pc.alive)
	t:eq({ a.error, b.error }, { nil, nil })
	t:eq(count(t, a, chest, "opened"), 1)
end)

scenario("R5.23 after a reload functions that were added and changed are called on clients, and new classes spawn there", function(t)
	t:scripts(OLD)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local chest = s:spawn("Chest")
	local c = copy(t, a, chest)
	chest:Shout(1)
	t:within(1, function() return c.heard == 1 end)
	t:reload(NEW)
	chest:Shout(2)
	chest:Whisper(3)
	t:within(2, function() return c.heard == 20 and c.whisper == 3 end)
	local crate = s:spawn("Crate", { Silver = 9 })
	local d = copy(t, a, crate)
	t:within(1, function() return d.Silver == 9 end)
	t:eq(d:GetClass(), "Crate")
end)

scenario("R5.23 after a reload conditions, defaults and notifies of the new scripts hold", function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { Gold = int(0), Wood = int(0) }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication { { "Gold", when = COND_OwnerOnly }, { "Wood" } }
	]]
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local chest = s:spawn("Chest", { Owner = s:controller(a), Gold = 5, Wood = 5 })
	local ca, cb = copy(t, a, chest), copy(t, b, chest)
	t:within(1, function() return ca.Gold == 5 and cb.Wood == 5 end)
	t:run(0.3)
	t:eq(cb.Gold, 0)
	t:reload [[
		local Chest = class("Chest")
		Chest.properties { Gold = int(0), Wood = int(0) }
		Chest.defaults { bAlwaysRelevant = true, Gold = 100 }
		Chest.replication { { "Gold", notify = true }, { "Wood", when = COND_OwnerOnly } }
		function Chest:OnRep_Gold(old) self.heard = old end
	]]
	t:within(2, function() return cb.Gold == 5 end)
	chest.Gold, chest.Wood = 6, 6
	t:within(2, function() return ca.Gold == 6 and cb.Gold == 6 and ca.Wood == 6 end)
	t:run(0.3)
	t:eq(cb.Wood, 5)
	t:eq({ ca.heard, cb.heard }, { 5, 5 })
	local fresh = s:spawn("Chest")
	t:eq(copy(t, b, fresh).Gold, 100)
end)

scenario("R5.23 what is under way during a reload is not lost", { seeds = 5 }, function(t)
	t:scripts(OLD)
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.08, jitter = 0.02, loss = 0.15 })
	local list = {}
	for i = 1, 8 do list[i] = s:spawn("Chest", { Gold = i, Iron = i }) end
	copy(t, a, list[8])
	for _, chest in ipairs(list) do chest.Gold = chest.Gold + 100 end
	t:ticks(2)
	t:reload(NEW)
	for _, chest in ipairs(list) do chest.Silver = chest.Gold end
	t:ticks(2)
	for i = 9, 12 do list[i] = s:spawn("Crate", { Gold = 100 + i, Silver = 100 + i, Iron = i }) end
	t:within(4, function()
		for i, chest in ipairs(list) do
			local c = a:copy(chest)
			if not c or c.Gold ~= 100 + i or c.Silver ~= 100 + i or c.Iron ~= i then
				return false
			end
		end
		return true
	end)
	t:eq(a.error, nil)
end)

scenario("R5.23 a reload that does not load changes nothing, on no peer", function(t)
	t:scripts(OLD)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local chest = s:spawn("Chest", { Gold = 5 })
	local c = copy(t, a, chest)
	t:run(0.2)
	t:error(function() t:reload [[ local Chest = class("Chest", "Nobody") ]] end, "Nobody")
	t:run(0.2)
	t:eq({ chest:Say(), c:Say(), c.Gold }, { "old", "old", 5 })
	chest.Gold = 6
	t:within(1, function() return c.Gold == 6 end)
end)

scenario("R5.23 several reloads in a row", function(t)
	local function version(n)
		local names = {}
		for i = 1, n do names[i] = '"V' .. i .. '"' end
		local list = table.concat(names, ", ")
		return [[
			local Chest = class("Chest")
			Chest.properties { ]] .. list:gsub('"', ""):gsub("(V%d+)", "%1 = int(0)") .. [[ }
			Chest.defaults { bAlwaysRelevant = true }
			Chest.replication { { ]] .. list .. [[ } }
		]]
	end
	t:scripts(version(1))
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.03 })
	local chest = s:spawn("Chest", { V1 = 1 })
	local c = copy(t, a, chest)
	for n = 2, 5 do
		t:reload(version(n))
		chest["V" .. n] = n
		t:ticks(1)
	end
	t:within(2, function() return c.V5 == 5 end)
	t:eq({ c.V1, c.V2, c.V3, c.V4 }, { 1, 2, 3, 4 })
	chest.V1 = 10
	t:within(1, function() return c.V1 == 10 end)
end)

scenario("R5.23 a client without the scripts fetches them and is in like any other", function(t)
	t:scripts(OLD)
	local s = t:server{}
	local chest = s:spawn("Chest", { Gold = 5 })
	local a, b = join(t, s, { name = "a", cold = true }, { name = "b" })
	local ca, cb = copy(t, a, chest), copy(t, b, chest)
	t:within(1, function() return ca.Gold == 5 and cb.Gold == 5 end)
	t:eq(ca:Say(), "old")
	chest:Shout(3)
	t:within(1, function() return ca.heard == 3 end)
	t:reload(NEW)
	t:within(2, function() return ca:Say() == "new" and cb:Say() == "new" end)
end)

scenario("R5.23 who joins after a reload has the new scripts", function(t)
	t:scripts(OLD)
	local s = t:server{}
	local chest = s:spawn("Chest", { Gold = 5 })
	t:run(0.2)
	t:reload(NEW)
	chest.Silver = 8
	local a, b = join(t, s, { name = "a" }, { name = "b", cold = true })
	for _, client in ipairs { a, b } do
		local c = copy(t, client, chest)
		t:within(1, function() return c.Silver == 8 and c.Gold == 5 end)
		t:eq(c:Say(), "new")
	end
end)

-- R5.24

scenario("R5.24 a ReplicationInfo is looked at seldom, but a change goes out at once", function(t)
	t:scripts [[
		local Board = class("Board", "ReplicationInfo")
		Board.properties { N = int(0) }
		Board.defaults { NetUpdateFrequency = 0.5, MinNetUpdateFrequency = 0.5 }
		Board.replication { { "N" } }
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local board = s:spawn("Board", { N = 1 })
	local c = copy(t, a, board)
	t:within(1, function() return c.N == 1 end)
	for n = 2, 6 do
		t:run(0.17)
		board.N = n
		t:within(0.15, function() return c.N == n end)
	end
end)

scenario("R5.24 a ReplicationInfo is relevant to all, from anywhere, and sends none of the actor's own variables", function(t)
	t:scripts [[
		local Board = class("Board", "ReplicationInfo")
		Board.properties { N = int(0) }
		Board.replication { { "N" } }
	]]
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local board = s:spawn("Board", { N = 1, Location = vector(0, 16000, 16000), DrawScale = 2, Owner = s:controller(a) })
	local ca, cb = copy(t, a, board), copy(t, b, board)
	t:within(1, function() return ca.N == 1 and cb.N == 1 end)
	board.DrawScale, board.N = 3, 2
	t:within(1, function() return ca.N == 2 and cb.N == 2 end)
	t:run(0.2)
	t:eq({ ca.DrawScale, cb.DrawScale }, { 1, 1 })
	t:ok(board.bSkipActorPropertyReplication and board.bOnlyDirtyReplication)
	t:le(board.NetUpdateFrequency, 10)
end)

scenario("R5.24 the game's own infos do so: the score of a player at once", function(t)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local card = s:controller(a).PlayerReplicationInfo
	local ca, cb = copy(t, a, card), copy(t, b, card)
	t:run(0.5)
	card.Score = 3
	t:within(0.2, function() return ca.Score == 3 and cb.Score == 3 end)
	card.Ping = 77
	t:within(0.2, function() return cb.Ping == 77 end)
	t:run(0.2)
	t:ne(ca.Ping, 77, "its owner measures it himself")
end)
