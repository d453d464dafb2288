-- Section 5 of the rules, R5.14, R5.15 and R5.17 to R5.19: notifies, what clients change, temporary and torn-off
-- actors.

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

-- R5.14

-- A writes a story of every notify: its name, the value held before, and what A and B are by then.
local BELL = [[
	local Bell = class("Bell")
	Bell.properties { A = int(0), B = int(0), Quiet = int(0), Loud = int(0), Who = "" }
	Bell.defaults { bAlwaysRelevant = true }
	Bell.replication { { "A", "B", "Who", notify = true }, { "Quiet" }, { "Loud", notify = "always" } }
	function Bell:ReplicatedEvent(name, old)
		self.story = (self.story or "") .. name .. ":" .. tostring(old) .. ">" .. self.A .. "," .. self.B .. " "
	end
]]

scenario("R5.14 a notify says the name and the old value, once, and only of variables that are marked", function(t)
	t:scripts(BELL)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local bell = s:spawn("Bell")
	local c = copy(t, a, bell)
	t:run(0.2)
	bell.A = 5
	t:within(1, function() return c.A == 5 end)
	bell.Quiet = 3
	t:within(1, function() return c.Quiet == 3 end)
	bell.A = 6
	t:within(1, function() return c.A == 6 end)
	bell.Who = "x"
	t:within(1, function() return c.Who == "x" end)
	t:run(0.2)
	t:eq(c.story, "A:0>5,0 A:5>6,0 Who:>6,0 ")
	t:eq(bell.story, nil, "none on the server")
	t:eq(count(t, a, bell, "notified", "A"), 2)
	t:eq(count(t, a, bell, "notified", "Quiet"), 0)
end)

scenario("R5.14 notifies run after the whole update was applied", function(t)
	t:scripts(BELL)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local bell = s:spawn("Bell")
	local c = copy(t, a, bell)
	t:run(0.2)
	bell.B, bell.A = 2, 1
	t:within(1, function() return c.A == 1 and c.B == 2 end)
	t:run(0.2)
	local story = c.story == "A:0>1,2 B:0>1,2 " or c.story == "B:0>1,2 A:0>1,2 "
	t:ok(story, "both notifies see both new values: " .. tostring(c.story))
end)

scenario("R5.14 no notify for a value that is still the default, not even where it is declared always", function(t)
	t:scripts(BELL)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local bell = s:spawn("Bell", { A = 0, B = 4, Loud = 0 })
	local c = copy(t, a, bell)
	t:run(0.4)
	t:eq(c.story, "B:0>0,4 ")
end)

scenario("R5.14 no notify where the client holds the value already, unless it is declared always", function(t)
	t:scripts(BELL)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local bell = s:spawn("Bell")
	local c = copy(t, a, bell)
	t:run(0.2)
	c.A, c.Loud = 7, 8
	bell.A, bell.Loud, bell.Quiet = 7, 8, 1
	t:within(1, function() return c.Quiet == 1 end)
	t:run(0.3)
	t:eq(c.story, "Loud:8>7,0 ")
	bell.A = 9
	t:within(1, function() return c.A == 9 end)
	t:run(0.1)
	t:eq(c.story, "Loud:8>7,0 A:7>9,0 ")
end)

scenario("R5.14 the old value is the one the client held, also where it changed it itself", function(t)
	t:scripts(BELL)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local bell = s:spawn("Bell", { A = 1 })
	local c = copy(t, a, bell)
	t:run(0.2)
	c.A = 50
	bell.A = 2
	t:within(1, function() return c.A == 2 end)
	t:run(0.1)
	t:eq(c.story, "A:0>1,0 A:50>2,0 ")
end)

scenario("R5.14 the base class forwards to OnRep_Name; who overrides ReplicatedEvent decides himself", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { A = int(0), B = int(0) }
		Bell.defaults { bAlwaysRelevant = true }
		Bell.replication { { "A", "B", notify = true } }
		function Bell:OnRep_A(old) self.heard = { old, self.A } end
		local Deaf = class("Deaf", "Bell")
		function Deaf:ReplicatedEvent(name, old) if name == "B" then Deaf.super.ReplicatedEvent(self, name, old) end end
		function Deaf:OnRep_B(old) self.heardB = old end
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local bell, deaf = s:spawn("Bell"), s:spawn("Deaf", { B = 3 })
	local cb, cd = copy(t, a, bell), copy(t, a, deaf)
	t:run(0.2)
	bell.A, bell.B, deaf.A, deaf.B = 1, 2, 3, 4
	t:within(1, function() return cb.A == 1 and cd.A == 3 and cd.B == 4 end)
	t:run(0.1)
	t:eq(cb.heard, { 0, 1 })
	t:eq(cd.heard, nil)
	t:eq(cd.heardB, 3)
	t:eq({ bell.heard, deaf.heardB }, { nil, nil }, "none on the server")
end)

scenario("R5.14 notifies of the player's own pawn and of others run alike", function(t)
	t:scripts [[
		local Hero = class("Hero", "Character")
		Hero.properties { Mood = int(0) }
		Hero.defaults { bAlwaysRelevant = true }
		Hero.replication { { "Mood", notify = true } }
		function Hero:OnRep_Mood(old) self.heard = (self.heard or 0) + 1 self.old = old end
		local HeroGame = class("HeroGame", "GameInfo")
		HeroGame.defaults { DefaultPawnClass = "Hero" }
	]]
	local s = t:server{ game = "HeroGame", mode = "listen" }
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local pawn = s:pawn(a)
	local ca, cb = copy(t, a, pawn), copy(t, b, pawn)
	t:run(0.2)
	pawn.Mood = 5
	t:within(1, function() return ca.Mood == 5 and cb.Mood == 5 end)
	t:run(0.1)
	t:eq({ ca.heard, ca.old, cb.heard, cb.old, pawn.heard }, { 1, 0, 1, 0, nil })
end)

scenario("R5.14 an error in a notify stops that call; the values stay", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { A = int(0), B = int(0) }
		Bell.defaults { bAlwaysRelevant = true }
		Bell.replication { { "A", "B", notify = true } }
		function Bell:OnRep_A(_) error("no bell") end
		function Bell:OnRep_B(_) self.heard = self.A end
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local bell = s:spawn("Bell")
	local c = copy(t, a, bell)
	t:run(0.2)
	t:expect_error("Bell:OnRep_A: scripts:5: no bell %(Bell.*, a%)")
	bell.A, bell.B = 1, 2
	t:within(1, function() return c.A == 1 and c.B == 2 and c.heard == 1 end)
end)

scenario("R5.14 a notify declared always is called once a value that was set once", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { N = int(0), Loud = int(0), Bag = fastarray(struct { K = int(0) }) }
		Bell.defaults { bAlwaysRelevant = true }
		Bell.replication { { "N", notify = true }, { "Loud", "Bag", notify = "always" } }
		function Bell:ReplicatedEvent(name, _) self.story = (self.story or "") .. name .. " " end
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local bell = s:spawn("Bell")
	local c = copy(t, a, bell)
	t:run(0.3)
	bell.Loud = 5
	t:run(0.4)
	t:eq(c.story, "Loud ")
	bell.N = 6
	t:run(0.4)
	t:eq(c.story, "Loud N ")
	c.Loud = 7
	bell.Loud = 7
	t:run(0.4)
	t:eq(c.story, "Loud N Loud ")
	bell.Bag:Add { K = 1 }
	t:run(0.4)
	t:eq(c.story, "Loud N Loud Bag ")
end)

-- R5.15

scenario("R5.15 what a client changes for itself stays until the next new value comes", function(t)
	t:scripts(BELL)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local bell = s:spawn("Bell", { Quiet = 5 })
	local ca, cb = copy(t, a, bell), copy(t, b, bell)
	t:run(0.3)
	ca.Quiet = 50
	bell.B = 1
	t:within(1, function() return ca.B == 1 end)
	t:run(0.3)
	t:eq({ ca.Quiet, cb.Quiet, bell.Quiet }, { 50, 5, 5 }, "another variable's update does not touch it")
	bell.Quiet = 6
	t:within(1, function() return ca.Quiet == 6 and cb.Quiet == 6 end)
end)

scenario("R5.15 the next value overwrites also where it is the one the client had before", function(t)
	t:scripts(BELL)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local bell = s:spawn("Bell", { Quiet = 5 })
	local c = copy(t, a, bell)
	t:run(0.3)
	bell.Quiet = 6
	t:within(1, function() return c.Quiet == 6 end)
	t:run(0.3)
	c.Quiet = 77
	bell.Quiet = 5
	t:within(1, function() return c.Quiet == 5 end)
end)

scenario("R5.15 the opening's values are told once: what a client changes then stays", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { N = int(0) }
		Bell.defaults { bAlwaysRelevant = true, bUpdateSimulatedPosition = true }
		Bell.replication { { "N" } }
		function Bell.simulated:PostNetBeginPlay() self.N = 77 self.DrawScale = 5 end
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.03, loss = 0.1 })
	local bell = s:spawn("Bell", { N = 6, DrawScale = 2 })
	local c = copy(t, a, bell)
	t:run(0.8)
	t:eq({ c.N, c.DrawScale }, { 77, 5 })
end)

-- R5.17

local SHELL = [[
	local Shell = class("Shell")
	Shell.properties { N = int(0), Ticks = int(0) }
	Shell.defaults { bAlwaysRelevant = true, bNetTemporary = true }
	Shell.replication { { "N" } }
	function Shell.simulated:Tick(_) self.Ticks = self.Ticks + 1 end
	function Shell:Destroyed() self.gone = true end
	function Shell.simulated:End() return self:Destroy() end
]]

scenario("R5.17 a temporary actor's first send is its last", function(t)
	t:scripts(SHELL)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local shell = s:spawn("Shell", { N = 5, Location = vector(10, 20, 30) })
	local c = copy(t, a, shell)
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
	t:scripts(SHELL)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local shell = s:spawn("Shell")
	local ca, cb = copy(t, a, shell), copy(t, b, shell)
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
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local ball = s:spawn("Ball", { Location = vector(-2000, 0, 3000) })
	local c = copy(t, a, ball)
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
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local shell, plain = s:spawn("Shell", { Owner = s:controller(a) }), s:spawn("Plain", { Owner = s:controller(a) })
	local c, d = copy(t, a, shell), copy(t, a, plain)
	t:run(0.4)
	shell.Owner, plain.Owner = nil, nil
	t:within(1, function() return not d.alive end)
	t:run(0.3)
	t:ok(c.alive)
end)

scenario("R5.17 who joins later gets a temporary actor that is still there, as it is now", function(t)
	t:scripts(SHELL)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local shell = s:spawn("Shell", { N = 5 })
	local ca = copy(t, a, shell)
	t:run(0.4)
	shell.N = 6
	local b = join(t, s, { name = "b" })
	local cb = copy(t, b, shell)
	t:run(0.4)
	t:eq({ ca.N, cb.N }, { 5, 6 })
	t:eq(#a:actors("Shell"), 1, "it is not opened again where it was")
end)

scenario("R5.17 the first send of temporary actors arrives whole, whatever is lost", { seeds = 5 }, function(t)
	t:scripts(SHELL)
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.03, jitter = 0.01, loss = 0.25 })
	local list = {}
	for i = 1, 15 do
		list[i] = s:spawn("Shell", { N = i })
		t:ticks(2)
	end
	t:within(3, function()
		for i, shell in ipairs(list) do
			if not a:copy(shell) or a:copy(shell).N ~= i then
				return false
			end
		end
		return true
	end)
	t:run(0.5)
	t:eq(#a:actors("Shell"), 15)
end)

scenario("R5.17 Destroy on a client's proxy is refused and reported, and works on what is its own", function(t)
	t:scripts(SHELL)
	t:scripts [[ local Stone = class("Stone") Stone.defaults { bAlwaysRelevant = true } function Stone.simulated:End() return self:Destroy() end ]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local stone = s:spawn("Stone")
	local c = copy(t, a, stone)
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

-- R5.18

local CORPSE = [[
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
	t:scripts(CORPSE)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local corpse = s:spawn("Corpse", { N = 1 })
	local ca, cb = copy(t, a, corpse), copy(t, b, corpse)
	t:run(0.3)
	t:eq(ca.Ticks, 0, "a simulated proxy runs simulated functions only")
	corpse.N = 2
	corpse.bTearOff = true
	t:within(1, function() return ca.torn and cb.torn end)
	t:run(0.3)
	for _, c in ipairs { ca, cb } do
		t:eq({ c.N, c.last, c.torn, c.Role }, { 2, 2, 1, ROLE_Authority })
		t:ok(c.bTearOff)
		t:gt(c.Ticks, 5, "now it runs everything")
	end
	t:eq(count(t, a, corpse, "torn_off"), 1)
	t:eq(corpse.Role, ROLE_Authority)
end)

scenario("R5.18 nothing of a torn-off actor is sent any more, not even its end", function(t)
	t:scripts(CORPSE)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local corpse = s:spawn("Corpse", { N = 1 })
	local c = copy(t, a, corpse)
	t:run(0.2)
	corpse.bTearOff = true
	t:within(1, function() return c.torn end)
	t:run(0.3)
	local sent = bytes(t, a, "Corpse")
	corpse.N = 9
	t:run(0.4)
	t:eq(c.N, 1)
	t:eq(bytes(t, a, "Corpse"), sent)
	corpse:Destroy()
	t:run(0.4)
	t:ok(c.alive)
	c:Destroy()
	t:no(c.alive, "it is the client's own")
	t:eq(#a:log(), 0)
end)

scenario("R5.18 who comes later never gets it, nor to whom it was not relevant", function(t)
	t:scripts(CORPSE)
	t:scripts [[
		local Private = class("Private", "Corpse")
		Private.defaults { bAlwaysRelevant = false, bOnlyRelevantToOwner = true }
	]]
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local corpse, private = s:spawn("Corpse"), s:spawn("Private", { Owner = s:controller(a) })
	local c, d = copy(t, a, corpse), copy(t, a, private)
	t:run(0.2)
	corpse.bTearOff, private.bTearOff = true, true
	t:within(1, function() return c.torn and d.torn end)
	private.Owner = s:controller(b)
	local late = join(t, s, { name = "late" })
	t:run(0.6)
	t:eq(#late:actors("Corpse"), 0)
	t:eq(late:copy(corpse), nil)
	t:eq(#b:actors("Private"), 0)
	t:eq({ c.alive, d.alive }, { true, true })
end)

scenario("R5.18 every client that has it gets TornOff once, whatever is lost", { seeds = 5 }, function(t)
	t:scripts(CORPSE)
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.04, jitter = 0.02, loss = 0.25, dup = 0.1 })
	local list = {}
	for i = 1, 10 do list[i] = s:spawn("Corpse") end
	local copies = {}
	for i, corpse in ipairs(list) do copies[i] = copy(t, a, corpse) end
	for i, corpse in ipairs(list) do
		corpse.N = i
		corpse.bTearOff = true
		t:ticks(1)
	end
	t:within(3, function()
		for _, c in ipairs(copies) do
			if not c.torn then return false end
		end
		return true
	end)
	t:run(0.3)
	for i, c in ipairs(copies) do t:eq({ c.torn, c.N, c.Role }, { 1, i, ROLE_Authority }) end
end)

scenario("R5.18 an actor that is torn off before anybody has it is nobody's", function(t)
	t:scripts(CORPSE)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Corpse", { bTearOff = true })
	local y = s:spawn("Corpse")
	copy(t, a, y)
	t:run(0.3)
	t:eq(a:copy(x), nil)
	t:eq(#a:actors("Corpse"), 1)
end)

scenario("R5.18 a pawn that is torn off plays dying", function(t)
	t:scripts [[
		local Hero = class("Hero", "Character")
		Hero.defaults { bAlwaysRelevant = true }
		function Hero.simulated:PlayDying() self.dying = (self.dying or 0) + 1 end
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local pawn = s:spawn("Hero", { Location = vector(300, 300, 100) })
	local c = copy(t, a, pawn)
	t:run(0.2)
	t:eq(c.dying, nil)
	pawn.bTearOff = true
	t:within(1, function() return c.dying end)
	t:run(0.2)
	t:eq({ c.dying, c.Role }, { 1, ROLE_Authority })
end)

-- R5.19

for_each({ true, false }, function(on)
	scenario("R5.19 bReplicateInstigator = " .. tostring(on), function(t)
		local s = t:server{}
		local a = join(t, s, { name = "a" })
		local pawn = s:pawn(a)
		copy(t, a, pawn)
		local thing = s:spawn("Actor", { bAlwaysRelevant = true, bReplicateInstigator = on, Instigator = pawn, DrawScale = 2 })
		local c = copy(t, a, thing)
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
		local s = t:server{}
		local a = join(t, s, { name = "a" })
		local note = s:spawn("Note", { bSkipActorPropertyReplication = skip, V = 1, DrawScale = 2, Location = vector(100, 0, 0) })
		local c = copy(t, a, note)
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
	local s = t:server{}
	local a = join(t, s, { name = "a", lag = 0.03, loss = 0.2 })
	local note = s:spawn("Note", { V = 1 })
	local c = copy(t, a, note)
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
		function Dart.simulated:PostNetBeginPlay()
			if not self:HasAuthority() then self:Destroy() end
		end
	]]
	local s = t:server{}
	local a = t:client{ name = "a", lag = 0.1 }
	t:within(5, function() return a:controller() end)
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

scenario("R5.15 what a client changes right after a value came stays: the same value once more is not a new one", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { N = int(0), Loud = int(0), At = vector(0, 0, 0), S = struct { A = int(0) }, Arr = array(int(0), 3) }
		Bell.defaults { bAlwaysRelevant = true }
		Bell.replication { { "N", "At", "S", "Arr" } }
	]]
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local bell = s:spawn("Bell")
	local c = copy(t, a, bell)
	t:run(0.3)
	bell.N, bell.At, bell.S.A, bell.Arr[2] = 6, vector(6, 0, 0), 6, 6
	t:within(1, function() return c.N == 6 end)
	c.N, c.At, c.S.A, c.Arr[2] = 77, vector(77, 0, 0), 77, 77
	t:run(0.4)
	t:eq({ c.N, c.At, c.S.A, c.Arr[2] }, { 77, vector(77, 0, 0), 77, 77 })
end)

-- over kcp; to net_r5_reload.lua, in place of its namesake

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
