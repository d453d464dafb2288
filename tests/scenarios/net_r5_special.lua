-- Section 5 of the rules, R5.17 to R5.19: temporary and torn-off actors, and which of an actor's own variables cross.

local net = require("shared.net")
local bytes, copy, count, join = net.bytes, net.copy, net.count, net.join

local SHELL = net.with [[
	local Shell = class("Shell")
	Shell.properties { N = int(0), Ticks = int(0) }
	Shell.defaults { bAlwaysRelevant = true, bNetTemporary = true }
	Shell.replication { { "N" } }
	function Shell.simulated:Tick(_) self.Ticks = self.Ticks + 1 end
	function Shell:Destroyed() self.gone = true end
	function Shell.simulated:End() return self:Destroy() end
]]

scenario("R5.17 a temporary actor's first send is its last", function(t)
	local _, a, shell, c = SHELL.actor(t, "Shell", { N = 5, Location = vector(10, 20, 30) }, "a")
	t:run(0.4)
	t:eq({ c.N, c.Location }, { 5, vector(10, 20, 30) })
	t:eq(count(t, a, shell, "closed"), 1, "the channel closes")
	local sent = bytes(t, a, "Shell")
	shell.N, shell.DrawScale = 6, 3
	t:run(0.5)
	t:eq({ c.N, c.DrawScale }, { 5, 1 })
	t:eq(bytes(t, a, "Shell"), sent, "nothing more is spent on it")
	t:gt(c.Ticks, 20, "the copy lives on")
	t:eq(c.Role, ROLE_SimulatedProxy)
end)

scenario("R5.17 the server's Destroy does not reach a temporary copy; code of the client ends it", function(t)
	local s, a, b = SHELL.start(t, {}, "a", "b")
	local shell, ca, cb = net.spawn(t, s, "Shell", {}, a, b)
	t:run(0.4)
	shell:Destroy()
	t:run(0.5)
	t:eq({ ca.alive, cb.alive }, { true, true })
	ca:End()
	t:run(0.1)
	t:eq({ ca.alive, cb.alive }, { false, true })
	t:eq(#a:log(), 0)
end)

scenario("R5.17 a temporary copy simulates itself: a projectile flies on until it meets something", function(t)
	t:scripts [[
		local Ball = class("Ball", "Projectile")
		Ball.defaults { bNetTemporary = true, bAlwaysRelevant = true, Speed = 1000, LifeSpan = 1 }
	]]
	local _, a, ball, c = net.actor(t, "Ball", { Location = vector(-2000, 0, 3000) }, "a")
	t:run(0.2)
	local x = c.Location.X
	ball:Destroy()
	t:run(0.4)
	t:near(c.Location.X - x, 400, 60)
	t:within(1, function() return not c.alive end)
	t:eq(#a:actors("Ball"), 0)
end)

scenario("R5.17 to stop being relevant does not end a temporary copy", function(t)
	t:scripts [[
		local Shell = class("Shell")
		Shell.defaults { bNetTemporary = true, bOnlyRelevantToOwner = true }
		local Plain = class("Plain")
		Plain.defaults { bOnlyRelevantToOwner = true }
	]]
	local s, a = net.start(t, {}, "a")
	local shell, plain = s:spawn("Shell", { Owner = s:controller(a) }), s:spawn("Plain", { Owner = s:controller(a) })
	local c, d = copy(t, a, shell), copy(t, a, plain)
	t:run(0.4)
	shell.Owner, plain.Owner = nil, nil
	t:within(1, function() return not d.alive end)
	t:run(0.3)
	t:ok(c.alive)
end)

scenario("R5.17 who joins later gets a temporary actor that is still there, as it is now", function(t)
	local s, a, shell, ca = SHELL.actor(t, "Shell", { N = 5 }, "a")
	t:run(0.4)
	shell.N = 6
	local b = join(t, s, { name = "b" })
	local cb = copy(t, b, shell)
	t:run(0.4)
	t:eq({ ca.N, cb.N }, { 5, 6 })
	t:eq(#a:actors("Shell"), 1, "it is not opened again where it was")
end)

scenario("R5.17 Destroy on a client's proxy is refused and reported, and works on what is its own", function(t)
	t:scripts(SHELL.classes)
	t:scripts [[ local Stone = class("Stone") Stone.defaults { bAlwaysRelevant = true } function Stone.simulated:End() return self:Destroy() end ]]
	local _, a, stone, c = net.actor(t, "Stone", {}, "a")
	t:run(0.2)
	t:no(c:End())
	t:run(0.2)
	t:ok(c.alive)
	t:ok(stone.alive)
	t:match(a:log()[#a:log()] or "", "Stone")
	local own = a:spawn("Stone")
	t:eq(own.Role, ROLE_Authority)
	own:Destroy()
	t:no(own.alive)
	stone:Destroy()
	t:within(1, function() return not c.alive end)
end)

local CORPSE = net.with [[
	local Corpse = class("Corpse")
	Corpse.properties { N = int(0), Ticks = int(0) }
	Corpse.defaults { bAlwaysRelevant = true }
	Corpse.replication { { "N" } }
	function Corpse:TornOff()
		self.torn = (self.torn or 0) + 1
		self.last = self.N
	end
	function Corpse:Tick(_) self.Ticks = self.Ticks + 1 end
]]

scenario("R5.18 bTearOff is the last update: the copies become their own, with what changed in the same tick", function(t)
	local s, a, b = CORPSE.start(t, {}, "a", "b")
	local corpse, ca, cb = net.spawn(t, s, "Corpse", { N = 1 }, a, b)
	t:run(0.3)
	t:eq(ca.Ticks, 0, "a simulated proxy runs simulated functions only")
	corpse.N, corpse.bTearOff = 2, true
	t:within(1, function() return ca.torn and cb.torn end)
	t:run(0.3)
	for _, c in ipairs { ca, cb } do
		t:eq({ c.N, c.last, c.torn, c.Role }, { 2, 2, 1, ROLE_Authority })
		t:ok(c.bTearOff)
		t:gt(c.Ticks, 5, "now it runs everything")
	end
	t:eq({ count(t, a, corpse, "torn_off"), corpse.Role }, { 1, ROLE_Authority })
end)

scenario("R5.18 nothing of a torn-off actor is sent any more, not even its end", function(t)
	local _, a, corpse, c = CORPSE.actor(t, "Corpse", { N = 1 }, "a")
	t:run(0.2)
	corpse.bTearOff = true
	t:within(1, function() return c.torn end)
	t:run(0.3)
	local sent = bytes(t, a, "Corpse")
	corpse.N = 9
	t:run(0.4)
	t:eq({ c.N, bytes(t, a, "Corpse") }, { 1, sent })
	corpse:Destroy()
	t:run(0.4)
	t:ok(c.alive)
	c:Destroy()
	t:no(c.alive, "it is the client's own")
	t:eq(#a:log(), 0)
end)

scenario("R5.18 who comes later never gets it, nor to whom it was not relevant", function(t)
	t:scripts(CORPSE.classes .. [[
		local Private = class("Private", "Corpse")
		Private.defaults { bAlwaysRelevant = false, bOnlyRelevantToOwner = true }
	]])
	local s, a, b = net.start(t, {}, "a", "b")
	local corpse, private = s:spawn("Corpse"), s:spawn("Private", { Owner = s:controller(a) })
	local c, d = copy(t, a, corpse), copy(t, a, private)
	t:run(0.2)
	corpse.bTearOff, private.bTearOff = true, true
	t:within(1, function() return c.torn and d.torn end)
	private.Owner = s:controller(b)
	local late = join(t, s, { name = "late" })
	t:run(0.6)
	t:eq({ #late:actors("Corpse"), late:copy(corpse), #b:actors("Private") }, { 0, nil, 0 })
	t:eq({ c.alive, d.alive }, { true, true })
end)

for_each({ true, false }, function(on)
	scenario("R5.19 bReplicateInstigator = " .. tostring(on), function(t)
		local s, a = net.start(t, {}, "a")
		local pawn = s:pawn(a)
		copy(t, a, pawn)
		local _, c = net.spawn(t, s, "Actor", { bAlwaysRelevant = true, bReplicateInstigator = on, Instigator = pawn, DrawScale = 2 }, a)
		t:within(1, function() return c.DrawScale == 2 end)
		t:run(0.3)
		t:eq(c.Instigator, on and a:copy(pawn) or nil)
	end)
end)

for_each({ true, false }, function(skip)
	scenario("R5.19 bSkipActorPropertyReplication = " .. tostring(skip) .. ": of the actor's own variables", function(t)
		t:scripts [[
			local Note = class("Note")
			Note.properties { V = int(0) }
			Note.defaults { bAlwaysRelevant = true, bUpdateSimulatedPosition = true }
			Note.replication { { "V" } }
		]]
		local s, a, note, c = net.actor(t, "Note", { bSkipActorPropertyReplication = skip, V = 1, DrawScale = 2, Location = vector(100, 0, 0) }, "a")
		t:within(1, function() return c.V == 1 end)
		t:run(0.2)
		t:eq(c.DrawScale, skip and 1 or 2)
		t:eq(c.Location, vector(100, 0, 0), "the place of the opening is there all the same")
		note.DrawScale, note.bHidden, note.V = 3, true, 2
		note:SetLocation(vector(200, 0, 0))
		note.Owner = s:controller(a)
		t:within(1, function() return c.V == 2 end)
		t:run(0.2)
		t:eq({ c.DrawScale, c.bHidden, c.Location.X }, skip and { 1, false, 100 } or { 3, true, 200 })
		t:eq(c.Owner, (not skip) and a:controller() or nil)
	end)
end)

scenario("R5.19 an actor with bOnlyDirtyReplication misses no set of a variable", { seeds = 5 }, function(t)
	t:scripts [[
		local Note = class("Note")
		Note.properties { V = int(0), Arr = array(int(0), 4), S = struct { A = int(0) }, Bag = fastarray(struct { K = int(0) }) }
		Note.defaults { bAlwaysRelevant = true, bOnlyDirtyReplication = true }
		Note.replication { { "V", "Arr", "S", "Bag" } }
	]]
	local _, _, note, c = net.actor(t, "Note", { V = 1 }, { name = "a", lag = 0.03, loss = 0.2 })
	t:within(2, function() return c.V == 1 end)
	note.V = 2
	t:within(2, function() return c.V == 2 end)
	t:run(0.3)
	note.Arr[3] = 5
	t:within(2, function() return c.Arr[3] == 5 end)
	note.S.A = 6
	t:within(2, function() return c.S.A == 6 end)
	note.Bag:Add { K = 7 }
	t:within(2, function() return #c.Bag == 1 end)
	t:eq(c.V, 2)
end)

scenario("R5.17 what hits before its sending is confirmed may end on the client, too", function(t)
	t:scripts [[
		local Dart = class("Dart", "Projectile")
		Dart.defaults { bNetTemporary = true, bAlwaysRelevant = true, bCollideActors = false, Physics = PHYS_None }
		function Dart.simulated:PostNetBeginPlay() if not self:HasAuthority() then self:Destroy() end end
	]]
	local s, a = net.start(t, {}, { name = "a", lag = 0.1 })
	local seen = #t:trace(a)
	s:spawn("Dart", { Location = vector(300, 0, 100) })
	t:run(0.6)
	local opened = false
	for i = seen + 1, #t:trace(a) do
		local e = t:trace(a)[i]
		opened = opened or e.event == "opened" and e.class == "Dart"
	end
	t:ok(opened, "it came")
	t:eq(#a:actors("Dart"), 0)
	t:eq(#a:log(), 0, "and nobody refused")
end)
