-- Section 5 of the rules, R5.20 and R5.24: components, ReplicationInfo.

local net = require("shared.net")
local bytes, copy, join = net.bytes, net.copy, net.join

local PARTS = net.with [[
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
]]

scenario("R5.20 a component's variables cross through its actor, each component's own", function(t)
	local s, _, _, pawn, ca, cb = PARTS.pawn(t, { pawn = "Hero" }, "a", "b")
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

scenario("R5.20 a component's conditions follow its actor's owner and its own variables", function(t)
	t:scripts [[
		local Part = class("Part", "ActorComponent")
		Part.properties { Mine = int(0), Rest = int(0), Gate = int(0), bOpen = false, First = int(0) }
		Part.replication {
			{ "Mine", when = COND_OwnerOnly }, { "Rest", when = COND_SkipOwner }, { "First", when = COND_InitialOnly },
			{ "Gate", when = function(self) return self.bOpen and not self.bNetOwner end },
		}
		local Thing = class("Thing")
		Thing.components { Part = "Part" }
		Thing.defaults { bAlwaysRelevant = true }
	]]
	local s, a, b = net.start(t, {}, "a", "b")
	local x = s:spawn("Thing", { Owner = s:controller(a) })
	x.Part.Mine, x.Part.Rest, x.Part.Gate, x.Part.First = 1, 2, 3, 4
	local ca, cb = copy(t, a, x), copy(t, b, x)
	t:run(0.4)
	local function have(c) return { c.Part.Mine, c.Part.Rest, c.Part.Gate, c.Part.First } end
	t:eq({ have(ca), have(cb) }, { { 1, 0, 0, 4 }, { 0, 2, 0, 4 } })
	x.Part.bOpen, x.Part.First = true, 5
	t:within(1, function() return cb.Part.Gate == 3 end)
	x.Owner = s:controller(b)
	t:within(1, function() return cb.Part.Mine == 1 and ca.Part.Rest == 2 and ca.Part.Gate == 3 end)
	x.Part.Mine, x.Part.Rest = 6, 7
	t:run(0.4)
	t:eq({ have(ca), have(cb) }, { { 1, 7, 3, 4 }, { 6, 2, 3, 4 } })
end)

scenario("R5.20 a component that is added at run time comes to the clients, later ones too, and goes again", function(t)
	local s, _, pawn, c = PARTS.pawn(t, { pawn = "Hero" }, "a")
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
	local _, _, pawn, c = PARTS.pawn(t, { pawn = "Hero" }, "a")
	pawn:AddComponent("Silent", "Shy")
	pawn:AddComponent("Part", "Extra")
	t:within(1, function() return c.Extra end)
	t:run(0.2)
	t:eq({ c.Shy, pawn.Shy.Gold }, { nil, 0 })
end)

scenario("R5.20 a component is as relevant as its actor", function(t)
	t:scripts(PARTS.classes .. [[
		local Purse = class("Purse")
		Purse.components { Left = "Part" }
		Purse.defaults { bOnlyRelevantToOwner = true }
	]])
	local s, a, b = net.start(t, {}, "a", "b")
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
	t:scripts(PARTS.classes .. [[
		local Purse = class("Purse")
		Purse.components { Left = "Part" }
		Purse.defaults { bAlwaysRelevant = true }
		function Purse:BeginPlay() self.Left.Gold = 7 end
		function Purse.simulated:PostNetBeginPlay() self.net = self.Left.Gold end
	]])
	local _, _, _, c = net.actor(t, "Purse", {}, "a")
	t:within(1, function() return c.net end)
	t:eq(c.net, 7)
end)

-- Components that have everything.
local RICH = net.with [[
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
	local _, _, x, c = RICH.actor(t, "Thing", {}, "a")
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

scenario("R5.17 R5.20 a temporary actor's components come with its first send, and no more", function(t)
	local s, a = RICH.start(t, {}, "a")
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

scenario("R5.24 a ReplicationInfo is looked at seldom, but a change goes out at once", function(t)
	t:scripts [[
		local Board = class("Board", "ReplicationInfo")
		Board.properties { N = int(0) }
		Board.defaults { NetUpdateFrequency = 0.5, MinNetUpdateFrequency = 0.5 }
		Board.replication { { "N" } }
	]]
	local _, _, board, c = net.actor(t, "Board", { N = 1 }, "a")
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
	local s, a, b = net.start(t, {}, "a", "b")
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
	local s, a, b = net.start(t, {}, "a", "b")
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

scenario("R5.18 R5.20 a torn-off actor's components are told with it", function(t)
	local _, _, x, c = RICH.actor(t, "Thing", {}, "a")
	t:run(0.3)
	x.Part.N, x.V = 5, 6
	x.bTearOff = true
	t:within(1, function() return c.torn end)
	t:eq({ c.torn, c.V, c.Part.N }, { 5, 6, 5 })
	x.Part.N = 9
	t:run(0.3)
	t:eq(c.Part.N, 5)
end)
