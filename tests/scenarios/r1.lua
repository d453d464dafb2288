-- Section 1 of the rules: world, level, tick; what one peer shows of it.

local net = require("shared.net")
local holds = net.holds

local BOOK = require("shared.book")

scenario("R1.1 a level holds actors, and spawning and destroying change the set", function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { Gold = int(3) }
	]]
	local s = t:server{}
	t:gt(#s:actors("PlayerStart"), 0, "the level's own actors are there")
	local before = #s:actors("Actor")
	local chest = s:spawn("Chest", { Location = vector(10, 20, 30) })
	t:eq({ #s:actors("Actor"), s:actors("Chest")[1] }, { before + 1, chest })
	holds(t, chest, { Location = vector(10, 20, 30), Gold = 3 })
	chest.Gold = 4
	t:eq(chest.Gold, 4)
	chest:Destroy()
	t:no(chest.alive)
	t:eq(#s:actors("Actor"), before)
end)

for_each({ 20, 60, 144 }, function(hz)
	scenario("R1.2 a second is a second at " .. hz .. " Hz: straight flight", function(t)
		t:scripts [[
			local Dart = class("Dart", "Projectile")
			Dart.defaults { Speed = 700 }
		]]
		local s = t:server{ tick = hz, net = hz }
		local dart = s:spawn("Dart", { Location = vector(0, 0, 500) })
		t:run(1)
		t:near(s.time, 1, 1e-6)
		t:near(dart.Location, vector(700, 0, 500), 0.1)
	end)

	scenario("R1.2 a second is a second at " .. hz .. " Hz: falling", function(t)
		local s = t:server{ tick = hz, net = hz }
		local pawn = s:spawn("Character", { Location = vector(0, 0, 5000), Physics = PHYS_Falling })
		t:run(1)
		t:near(pawn.Location, vector(0, 0, 5000 - 490), 1)
		t:near(pawn.Velocity.Z, -980, 1)
	end)

	scenario("R1.2 a second is a second at " .. hz .. " Hz: walking at full speed", function(t)
		local s = t:server{ tick = hz, net = hz, mode = "standalone" }
		net.hold(t, s, { forward = 1 }, 1)
		local from = s:pawn().Location
		t:run(1)
		t:near((s:pawn().Location - from):Size(), 440, 1)
	end)
end)

scenario("R1.2 Tick gets the length of the tick", function(t)
	t:scripts [[
		local Clock = class("Clock")
		Clock.properties { Sum = float(0), Least = float(9), Most = float(0) }
		function Clock:Tick(dt)
			self.Sum = self.Sum + dt
			self.Least = math.min(self.Least, dt)
			self.Most = math.max(self.Most, dt)
		end
	]]
	local s = t:server{ tick = 50, net = 25 }
	local clock = s:spawn("Clock")
	t:run(2)
	t:near(clock.Sum, 2, 1e-3)
	t:near(clock.Least, 0.02, 1e-6)
	t:near(clock.Most, 0.02, 1e-6)
end)

scenario("R1.3 a tick: controllers, actors in order of spawning, timers, destroys", function(t)
	t:scripts(BOOK .. [[
		local Walker = class("Walker")
		Walker.properties { Book = ref("Book"), Mark = "" }
		function Walker:Tick(_) self.Book:Write(self.Mark) end
		function Walker:Ring() self.Book:Write("timer-" .. self.Mark) end
		local Mind = class("Mind", "Controller")
		Mind.properties { Book = ref("Book") }
		function Mind:Tick(_) self.Book:Write("mind") end
	]])
	local s = t:server{ tick = 10, net = 10 }
	local book = s:spawn("Book")
	local a = s:spawn("Walker", { Book = book, Mark = "a" })
	s:spawn("Walker", { Book = book, Mark = "b" })
	s:spawn("Mind", { Book = book })
	s:spawn("Walker", { Book = book, Mark = "c" })
	a:SetTimer(0.05, false, "Ring")
	t:ticks(1)
	t:eq(book:Read(), "mind a b c timer-a")
	t:ticks(1)
	t:eq(book:Read(), "mind a b c")
end)

scenario("R1.3 a destroyed actor gets no further call", function(t)
	t:scripts(BOOK .. [[
		local Killer = class("Killer")
		Killer.properties { Book = ref("Book"), Victim = ref("Victim") }
		function Killer:Tick(_)
			if self.Victim then
				self.Victim:Destroy()
				self.Book:Write("killed")
			end
		end
		local Victim = class("Victim")
		Victim.properties { Book = ref("Book") }
		function Victim:Tick(_) self.Book:Write("ticks") end
		function Victim:Timer() self.Book:Write("timer") end
		function Victim:Destroyed() self.Book:Write("destroyed") end
	]])
	local s = t:server{ tick = 10, net = 10 }
	local book = s:spawn("Book")
	local killer, victim = s:spawn("Killer", { Book = book }), s:spawn("Victim", { Book = book })
	victim:SetTimer(0.05, true)
	t:ticks(1)
	t:eq(book:Read(), "ticks timer timer")
	killer.Victim = victim
	t:ticks(3)
	t:eq(book:Read(), "destroyed killed")
	t:eq(killer.Victim, nil)
end)

scenario("R1.4 the game is never replicated, nor are minds", function(t)
	local s = t:server{}
	t:eq({ s:actors("GameInfo")[1].RemoteRole, s:spawn("AIController").RemoteRole }, { ROLE_None, ROLE_None })
end)

scenario("R1.4 what a level names has that name", function(t)
	local s = t:server{ level = "steps" }
	t:eq(s:eval [[ return world:ActorByName("Lift") ]], s:actors("Mover")[1])
	t:ok(s:actors("Mover")[1].bNoDelete)
end)

local MODES = {
	{ mode = "dedicated", net = NM_DedicatedServer, players = 0 },
	{ mode = "listen", net = NM_ListenServer, players = 1 },
	{ mode = "standalone", net = NM_Standalone, players = 1 },
}

for_each(MODES, function(case)
	scenario("R1.5 one script runs unchanged: " .. case.mode, function(t)
		t:scripts [[
			local Lamp = class("Lamp")
			Lamp.properties { Mode = int(-1), bOn = false, Ticks = int(0) }
			function Lamp.simulated:BeginPlay() self.Mode = world.NetMode end
			function Lamp:Tick(_) self.Ticks = self.Ticks + 1 end
			function Lamp.server.reliable:ServerSwitch(on) self.bOn = on end
			Lamp.params { ServerSwitch = { false } }
		]]
		local s = t:server{ mode = case.mode }
		local lamp = s:spawn("Lamp")
		t:eq(lamp.Mode, case.net)
		lamp:ServerSwitch(true)
		t:ok(lamp.bOn)
		t:ticks(7)
		holds(t, lamp, { Ticks = 7, Role = ROLE_Authority })
		t:eq(#s:actors("PlayerController"), case.players)
		t:eq(s:eval("return world.NetMode"), case.net)
	end)
end)
