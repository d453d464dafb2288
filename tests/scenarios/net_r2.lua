-- Section 2 of the rules: roles, as server and clients see them.

local net = require("shared.net")
local present = net.copies

-- roles checks both roles of one actor.
local function roles(t, actor, role, remote, what)
	t:eq({ actor.Role, actor.RemoteRole }, { role, remote }, what)
end

scenario("R2.1 on the server every Role is Authority, whoever owns it", function(t)
	local s, a = net.play(t, { level = "steps" }, "a", "b")
	s:spawn("Actor", { Owner = s:controller(a) })
	s:spawn("Actor", { RemoteRole = ROLE_None })
	t:run(0.2)
	for _, x in ipairs(s:actors("Actor")) do
		t:eq(x.Role, ROLE_Authority, tostring(x))
		t:ok(x:HasAuthority())
	end
end)

scenario("R2.1 a client has the server's pair of roles swapped", function(t)
	local s, a = net.play(t, {}, "a")
	local x = net.spawn(t, s, "Actor", { Location = vector(300, -1800, 100) }, a)
	roles(t, x, ROLE_Authority, ROLE_SimulatedProxy)
	roles(t, a:copy(x), ROLE_SimulatedProxy, ROLE_Authority)
	t:no(a:copy(x):HasAuthority())
end)

scenario("R2.1 roles are there in PreBeginPlay", function(t)
	t:scripts [[
		local Mark = class("Mark")
		Mark.defaults { bAlwaysRelevant = true }
		function Mark.simulated:PreBeginPlay() self.seen = self.Role * 10 + self.RemoteRole end
	]]
	local s, a = net.play(t, {}, "a")
	local x = net.spawn(t, s, "Mark", {}, a)
	t:eq(a:copy(x).seen, ROLE_SimulatedProxy * 10 + ROLE_Authority)
	t:eq(x.seen, ROLE_Authority * 10 + ROLE_SimulatedProxy)
end)

scenario("R2.2 the owner's copies of controller and pawn are AutonomousProxy, all others' SimulatedProxy", function(t)
	local s, a, b = net.play(t, {}, "a", "b")
	present(t, s:pawn(a), a, b)
	present(t, s:pawn(b), a, b)
	roles(t, a:controller(), ROLE_AutonomousProxy, ROLE_Authority, "a's controller")
	roles(t, a:pawn(), ROLE_AutonomousProxy, ROLE_Authority, "a's pawn at a")
	roles(t, b:copy(s:pawn(a)), ROLE_SimulatedProxy, ROLE_Authority, "a's pawn at b")
	roles(t, b:pawn(), ROLE_AutonomousProxy, ROLE_Authority, "b's pawn at b")
	roles(t, a:copy(s:pawn(b)), ROLE_SimulatedProxy, ROLE_Authority, "b's pawn at a")
	roles(t, s:pawn(a), ROLE_Authority, ROLE_AutonomousProxy, "a's pawn at the server")
	t:eq({ b:copy(s:controller(a)), a:copy(s:controller(b)) }, { nil, nil })
end)

scenario("R2.2 a pawn that nobody possesses, or a bot, is SimulatedProxy for all", function(t)
	local s, a, b = net.play(t, {}, "a", "b")
	local free = s:spawn("Character", { Location = vector(300, -1800, 88) })
	local bots = s:spawn("Character", { Location = vector(500, -1800, 88) })
	s:spawn("AIController"):Possess(bots)
	present(t, free, a, b)
	present(t, bots, a, b)
	for _, c in ipairs({ a, b }) do
		roles(t, c:copy(free), ROLE_SimulatedProxy, ROLE_Authority)
		roles(t, c:copy(bots), ROLE_SimulatedProxy, ROLE_Authority)
	end
end)

scenario("R2.2 the pawn of a listen server's player is SimulatedProxy for every client", function(t)
	local s, a = net.play(t, { mode = "listen" }, "a")
	present(t, s:pawn(), a)
	roles(t, a:copy(s:pawn()), ROLE_SimulatedProxy, ROLE_Authority)
	roles(t, a:pawn(), ROLE_AutonomousProxy, ROLE_Authority)
	t:eq(s:pawn().Role, ROLE_Authority)
end)

scenario("R2.2 un-possessing and possessing switch roles on all clients at once", function(t)
	local s, a, b = net.play(t, {}, "a", "b")
	local old = s:pawn(a)
	local new = s:spawn("Character", { Location = vector(300, -1800, 88) })
	present(t, old, a, b)
	present(t, new, a, b)
	s:controller(a):UnPossess()
	t:eq(old.Role, ROLE_Authority)
	t:within(0.2, function() return a:copy(old).Role == ROLE_SimulatedProxy end)
	t:eq(a:copy(new).Role, ROLE_SimulatedProxy)
	s:controller(a):Possess(new)
	t:within(0.2, function() return a:copy(new).Role == ROLE_AutonomousProxy end)
	t:within(0.2, function() return a:pawn() == a:copy(new) end)
	t:run(0.3)
	roles(t, a:copy(old), ROLE_SimulatedProxy, ROLE_Authority, "the old pawn at a")
	roles(t, a:copy(new), ROLE_AutonomousProxy, ROLE_Authority, "the new pawn at a")
	roles(t, b:copy(old), ROLE_SimulatedProxy, ROLE_Authority, "the old pawn at b")
	roles(t, b:copy(new), ROLE_SimulatedProxy, ROLE_Authority, "the new pawn at b")
end)

scenario("R2.2 a player takes another's pawn from under him", function(t)
	local s, a, b = net.play(t, {}, "a", "b")
	local pa = s:pawn(a)
	present(t, pa, a, b)
	s:controller(b):Possess(pa)
	t:within(0.2, function()
		return a:copy(pa).Role == ROLE_SimulatedProxy and b:copy(pa).Role == ROLE_AutonomousProxy
	end)
	t:eq(s:pawn(a), nil)
	t:within(0.5, function() return a:pawn() == nil end)
end)

scenario("R2.2 a pawn that the player did not know of comes as his own when he possesses it", function(t)
	local s, a, b = net.play(t, {}, "a", "b")
	local far = s:spawn("Character", { Location = vector(0, 15900, 88) })
	t:run(0.5)
	t:eq(a:copy(far), nil)
	s:controller(a):Possess(far)
	t:within(0.5, function() return a:copy(far) and a:pawn() == a:copy(far) end)
	roles(t, a:pawn(), ROLE_AutonomousProxy, ROLE_Authority)
	t:ok(a:pawn():IsLocallyControlled())
	t:eq(b:copy(far), nil)
end)

scenario("R2.2 an AutonomousProxy that is not owned by the connection is a SimulatedProxy there", function(t)
	local s, a, b = net.play(t, {}, "a", "b")
	local x = net.spawn(t, s, "Actor", { RemoteRole = ROLE_AutonomousProxy, Owner = s:controller(a), bAlwaysRelevant = true }, a, b)
	roles(t, a:copy(x), ROLE_AutonomousProxy, ROLE_Authority)
	roles(t, b:copy(x), ROLE_SimulatedProxy, ROLE_Authority)
end)

scenario("R2.2 RemoteRole None is never replicated", function(t)
	local s, a = net.play(t, {}, "a")
	local never = s:spawn("Actor", { Location = vector(300, -1800, 100), RemoteRole = ROLE_None })
	local late = net.spawn(t, s, "Actor", { Location = vector(300, -1900, 100) }, a)
	t:eq(a:copy(never), nil)
	late.RemoteRole = ROLE_None
	t:within(0.5, function() return a:copy(late) == nil end)
	never.RemoteRole = ROLE_SimulatedProxy
	present(t, never, a)
	t:eq(a:copy(never).Role, ROLE_SimulatedProxy)
end)

local EFFECT = net.with [[
	local Ember = class("Ember")
	Ember.properties { N = int(0), Ticks = int(0), Began = int(0) }
	Ember.defaults { bAlwaysRelevant = true }
	Ember.replication { { "N" } }
	function Ember:BeginPlay() self.Began = 1 end
	function Ember:Tick(_) self.Ticks = self.Ticks + 1 end
	function Ember.server.reliable:ServerTell() end
	Ember.params { ServerTell = {} }
	function Ember.validate:ServerTell() return true end
	function Ember.multicast.reliable:AllTell() self.N = self.N + 1 end
]]

scenario("R2.3 what a client spawns itself has Role Authority there and is unknown to all others", function(t)
	local s, a, b = EFFECT.play(t, {}, "a", "b")
	local spark = a:spawn("Ember", { Location = vector(300, -1800, 100), Owner = a:pawn() })
	t:eq(spark.Role, ROLE_Authority)
	t:ok(spark:HasAuthority())
	t:run(0.5)
	t:eq({ #s:actors("Ember"), #b:actors("Ember"), #a:actors("Ember"), s:copy(spark) }, { 0, 0, 1, nil })
	t:eq({ b:copy(spark), spark.Role }, { nil, ROLE_Authority })
	t:eq(spark.Began, 1, "it runs everything, simulated or not")
	t:gt(spark.Ticks, 20)
end)

scenario("R2.3 a client's own actor sends nothing, neither variables nor calls", function(t)
	local s, a, b = EFFECT.play(t, {}, "a", "b")
	local spark = a:spawn("Ember", { Owner = a:pawn() })
	local errors = #s:log()
	for i = 1, 10 do
		spark.N = i * 10
		spark:ServerTell()
		t:ticks(2)
	end
	spark:AllTell()
	t:run(0.3)
	t:eq(spark.N, 101, "a multicast runs where it is called")
	t:eq(#s:log(), errors, "the server heard of nothing that it would have to refuse")
	t:eq({ a.error, #s:actors("Ember") + #b:actors("Ember") }, { nil, 0 })
end)

scenario("R2.3 a client's own actor goes when its client says so, and no id is mixed up", function(t)
	local s, a = EFFECT.play(t, {}, "a")
	local own = {}
	for i = 1, 10 do own[i] = a:spawn("Ember", { N = -i }) end
	local server = {}
	for i = 1, 10 do server[i] = s:spawn("Ember", { N = i }) end
	for i = 1, 10 do
		present(t, server[i], a)
		t:eq({ a:copy(server[i]).N, own[i].N }, { i, -i })
		t:no(own[i]:Is(server[i]))
	end
	for i = 1, 10 do own[i]:Destroy() end
	t:run(0.2)
	t:eq({ #a:actors("Ember"), #s:actors("Ember") }, { 10, 10 })
end)

scenario("R2.3 SpawnEffect makes an effect on clients, none on a dedicated server", function(t)
	t:scripts [[
		local Puff = class("Puff")
		local Bomb = class("Bomb")
		Bomb.defaults { bAlwaysRelevant = true }
		function Bomb.simulated.multicast.reliable:Boom() self:SpawnEffect("Puff", self.Location) end
	]]
	local s, a, b = net.play(t, {}, "a", "b")
	local bomb = net.spawn(t, s, "Bomb", { Location = vector(300, -1800, 100) }, a, b)
	bomb:Boom()
	t:within(1, function() return #a:actors("Puff") == 1 and #b:actors("Puff") == 1 end)
	t:eq({ #s:actors("Puff"), a:actors("Puff")[1].Role }, { 0, ROLE_Authority })
	t:eq(a:actors("Puff")[1].Location, vector(300, -1800, 100))
end)
