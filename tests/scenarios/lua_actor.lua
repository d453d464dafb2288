-- The chapter "An actor, from inside" of docs/lua-api.md: variables, events, methods, life, and the defaults.

local net = require("shared.net")
local holds = net.holds

local BOOK = require("shared.book")

scenario("lua-api actor: the variables every actor has", function(t)
	t:scripts [[
		local A = class("A")
		function A:Has(name)
			local ok, x = pcall(function() return self[name] end)
			return ok, type(x)
		end
	]]
	local _, a = net.alone(t, "A")
	local kinds = {
		userdata = "Location Rotation Velocity Acceleration",
		number = "Physics Role RemoteRole NetPriority NetUpdateFrequency MinNetUpdateFrequency NetCullDistance CollisionRadius "
			.. "CollisionHeight SoundRadius LifeSpan",
		boolean = "bHidden bTearOff bNetTemporary bAlwaysRelevant bOnlyRelevantToOwner bNetUseOwnerRelevancy bReplicates "
			.. "bCollideActors bBlockPlayers bBlockActors bNetInitialRotation bUpdateSimulatedPosition bReplicateInstigator "
			.. "bSkipActorPropertyReplication bOnlyDirtyReplication bStatic bNoDelete",
		string = "AmbientSound Tag",
		["nil"] = "Owner Instigator Base",
	}
	for kind, names in pairs(kinds) do
		for name in names:gmatch("%S+") do
			local ok, is = a:Has(name)
			t:ok(ok, name)
			t:eq(is, kind, name)
		end
	end
end)

for_each({
	{ "Actor", { bReplicates = true, RemoteRole = ROLE_SimulatedProxy, Role = ROLE_Authority, Physics = PHYS_None, bCollideActors = false,
		bBlockActors = false, bBlockPlayers = false, CollisionRadius = 22, CollisionHeight = 22, NetPriority = 1, NetUpdateFrequency = 100,
		MinNetUpdateFrequency = 2, NetCullDistance = 15000, bUpdateSimulatedPosition = false, bHidden = false, bAlwaysRelevant = false, LifeSpan = 0 } },
	{ "Info", { bHidden = true, RemoteRole = ROLE_None } },
	{ "ReplicationInfo", { bAlwaysRelevant = true, NetUpdateFrequency = 10, RemoteRole = ROLE_SimulatedProxy, bSkipActorPropertyReplication = true,
		bOnlyDirtyReplication = true } },
	{ "Controller", { bHidden = true, RemoteRole = ROLE_None } },
	{ "PlayerController", { bOnlyRelevantToOwner = true, RemoteRole = ROLE_AutonomousProxy, NetPriority = 3 } },
	{ "Pawn", { NetPriority = 2, bUpdateSimulatedPosition = true, bCollideActors = true, bBlockActors = true, bBlockPlayers = true } },
	{ "Character", { CollisionRadius = 34, CollisionHeight = 88, EyeHeight = 64, GroundSpeed = 440, JumpZ = 420, Physics = PHYS_Walking } },
	{ "Projectile", { NetPriority = 2.5, Physics = PHYS_Projectile, bCollideActors = true, bNetInitialRotation = true, Speed = 1000 } },
}, function(case)
	scenario("lua-api defaults: " .. case[1], function(t)
		local s, x = net.alone(t, case[1], { Location = vector(0, 0, 88) })
		for name, want in pairs(case[2]) do t:eq(x[name], want, name) end
		t:eq(s:eval("return world.Gravity"), -980)
	end)
end)

scenario("lua-api actor: the base classes are there, under their names and aliases", function(t)
	local s = t:server{ mode = "standalone" }
	local parents = {
		{ "Info", "Actor" }, { "ReplicationInfo", "Info" }, { "GameReplicationInfo", "ReplicationInfo" }, { "PlayerReplicationInfo", "ReplicationInfo" },
		{ "Controller", "Actor" }, { "PlayerController", "Controller" }, { "AIController", "Controller" },
		{ "Pawn", "Actor" }, { "Character", "Pawn" }, { "Projectile", "Actor" }, { "Mover", "Actor" }, { "Pickup", "Actor" },
		{ "PlayerStart", "Actor" }, { "Trigger", "Actor" },
	}
	for i, p in ipairs(parents) do
		t:ok(s:spawn(p[1], { Location = vector(200 * i, 0, 900) }):IsA(p[2]), p[1])
	end
	t:ok(s:eval("return world.Game"):IsA("GameMode"))
	t:ok(s:eval("return world.GameState"):IsA("GameState"))
	t:ok(s:controller().PlayerReplicationInfo:IsA("PlayerState"))
end)

scenario("lua-api actor: events of life come in order, and the actor first ticks in the next tick", function(t)
	t:scripts(BOOK .. [[
		local A = class("A")
		A.properties { Book = ref("Book") }
		function A:PreBeginPlay() self.Book:Write("pre") end
		function A:BeginPlay() self.Book:Write("begin") end
		function A:PostBeginPlay() self.Book:Write("post") end
		function A:PostNetBeginPlay() self.Book:Write("net") end
		function A:Tick(_) self.Book:Write("tick") end
		function A:Destroyed() self.Book:Write("destroyed") end
	]])
	local s, book = net.alone(t, "Book")
	local a = s:spawn("A", { Book = book })
	t:eq(book:Read(), "pre begin post net")
	t:ticks(2)
	t:eq(book:Read(), "tick tick")
	a:Destroy()
	t:ticks(2)
	t:eq(book:Read(), "destroyed")
end)

scenario("lua-api actor: components live through the events of their actor", function(t)
	t:scripts(BOOK .. [[
		local Part = class("Part", "ActorComponent")
		function Part:BeginPlay() self:GetOwner().Book:Write("part-begin") end
		function Part:Tick(_) self:GetOwner().Book:Write("part-tick") end
		function Part:Destroyed() self:GetOwner().Book:Write("part-destroyed") end
		local A = class("A")
		A.properties { Book = ref("Book") }
		A.components { Part = "Part" }
		function A:BeginPlay() self.Book:Write("begin") end
		function A:Destroyed() self.Book:Write("destroyed") end
	]])
	local s, book = net.alone(t, "Book")
	local a = s:spawn("A", { Book = book })
	t:eq(book:Read(), "part-begin begin")
	t:ticks(1)
	t:eq(book:Read(), "part-tick")
	a:Destroy()
	t:eq(book:Read(), "part-destroyed destroyed")
end)

scenario("lua-api actor: every event exists on Actor, so super always works", function(t)
	t:scripts [[
		local A = class("A")
		function A:PreBeginPlay() A.super.PreBeginPlay(self) end
		function A:BeginPlay() A.super.BeginPlay(self) end
		function A:PostBeginPlay() A.super.PostBeginPlay(self) end
		function A:PostNetBeginPlay() A.super.PostNetBeginPlay(self) end
		function A:Tick(dt) A.super.Tick(self, dt) end
		function A:Timer() A.super.Timer(self) end
		function A:Touch(other) A.super.Touch(self, other) end
		function A:UnTouch(other) A.super.UnTouch(self, other) end
		function A:Bump(other) A.super.Bump(self, other) end
		function A:HitWall(normal, wall) A.super.HitWall(self, normal, wall) end
		function A:Landed(normal) A.super.Landed(self, normal) end
		function A:Falling() A.super.Falling(self) end
		function A:Destroyed() A.super.Destroyed(self) end
		function A:TornOff() A.super.TornOff(self) end
		function A.simulated:ReplicatedEvent(name, old) A.super.ReplicatedEvent(self, name, old) end
		function A:TakeDamage(amount, by, at, momentum, kind) A.super.TakeDamage(self, amount, by, at, momentum, kind) end
		function A:BaseChange() A.super.BaseChange(self) end
		function A:Possessed(by) A.super.Possessed(self, by) end
		function A:UnPossessed() A.super.UnPossessed(self) end
	]]
	local s, a = net.alone(t, "A")
	for _, name in ipairs { "Tick", "Timer", "Touch", "UnTouch", "Bump", "HitWall", "Landed", "Falling", "TornOff", "TakeDamage", "BaseChange",
		"Possessed", "UnPossessed" } do
		a[name](a)
	end
	a:ReplicatedEvent("Tag", "")
	s:spawn("Actor"):Landed(vector(0, 0, 1))
	t:ticks(2)
	a:Destroy()
	t:eq(#s:log(), 0)
end)

scenario("lua-api actor: ReplicatedEvent forwards to OnRep_Name", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Gold = int(0), Seen = "" }
		function A:OnRep_Gold(old) self.Seen = "was " .. tostring(old) end
	]]
	local _, a = net.alone(t, "A")
	a:ReplicatedEvent("Gold", 3)
	t:eq(a.Seen, "was 3")
	a:ReplicatedEvent("Seen", 3)
end)

scenario("lua-api actor: SetTimer once, again and again, replaced, cleared", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Rings = int(0), Bells = int(0), At = float(0) }
		function A:Timer() self.Rings, self.At = self.Rings + 1, world.TimeSeconds end
		function A:Bell() self.Bells = self.Bells + 1 end
	]]
	local s = t:server{ tick = 100, net = 50 }
	local a = s:spawn("A")
	a:SetTimer(0.5, false)
	t:run(0.4)
	t:eq(a.Rings, 0)
	t:near(a:GetTimerLeft(), 0.1, 0.011)
	t:run(0.2)
	t:eq(a.Rings, 1)
	t:near(a.At, 0.5, 0.011)
	t:run(2)
	t:eq(a.Rings, 1, "once")
	a:SetTimer(0.25, true, "Bell")
	a:SetTimer(0.5, true)
	t:run(1.01)
	t:eq(a.Bells, 4, "timers of several functions run side by side")
	t:eq(a.Rings, 3)
	a:SetTimer(10, false, "Bell")
	t:run(1)
	t:eq(a.Bells, 4, "setting it again replaces it")
	t:eq({ a:ClearTimer("Bell"), a:ClearTimer("Bell") }, { true, false })
	a:ClearTimer()
	t:run(1)
	t:eq(a.Rings, 5)
	t:expect_error("SetTimer.*Bel.*Bell")
	a:SetTimer(1, false, "Bel")
	for _, seconds in ipairs { -1, 0 } do
		t:run(11) -- three faults in ten seconds would quarantine the class
		t:expect_error("SetTimer.*seconds")
		a:SetTimer(seconds, false)
	end
end)

scenario("lua-api actor: timers run in order of their times; one set in a timer waits its turn", function(t)
	t:scripts(BOOK .. [[
		local A = class("A")
		A.properties { Book = ref("Book") }
		function A:First() self.Book:Write("first") self:SetTimer(0.01, false, "Third") end
		function A:Second() self.Book:Write("second") end
		function A:Third() self.Book:Write("third") end
	]])
	local s = t:server{ tick = 10, net = 10 }
	local book = s:spawn("Book")
	local a = s:spawn("A", { Book = book })
	a:SetTimer(0.09, false, "Second")
	a:SetTimer(0.05, false, "First")
	t:ticks(1)
	t:eq(book:Read(), "first second")
	t:ticks(1)
	t:eq(book:Read(), "third")
end)

scenario("lua-api actor: LifeSpan ends an actor", function(t)
	t:scripts [[
		local A = class("A")
		A.defaults { LifeSpan = 1 }
	]]
	local s, a = net.alone(t, "A")
	local b, c = s:spawn("A", { LifeSpan = 3 }), s:spawn("A")
	t:run(0.9)
	t:ok(a.alive)
	t:near(a.LifeSpan, 0.1, 0.03)
	c.LifeSpan = 0
	t:run(0.2)
	t:no(a.alive)
	t:ok(b.alive)
	t:run(2)
	t:no(b.alive)
	t:ok(c.alive, "0 takes the end away")
	t:expect_error("LifeSpan")
	c.LifeSpan = -1
end)

scenario("lua-api actor: owners form a chain; a loop is an error", function(t)
	local s = t:server{ mode = "standalone" }
	local a, b, c = s:spawn("Actor"), s:spawn("Actor"), s:spawn("Actor")
	a:SetOwner(s:pawn())
	b:SetOwner(a)
	c.Owner = b
	t:eq({ c.Owner, c:GetOwningPlayer() }, { b, s:controller() })
	t:ok(c:IsLocallyControlled())
	b:SetOwner(nil)
	t:eq({ b.Owner, c:GetOwningPlayer() }, { nil, nil })
	t:expect_error("SetOwner")
	b:SetOwner(c)
	t:eq(b.Owner, nil)
	t:expect_error("SetOwner")
	a:SetOwner(a)
end)

scenario("lua-api actor: Possess and UnPossess join and part a controller and a pawn", function(t)
	t:scripts(BOOK .. [[
		local P = class("P", "Character")
		P.properties { Book = ref("Book") }
		function P:Possessed(by) self.Book:Write("+" .. by.Tag) end
		function P:UnPossessed() self.Book:Write("-") end
	]])
	local s, book = net.alone(t, "Book")
	local p = s:spawn("P", { Book = book, Location = vector(0, 0, 88) })
	local a, b = s:spawn("AIController", { Tag = "a" }), s:spawn("AIController", { Tag = "b" })
	a:Possess(p)
	t:eq(book:Read(), "+a")
	t:eq(a.Pawn, p)
	holds(t, p, { Controller = a, Owner = a })
	b:Possess(p)
	t:eq(book:Read(), "- +b")
	t:eq({ a.Pawn, p.Controller }, { nil, b })
	b:UnPossess()
	t:eq(book:Read(), "-")
	t:eq({ p.Controller, b.Pawn, p.Owner }, { nil, nil, nil })
end)

scenario("lua-api actor: GameInfo's classes are a name or a class", function(t)
	t:scripts [[
		local Hero = class("Hero", "Character")
		local Pad = class("Pad", "PlayerController")
		local State = class("State", "GameReplicationInfo")
		local Card = class("Card", "PlayerReplicationInfo")
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { DefaultPawnClass = "Hero", PlayerControllerClass = "Pad", GameStateClass = "State", PlayerStateClass = "Card" }
		local Duel2 = class("Duel2", "GameInfo")
		function Duel2:InitGame(options)
			self.DefaultPawnClass = Hero
			return Duel2.super.InitGame(self, options)
		end
	]]
	local s = t:server{ mode = "standalone", game = "Duel" }
	t:eq({ s:pawn():GetClass(), s:controller():GetClass() }, { "Hero", "Pad" })
	t:eq(s:eval("return world.GameState"):GetClass(), "State")
	t:eq(s:controller().PlayerReplicationInfo:GetClass(), "Card")
end)

scenario("lua-api actor: Destroy; bStatic and bNoDelete actors stay", function(t)
	t:scripts [[
		local A = class("A")
		local Rock = class("Rock")
		Rock.defaults { bStatic = true }
		local Door = class("Door")
		Door.defaults { bNoDelete = true }
	]]
	local s, a = net.alone(t, "A")
	t:ok(a:Destroy())
	t:no(a.alive)
	local rock, door = s:spawn("Rock"), s:spawn("Door")
	t:no(rock:Destroy())
	t:no(door:Destroy())
	t:ok(rock.alive)
	t:ok(door.alive)
end)

scenario("lua-api actor: SetLocation, SetRotation, Move, SetPhysics, SetCollision", function(t)
	local _, a = net.alone(t, "Actor", { Location = vector(0, 0, 500) })
	a:SetLocation(vector(10, 0, 500))
	t:eq(a.Location, vector(10, 0, 500))
	a.Location = vector(20, 0, 500)
	t:eq(a.Location, vector(20, 0, 500))
	a:SetRotation(rotator(0, 5, 0))
	t:eq({ a.Rotation, a:Move(vector(0, 30, 0)), a.Location }, { rotator(0, 5, 0), nil, vector(20, 30, 500) })
	a:SetPhysics(PHYS_Flying)
	t:eq(a.Physics, PHYS_Flying)
	a:SetCollision(true, true, true)
	holds(t, a, { bCollideActors = true, bBlockActors = true, bBlockPlayers = true })
	a:SetCollision(false, false, false)
	t:no(a.bCollideActors)
	t:expect_error("Physics")
	a:SetPhysics(99)
	t:expect_error("SetLocation.*vector")
	a:SetLocation(5)
end)

scenario("lua-api actor: Move stops at what is in the way and says what", function(t)
	local s = t:server{ level = "wall" }
	local p = s:spawn("Character", { Location = vector(300, 0, 88.5) })
	local hit = p:Move(vector(400, 0, 0))
	t:eq(hit.Actor, nil)
	t:near(hit.Normal, vector(-1, 0, 0), 1e-6)
	t:near(p.Location.X, 466, 1)
end)

scenario("lua-api events: Touch and UnTouch of two actors that do not block", function(t)
	t:scripts(BOOK .. [[
		local A = class("A")
		A.properties { Book = ref("Book") }
		A.defaults { bCollideActors = true, CollisionRadius = 50, CollisionHeight = 50 }
		function A:Touch(other) self.Book:Write(self.Tag .. "+" .. other.Tag) end
		function A:UnTouch(other) self.Book:Write(self.Tag .. "-" .. other.Tag) end
	]])
	local s, book = net.alone(t, "Book")
	local a = s:spawn("A", { Book = book, Tag = "a", Location = vector(0, 0, 500) })
	local b = s:spawn("A", { Book = book, Tag = "b", Location = vector(300, 0, 500) })
	t:ticks(1)
	t:eq(book:Read(), "")
	b:SetLocation(vector(60, 0, 500))
	t:ticks(1)
	local text = book:Read()
	t:match(text, "a%+b")
	t:match(text, "b%+a")
	t:eq(#text, 7, "once each")
	t:eq(a:Touching()[1], b)
	t:ticks(5)
	t:eq(book:Read(), "", "not again while it lasts")
	b:SetLocation(vector(300, 0, 500))
	t:ticks(1)
	text = book:Read()
	t:match(text, "a%-b")
	t:match(text, "b%-a")
	t:eq(#a:Touching(), 0)
	b:SetLocation(vector(60, 0, 500))
	t:ticks(1)
	book:Read()
	b:Destroy()
	t:match(book:Read(), "a%-b", "destroying ends the touch")
end)

scenario("lua-api events: Bump where an actor blocks, HitWall at the level", function(t)
	t:scripts(BOOK .. [[
		local P = class("P", "Character")
		P.properties { Book = ref("Book") }
		function P:Bump(other) self.Book:Write(self.Tag .. ">" .. other.Tag) end
		function P:HitWall(normal, wall) self.Book:Write(self.Tag .. "|" .. normal.X .. " " .. tostring(wall)) end
	]])
	local s = t:server{ level = "wall" }
	local book = s:spawn("Book")
	local a = s:spawn("P", { Book = book, Tag = "a", Location = vector(0, 0, 88.5) })
	local b = s:spawn("P", { Book = book, Tag = "b", Location = vector(200, 0, 88.5) })
	t:ticks(2)
	a:Move(vector(300, 0, 0))
	t:match(book:Read(), "a>b")
	t:near(a.Location.X, 132, 1)
	b:Move(vector(500, 0, 0))
	t:match(book:Read(), "b|%-1 nil")
end)

scenario("lua-api events: Falling and Landed", function(t)
	t:scripts(BOOK .. [[
		local P = class("P", "Character")
		P.properties { Book = ref("Book") }
		function P:Falling() self.Book:Write("falling") end
		function P:Landed(normal) self.Book:Write("landed " .. math.floor(normal.Z + 0.5)) end
	]])
	local s, book = net.alone(t, "Book")
	local p = s:spawn("P", { Book = book, Location = vector(0, 0, 88.5) })
	t:run(0.2)
	book:Read()
	p:SetLocation(vector(0, 0, 400))
	t:run(2)
	t:eq(book:Read(), "falling landed 1")
end)

scenario("lua-api events: BaseChange when what an actor stands on changes", function(t)
	t:scripts(BOOK .. [[
		local A = class("A")
		A.properties { Book = ref("Book") }
		function A:BaseChange() self.Book:Write(self.Base and self.Base.Tag or "none") end
	]])
	local s, book = net.alone(t, "Book")
	local a = s:spawn("A", { Book = book, Tag = "a", Location = vector(0, 0, 500) })
	local b = s:spawn("A", { Book = book, Tag = "b", Location = vector(100, 0, 500) })
	a:SetBase(b)
	t:eq(a.Base, b)
	t:eq(book:Read(), "b")
	b:Move(vector(50, 0, 0))
	t:ticks(1)
	t:near(a.Location.X, 50, 1, "it moves along")
	b:Destroy()
	t:eq(a.Base, nil)
	t:eq(book:Read(), "none")
	t:expect_error("SetBase")
	a:SetBase(a)
end)

scenario("lua-api events: TakeDamage from HurtRadius, less with distance, the actor itself left out", function(t)
	t:scripts [[
		local P = class("P", "Character")
		P.properties { Hurt = float(0), Kind = "", By = ref("Pawn") }
		function P:TakeDamage(amount, by, _, momentum, kind)
			self.Hurt, self.By, self.Kind = self.Hurt + amount, by, kind
			self.pushed = momentum
		end
	]]
	local s, a = net.alone(t, "P", { Location = vector(0, 0, 88.5) })
	local near = s:spawn("P", { Location = vector(100, 0, 88.5) })
	local far = s:spawn("P", { Location = vector(180, 0, 88.5) })
	local out = s:spawn("P", { Location = vector(1000, 0, 88.5) })
	t:ticks(1)
	a:HurtRadius(80, 220, a, "blast", 100)
	t:eq(a.Hurt, 0)
	t:gt(near.Hurt, far.Hurt)
	t:gt(far.Hurt, 0)
	t:lt(near.Hurt, 80)
	t:eq(out.Hurt, 0)
	holds(t, near, { Kind = "blast", By = a })
	t:gt(near.pushed.X, 0)
end)

scenario("lua-api actor: a read-only variable says so", function(t)
	local _, a = net.alone(t, "Actor")
	t:expect_error("Role")
	a.Role = ROLE_SimulatedProxy
	t:eq(a.Role, ROLE_Authority)
	t:expect_error("bDeleteMe")
	a.bDeleteMe = true
	t:ok(a.alive)
end)

scenario("lua-api actor: SetTickEnabled switches Tick", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { N = int(0) }
		function A:Tick(_) self.N = self.N + 1 end
	]]
	local _, a = net.alone(t, "A")
	t:ticks(2)
	a:SetTickEnabled(false)
	t:ticks(5)
	t:eq(a.N, 2)
	a:SetTickEnabled(true)
	t:ticks(1)
	t:eq(a.N, 3)
end)

scenario("lua-api actor: a timer whose function a state ignores waits silently", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { N = int(0) }
		function A:Ring() self.N = self.N + 1 end
		A.state("Deaf", { ignores = { "Ring", "Tick" } })
		function A:Tick(_) self.N = self.N + 100 end
	]]
	local s = t:server{ tick = 10, net = 10 }
	local a = s:spawn("A")
	a:SetTimer(0.1, true, "Ring")
	a:GotoState("Deaf")
	t:ticks(3)
	t:eq(a.N, 0)
	a:GotoState("")
	t:ticks(1)
	t:eq(a.N, 101)
end)

scenario("lua-api actor: destroying in EndState and going to a state in Destroyed are safe", function(t)
	t:scripts [[
		local A = class("A")
		A.state("On", {})
		function A.state.On:EndState(_) self:Destroy() end
		local B = class("B")
		B.state("On", {})
		function B:Destroyed() self:GotoState("On") end
		function B.state.On:Code() Sleep(1) end
	]]
	local s, a, b = net.actors(t, "A", "B")
	a:GotoState("On")
	a:GotoState("")
	t:no(a.alive)
	b:Destroy()
	t:run(2)
	t:eq(#s:log(), 0)
end)
