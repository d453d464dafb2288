-- Section 7 of the rules over the network: what runs on a proxy, and its states.

local net = require("shared.net")
local joined, present, holds = net.joined, net.copies, net.holds

local NEAR = vector(600, -1800, 100)

-- Plain writes down what the engine calls, Sim is the same with every function simulated. A Book on every peer
-- remembers whose Destroyed ran.
local function classes(name, simulated)
	return ([[
		local C = class("NAME")
		C.properties { N = int(0), Calls = "", Other = int(0) }
		C.defaults { bCollideActors = true, bCollideWorld = true, CollisionRadius = 20, CollisionHeight = 20, bAlwaysRelevant = true }
		C.replication { { "N", notify = true } }
		function C.simulated:Note(what)
			self.notes = self.notes or {}
			self.notes[what] = (self.notes[what] or 0) + 1
		end
		function CSIM:PreBeginPlay() self:Note("PreBeginPlay") end
		function CSIM:BeginPlay() self:Note("BeginPlay") self:SetTimer(0.1, true) self:SetTimer(0.1, true, "Named") end
		function CSIM:PostBeginPlay() self:Note("PostBeginPlay") end
		function CSIM:PostNetBeginPlay() self:Note("PostNetBeginPlay") end
		function CSIM:Tick(_) self:Note("Tick") end
		function CSIM:Timer() self:Note("Timer") end
		function CSIM:Named() self:Note("Named") end
		function CSIM:Touch(_) self:Note("Touch") end
		function CSIM:UnTouch(_) self:Note("UnTouch") end
		function CSIM:HitWall(_, _) self:Note("HitWall") end
		function CSIM:Landed(_) self:Note("Landed") end
		function CSIM:Destroyed()
			local book = world:ActorsOf("Book")[1]
			book.ended = (book.ended or "") .. "NAME "
		end
		function C:OnRep_N(_) self:Note("OnRep") end
		function C:TornOff() self:Note("TornOff") end
		function C.multicast.reliable:AllTold() self:Note("AllTold") end
		function C:Plain() self:Note("Plain") return 5 end
		function C.simulated:CallPlain() return self:Plain() end
	]]):gsub("CSIM", simulated and "C.simulated" or "C"):gsub("NAME", name)
end

local BOOK = [[
	local Book = class("Book")
]]
local PLAIN, SIM = classes("Plain", false) .. BOOK, classes("Sim", true) .. BOOK
local CALLED = { "PreBeginPlay", "BeginPlay", "PostBeginPlay", "PostNetBeginPlay", "Tick", "Timer", "Named" }

-- notes is what an actor wrote down of one thing.
local function notes(actor, what) return actor.notes and actor.notes[what] or 0 end

for_each({ Plain = "no function that is not simulated", Sim = "what is simulated" }, function(what, class)
	scenario("R7.1 on a SimulatedProxy the engine calls " .. what, function(t)
		t:scripts(class == "Sim" and SIM or PLAIN)
		local s, a = net.play(t, {}, "a")
		local x = s:spawn(class, { Location = NEAR })
		local books = { s:spawn("Book", { RemoteRole = ROLE_None }), a:spawn("Book") }
		local copy = present(t, x, a)
		t:run(0.5)
		t:eq(copy.Role, ROLE_SimulatedProxy)
		for i, event in ipairs(CALLED) do
			t:gt(notes(x, event), 0, event .. " on the server")
			local most = class == "Plain" and 0 or i <= 4 and 1 or 60
			t:ok(notes(copy, event) >= math.min(most, 3) and notes(copy, event) <= most, event .. " on the proxy")
		end
		x:Destroy()
		t:within(0.5, function() return not copy.alive end)
		t:eq({ books[1].ended, books[2].ended }, { class .. " ", class == "Sim" and "Sim " or nil })
	end)
end)

scenario("R7.1 on an AutonomousProxy the engine calls everything", function(t)
	t:scripts [[
		local Mind = class("Mind", "PlayerController")
		Mind.properties { Ticks = int(0), Begun = int(0), Rings = int(0) }
		function Mind:BeginPlay() self.Begun = self.Begun + 1 self:SetTimer(0.1, true, "Ring") end
		function Mind:PostNetBeginPlay() self.Begun = self.Begun + 10 end
		function Mind:Tick(dt) Mind.super.Tick(self, dt) self.Ticks = self.Ticks + 1 end
		function Mind:Ring() self.Rings = self.Rings + 1 end
		local Hero = class("Hero", "Character")
		Hero.properties { Ticks = int(0) }
		function Hero:Tick(_) self.Ticks = self.Ticks + 1 end
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { PlayerControllerClass = "Mind", DefaultPawnClass = "Hero" }
	]]
	local s, a, b = net.play(t, { game = "Duel" }, "a", "b")
	present(t, s:pawn(a), b)
	t:run(0.5)
	holds(t, a:controller(), { Role = ROLE_AutonomousProxy, Begun = 11 })
	t:gt(a:controller().Ticks, 20)
	t:gt(a:controller().Rings, 2)
	t:eq(a:pawn().Role, ROLE_AutonomousProxy)
	t:gt(a:pawn().Ticks, 20)
	t:eq(b:copy(s:pawn(a)).Ticks, 0, "for others it is a SimulatedProxy")
end)

for_each({ { "Plain", PLAIN }, { "Sim", SIM } }, function(case)
	scenario("R7.1 Touch and UnTouch on a proxy: " .. case[1], function(t)
		t:scripts(case[2])
		t:scripts [[
			local Cart = class("Cart")
			Cart.defaults { Physics = PHYS_Projectile, bCollideActors = true, bUpdateSimulatedPosition = true }
		]]
		local s, a = net.play(t, {}, "a")
		local x = net.spawn(t, s, case[1], { Location = NEAR }, a)
		t:run(0.2)
		local copy = a:copy(x)
		t:eq(notes(copy, "Touch"), 0)
		local other = s:spawn("Cart", { Location = NEAR + vector(500, 0, 0), Velocity = vector(-900, 0, 0) })
		t:run(1.3)
		t:gt(notes(x, "Touch"), 0)
		t:gt(notes(x, "UnTouch"), 0)
		other:Destroy()
		if case[1] == "Sim" then
			t:gt(notes(copy, "Touch"), 0)
			t:gt(notes(copy, "UnTouch"), 0)
		else
			t:eq(notes(copy, "Touch"), 0)
			t:eq(notes(copy, "UnTouch"), 0)
		end
	end)

	scenario("R7.1 HitWall on a proxy: " .. case[1], function(t)
		t:scripts(case[2])
		local s, a = net.play(t, { level = "wall" }, "a")
		local x = net.spawn(t, s, case[1], { Location = vector(200, -1800, 200), Physics = PHYS_Projectile, Velocity = vector(600, 0, 0) }, a)
		t:run(1)
		t:gt(notes(x, "HitWall"), 0)
		t:eq(notes(a:copy(x), "HitWall") > 0, case[1] == "Sim")
		t:lt(a:copy(x).Location.X, 500, "the wall is there all the same")
	end)

	scenario("R7.1 replicated calls, ReplicatedEvent and TornOff always run: " .. case[1], function(t)
		t:scripts(case[2])
		local s, a = net.play(t, {}, "a")
		local x = net.spawn(t, s, case[1], { Location = NEAR }, a)
		local copy = a:copy(x)
		x:AllTold()
		x.N = 3
		t:within(0.5, function() return notes(copy, "AllTold") == 1 and notes(copy, "OnRep") == 1 end)
		t:eq(copy.Role, ROLE_SimulatedProxy)
		x.bTearOff = true
		t:within(0.5, function() return notes(copy, "TornOff") == 1 end)
		t:eq(notes(x, "OnRep"), 0)
		t:eq(copy.Role, ROLE_Authority)
		local ticks = notes(copy, "Tick")
		t:run(0.3)
		t:gt(notes(copy, "Tick"), ticks, "now everything runs there")
	end)

	scenario("R7.1 a call from script to script on one peer is never skipped: " .. case[1], function(t)
		t:scripts(case[2])
		local s, a = net.play(t, {}, "a")
		local x = net.spawn(t, s, case[1], { Location = NEAR }, a)
		t:eq(a:copy(x):CallPlain(), 5)
		t:eq(a:copy(x):Plain(), 5)
		t:eq(notes(a:copy(x), "Plain"), 2)
	end)
end)

scenario("R7.1 what is simulated counts for components, too", function(t)
	t:scripts [[
		local Wheel = class("Wheel", "ActorComponent")
		Wheel.properties { Ticks = int(0), SimTicks = int(0), Begun = int(0), Turn = int(0) }
		Wheel.replication { { "Turn" } }
		function Wheel:BeginPlay() self.Begun = 1 end
		function Wheel:Tick(_) self.Ticks = self.Ticks + 1 end
		local Gear = class("Gear", "Wheel")
		function Gear.simulated:BeginPlay() self.Begun = 1 end
		function Gear.simulated:Tick(_) self.SimTicks = self.SimTicks + 1 end
		local Car = class("Car")
		Car.defaults { bAlwaysRelevant = true }
		Car.components { Plain = "Wheel", Sim = "Gear" }
	]]
	local s, a = net.play(t, {}, "a")
	local car = net.spawn(t, s, "Car", {}, a)
	t:run(0.5)
	t:gt(car.Plain.Ticks, 20)
	t:gt(car.Sim.SimTicks, 20)
	local copy = a:copy(car)
	holds(t, copy.Plain, { Ticks = 0, Begun = 0 })
	t:gt(copy.Sim.SimTicks, 10)
	t:eq(copy.Sim.Begun, 1)
end)

local LAMP = net.with [[
	local Lamp = class("Lamp")
	Lamp.properties { Steps = int(0), Ticks = int(0), Begun = "", Ended = "" }
	Lamp.defaults { bAlwaysRelevant = true }
	Lamp.state("On", { simulated = true })
	function Lamp.state.On:BeginState(prev) self.Begun = self.Begun .. "On(" .. prev .. ") " end
	function Lamp.state.On:EndState(next) self.Ended = self.Ended .. "On(" .. next .. ") " end
	function Lamp.state.On.simulated:Tick(_) self.Ticks = self.Ticks + 1 end
	function Lamp.state.On:Say() return "on" end
	function Lamp.state.On:Code()
		while true do
			self.Steps = self.Steps + 1
			Sleep(0.1)
		end
	end
	Lamp.state("Off", {})
	function Lamp.state.Off:BeginState(prev) self.Begun = self.Begun .. "Off(" .. prev .. ") " end
	function Lamp.state.Off:Code() self.Steps = self.Steps + 1000 end
	function Lamp.state.Off:Say() return "off" end
	function Lamp:Say() return "none" end
	function Lamp.simulated.multicast.reliable:AllGo(name) self:GotoState(name) end
	function Lamp.simulated.multicast.reliable:AllPush(name) self:PushState(name) end
	Lamp.params { AllGo = { "" }, AllPush = { "" } }
]]

scenario("R7.2 a state of the server does not replicate by itself", function(t)
	local s, a = LAMP.play(t, {}, "a")
	local x = net.spawn(t, s, "Lamp", {}, a)
	x:GotoState("On")
	t:run(0.4)
	t:eq({ x:GetStateName(), a:copy(x):GetStateName() }, { "On", "" })
	local b = t:client{ name = "b" }
	joined(t, s, b)
	present(t, x, b)
	t:eq(b:copy(x):GetStateName(), "")
end)

scenario("R7.3 a simulated proxy enters a state that is simulated, and its code runs there", function(t)
	local s, a = LAMP.play(t, {}, "a")
	local x = net.spawn(t, s, "Lamp", {}, a)
	local copy = a:copy(x)
	x:AllGo("On")
	t:within(0.5, function() return copy:GetStateName() == "On" end)
	t:run(0.5)
	t:eq(copy:Say(), "on")
	t:gt(copy.Ticks, 10)
	t:gt(copy.Steps, 2)
	x:AllGo("")
	t:within(0.5, function() return copy:GetStateName() == "" end)
end)

scenario("R7.3 a simulated proxy does not enter a state that is not simulated", function(t)
	local s, a = LAMP.play(t, {}, "a")
	local x = net.spawn(t, s, "Lamp", {}, a)
	local copy = a:copy(x)
	x:AllGo("Off")
	t:run(0.5)
	t:eq({ x:GetStateName(), x.Steps, copy:GetStateName(), copy:Say() }, { "Off", 1000, "", "none" })
	holds(t, copy, { Steps = 0, Begun = "" })
	copy:GotoState("Off")
	t:eq(copy:GetStateName(), "")
	copy:GotoState("On")
	t:eq(copy:GetStateName(), "On")
	copy:GotoState("Off")
	t:ne(copy:GetStateName(), "Off")
end)

for_each({ { "On", "On" }, { "Off", "" } }, function(case)
	scenario("R7.3 auto_state on a simulated proxy: " .. case[1], function(t)
		t:scripts(LAMP.classes)
		t:scripts(([[
			local Auto = class("Auto", "Lamp")
			Auto.auto_state = "%s"
		]]):format(case[1]))
		local s, a = net.play(t, {}, "a")
		local x = net.spawn(t, s, "Auto", {}, a)
		t:run(0.4)
		t:eq({ x:GetStateName(), a:copy(x):GetStateName() }, { case[1], case[2] })
		t:eq(a:copy(x).Steps > 0, case[2] ~= "")
	end)
end)

scenario("R7.3 an AutonomousProxy enters every state", function(t)
	t:scripts [[
		local Hero = class("Hero", "Character")
		Hero.properties { Steps = int(0) }
		Hero.state("Dazed", {})
		function Hero.state.Dazed:Code() self.Steps = self.Steps + 1 end
		function Hero.multicast.reliable:AllDaze() self:GotoState("Dazed") end
	]]
	local s, a, b = net.play(t, { pawn = "Hero" }, "a", "b")
	local pawn = s:pawn(a)
	present(t, pawn, b)
	pawn:AllDaze()
	t:within(0.5, function() return a:pawn():GetStateName() == "Dazed" and a:pawn().Steps == 1 end)
	t:run(0.3)
	t:eq({ b:copy(pawn):GetStateName(), b:copy(pawn).Steps }, { "", 0 })
end)

scenario("R7.3 ClientGotoState forces the owning client into a state, and nobody else", function(t)
	t:scripts [[
		local Mind = class("Mind", "PlayerController")
		Mind.state("Spectating", {})
		Mind.state("Playing", {})
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { PlayerControllerClass = "Mind" }
	]]
	local s, a, b = net.play(t, { game = "Duel" }, "a", "b")
	s:controller(a):ClientGotoState("Spectating")
	t:within(0.5, function() return a:controller():GetStateName() == "Spectating" end)
	t:ne(s:controller(a):GetStateName(), "Spectating")
	t:ne(b:controller():GetStateName(), "Spectating")
	s:controller(a):ClientGotoState("Playing")
	t:within(0.5, function() return a:controller():GetStateName() == "Playing" end)
end)

scenario("R7.4 a simulated proxy flies on by its replicated velocity, without decisions", function(t)
	t:scripts [[
		local Dart = class("Dart", "Projectile")
		Dart.properties { Turns = int(0) }
		Dart.defaults { Speed = 800, LifeSpan = 0 }
		function Dart:Tick(_)
			self.Turns = self.Turns + 1
			if self.Turns == 60 then self.Velocity = vector(0, 800, 0) end
		end
	]]
	local s, a = net.play(t, {}, "a")
	local x = net.spawn(t, s, "Dart", { Location = vector(0, -1800, 200) }, a)
	local copy = a:copy(x)
	t:run(0.7)
	t:near(copy.Location, x.Location, 100)
	t:gt(copy.Location.X, 400)
	local sets = 0
	for _, e in ipairs(t:trace(a)) do
		if e.actor == x and e.event == "set" and e.name == "Location" then sets = sets + 1 end
	end
	-- It is not told where it is all its way, but until it is known to have come: in real time that takes a little.
	t:le(sets, t:transport() == "sim" and 1 or 3)
	t:run(1)
	t:eq(copy.Turns, 0)
	t:gt(x.Location.Y, -1400, "the server's turned")
	t:near(copy.Location.Y, -1800, 5, "the proxy decides nothing")
	t:gt(copy.Location.X, 1100)
end)

scenario("R7.4 between updates a proxy moves by velocity and physics", function(t)
	t:scripts [[
		local Cart = class("Cart")
		Cart.defaults { Physics = PHYS_Projectile, bUpdateSimulatedPosition = true, NetUpdateFrequency = 2, MinNetUpdateFrequency = 2 }
	]]
	local s, a = net.play(t, {}, "a")
	local x = net.spawn(t, s, "Cart", { Location = NEAR, Velocity = vector(300, 0, 0) }, a)
	local copy, last, moved = a:copy(x), a:copy(x).Location.X, 0
	for _ = 1, 60 do
		t:ticks(1)
		if copy.Location.X > last then moved = moved + 1 end
		last = copy.Location.X
	end
	t:ge(moved, 50, "it moves in every tick, not with every update")
	t:near(copy.Location, x.Location, 30)
end)
