-- Section 7 of the rules: simulated functions and states; R7.2 is what one peer shows.

local net = require("shared.net")
local holds = net.holds

local BOOK = require("shared.book")

local DOOR = [[
	local Door = class("Door")
	Door.properties { Book = ref("Book"), Said = "" }
	function Door:Say() return "outside" end
	function Door:Bump(_) self.Said = "bumped" end
	function Door:Knock() return "knock: " .. self:Say() end
	Door.state("Open", {})
	function Door.state.Open:Say() return "open" end
	function Door.state.Open:BeginState(prev) if self.Book then self.Book:Write("+Open(" .. prev .. ")") end end
	function Door.state.Open:EndState(next) if self.Book then self.Book:Write("-Open(" .. next .. ")") end end
	Door.state("Shut", { ignores = { "Bump", "Knock" } })
	function Door.state.Shut:Say() return "shut" end
	function Door.state.Shut:BeginState(prev) if self.Book then self.Book:Write("+Shut(" .. prev .. ")") end end
	function Door.state.Shut:EndState(next) if self.Book then self.Book:Write("-Shut(" .. next .. ")") end end
	Door.state("Locked", { extends = "Shut" })
	function Door.state.Locked:BeginState(prev) if self.Book then self.Book:Write("+Locked(" .. prev .. ")") end end
]]

scenario("R7.2 a state overrides functions while the actor is in it", function(t)
	t:scripts(BOOK .. DOOR)
	local _, d = net.alone(t, "Door")
	t:eq({ d:Say(), d:GetStateName() }, { "outside", "" })
	d:GotoState("Open")
	t:eq(d:Say(), "open")
	t:eq(d:Knock(), "knock: open", "functions outside states call those of the state")
	t:eq(d:GetStateName(), "Open")
	t:ok(d:IsInState("Open"))
	d:GotoState("Shut")
	t:eq(d:Say(), "shut")
	t:no(d:IsInState("Open"))
	d:GotoState("")
	t:eq({ d:Say(), d:GetStateName() }, { "outside", "" })
end)

scenario("R7.2 EndState of the old gets the next, BeginState of the new the previous, in this order", function(t)
	t:scripts(BOOK .. DOOR)
	local s, book = net.alone(t, "Book")
	local d = s:spawn("Door", { Book = book })
	d:GotoState("Open")
	t:eq(book:Read(), "+Open()")
	d:GotoState("Shut")
	t:eq(book:Read(), "-Open(Shut) +Shut(Open)")
	d:GotoState("Shut")
	t:eq(book:Read(), "-Shut(Shut) +Shut(Shut)")
	d:GotoState("")
	t:eq(book:Read(), "-Shut()")
end)

scenario("R7.2 ignores names functions that do nothing in a state", function(t)
	t:scripts(BOOK .. DOOR)
	local _, d = net.alone(t, "Door")
	d:GotoState("Shut")
	t:eq(d:Knock(), nil)
	d:Bump(d)
	t:eq(d.Said, "")
	d:GotoState("Open")
	d:Bump(d)
	t:eq(d.Said, "bumped")
end)

scenario("R7.2 a state may extend another of the class", function(t)
	t:scripts(BOOK .. DOOR)
	local s, book = net.alone(t, "Book")
	local d = s:spawn("Door", { Book = book })
	d:GotoState("Locked")
	t:eq(d:Say(), "shut", "found in the state that is extended")
	t:eq(d:Knock(), nil, "what that one ignores is ignored")
	t:ok(d:IsInState("Locked"))
	t:ok(d:IsInState("Shut"), "a state that extends another counts as it")
	t:eq(d:GetStateName(), "Locked")
	t:eq(book:Read(), "+Locked()", "only its own BeginState")
	d:GotoState("Open")
	t:eq(book:Read(), "-Shut(Open) +Open(Locked)", "EndState is inherited from the state that is extended")
end)

scenario("R7.2 states are inherited along the class, overridden and added to", function(t)
	t:scripts(BOOK .. DOOR)
	t:scripts [[
		local Gate = class("Gate", "Door")
		function Gate.state.Open:Say() return "gate " .. Gate.super.Say(self) end
		Gate.state("Broken", { extends = "Open" })
		function Gate.state.Broken:Say() return "broken " .. Gate.super.Say(self) end
		local Hut = class("Hut", "Door")
		function Hut:Say() return "hut" end
	]]
	local s, g = net.alone(t, "Gate")
	t:eq(g:Say(), "outside")
	g:GotoState("Shut")
	t:eq(g:Say(), "shut", "inherited as it is")
	g:GotoState("Open")
	t:eq(g:Say(), "gate open", "super in a state is the parent's state")
	g:GotoState("Broken")
	t:eq(g:Say(), "broken gate open", "super in a state that extends another is that one")
	local h = s:spawn("Hut")
	t:eq(h:Say(), "hut")
	h:GotoState("Open")
	t:eq(h:Say(), "open", "a parent's state beats the child's own function outside states")
end)

scenario("R7.2 super in a state reaches the function outside states where no state has it", function(t)
	t:scripts [[
		local Base = class("Base")
		function Base:Hit() return "base" end
		local Child = class("Child", "Base")
		function Child:Hit() return "child" end
		Child.state("Angry", {})
		function Child.state.Angry:Hit() return "angry " .. Child.super.Hit(self) end
	]]
	local _, c = net.alone(t, "Child")
	c:GotoState("Angry")
	t:eq(c:Hit(), "angry base")
end)

scenario("R7.2 auto_state is entered after PostNetBeginPlay, and is inherited", function(t)
	t:scripts(BOOK .. [[
		local Lamp = class("Lamp")
		Lamp.properties { Book = ref("Book") }
		function Lamp:PostNetBeginPlay() self.Book:Write("net:" .. self:GetStateName()) end
		Lamp.state("On", {})
		Lamp.state("Off", {})
		function Lamp.state.On:BeginState(prev) self.Book:Write("on(" .. prev .. ")") end
		Lamp.auto_state = "On"
		local Child = class("Child", "Lamp")
		local Other = class("Other", "Lamp")
		Other.auto_state = "Off"
	]])
	local s, book = net.alone(t, "Book")
	t:eq(s:spawn("Lamp", { Book = book }):GetStateName(), "On")
	t:eq(book:Read(), "net: on()")
	t:eq(s:spawn("Child", { Book = book }):GetStateName(), "On")
	t:eq(s:spawn("Other", { Book = book }):GetStateName(), "Off")
end)

scenario("R7.2 going elsewhere in BeginState and in EndState works", function(t)
	t:scripts(BOOK .. [[
		local Fox = class("Fox")
		Fox.properties { Book = ref("Book") }
		Fox.state("A", {})
		function Fox.state.A:BeginState(_) self.Book:Write("A") self:GotoState("B") end
		Fox.state("B", {})
		function Fox.state.B:BeginState(prev) self.Book:Write("B(" .. prev .. ")") end
	]])
	local s, book = net.alone(t, "Book")
	local f = s:spawn("Fox", { Book = book })
	f:GotoState("A")
	t:eq(book:Read(), "A B(A)")
	t:eq(f:GetStateName(), "B")
end)

scenario("R7.2 an unknown state is an error that names the nearest", function(t)
	t:scripts(DOOR .. BOOK)
	local _, d = net.alone(t, "Door")
	t:expect_error('"Opne".*Open')
	d:GotoState("Opne")
	t:eq(d:GetStateName(), "")
end)

scenario("R7.2 latent code sleeps for world time", function(t)
	t:scripts [[
		local Lamp = class("Lamp")
		Lamp.properties { Step = int(0), At = float(0) }
		Lamp.state("Blink", {})
		function Lamp.state.Blink:Code()
			self.Step = 1
			Sleep(0.5)
			self.Step, self.At = 2, world.TimeSeconds
			Sleep(0.25)
			self.Step = 3
		end
	]]
	local s = t:server{ tick = 100, net = 50 }
	local lamp = s:spawn("Lamp")
	lamp:GotoState("Blink")
	t:eq(lamp.Step, 0, "the code starts in the next tick")
	t:ticks(1)
	t:eq(lamp.Step, 1)
	t:run(0.45)
	t:eq(lamp.Step, 1)
	t:run(0.1)
	t:eq(lamp.Step, 2)
	t:near(lamp.At, 0.51, 0.0101)
	t:run(0.3)
	t:eq(lamp.Step, 3)
	t:run(2)
	t:eq(lamp.Step, 3, "code that came to its end does not start again")
	t:eq(lamp:GetStateName(), "Blink")
end)

scenario("R7.2 WaitFor waits until a function is true", function(t)
	t:scripts [[
		local Guard = class("Guard")
		Guard.properties { Enemy = ref("Actor"), bAlarm = false }
		Guard.state("Watch", {})
		function Guard.state.Watch:Code()
			WaitFor(function() return self.Enemy ~= nil end)
			self.bAlarm = true
		end
	]]
	local s, g = net.alone(t, "Guard")
	g:GotoState("Watch")
	t:run(1)
	t:no(g.bAlarm)
	g.Enemy = s:spawn("Character")
	t:ticks(1)
	t:ok(g.bAlarm)
end)

scenario("R7.2 FinishMove waits until the mover is there", function(t)
	t:scripts(BOOK .. [[
		local Lift = class("Lift", "Mover")
		Lift.properties { Book = ref("Book") }
		Lift.defaults { MoveTo = vector(0, 0, 200), MoveTime = 1, StayOpenTime = 0.5 }
		function Lift:Opened() self.Book:Write("opened") end
		function Lift:Closed() self.Book:Write("closed") end
	]])
	local s = t:server{ tick = 50, net = 25 }
	local book = s:spawn("Book")
	local lift = s:spawn("Lift", { Location = vector(0, 0, 300), Book = book })
	lift:Trigger(nil)
	t:run(0.5)
	t:eq(book:Read(), "")
	t:gt(lift.Location.Z, 320)
	t:lt(lift.Location.Z, 480)
	t:run(0.6)
	t:eq(book:Read(), "opened")
	t:near(lift.Location, vector(0, 0, 500), 0.5)
	t:run(1.7)
	t:eq(book:Read(), "closed")
	t:near(lift.Location, vector(0, 0, 300), 0.5)
end)

scenario("R7.2 leaving a state ends its latent code, coming back starts it anew", function(t)
	t:scripts [[
		local Bomb = class("Bomb")
		Bomb.properties { Starts = int(0), Ends = int(0) }
		Bomb.state("Armed", {})
		function Bomb.state.Armed:Code()
			self.Starts = self.Starts + 1
			Sleep(1)
			self.Ends = self.Ends + 1
		end
		Bomb.state("Safe", {})
	]]
	local _, b = net.alone(t, "Bomb")
	b:GotoState("Armed")
	t:run(0.5)
	b:GotoState("Safe")
	t:run(2)
	holds(t, b, { Starts = 1, Ends = 0 })
	b:GotoState("Armed")
	t:run(1.1)
	holds(t, b, { Starts = 2, Ends = 1 })
end)

scenario("R7.2 PushState lets the code below stand still, PopState lets it go on", function(t)
	t:scripts [[
		local Troll = class("Troll")
		Troll.properties { Steps = "", At = float(0) }
		Troll.state("Work", {})
		function Troll.state.Work:Code()
			self.Steps = self.Steps .. "1"
			Sleep(0.2)
			self.Steps = self.Steps .. "2"
			Sleep(0.2)
			self.Steps = self.Steps .. "3"
		end
		Troll.state("Stunned", {})
		function Troll.state.Stunned:Code()
			self.Steps = self.Steps .. "s"
			Sleep(1)
			self:PopState()
		end
	]]
	local _, x = net.alone(t, "Troll")
	x:GotoState("Work")
	t:run(0.3)
	t:eq(x.Steps, "12")
	x:PushState("Stunned")
	t:eq(x:GetStateName(), "Stunned")
	t:run(0.9)
	t:eq(x.Steps, "12s")
	t:run(0.6)
	t:eq(x:GetStateName(), "Work")
	t:eq(x.Steps, "12s3", "it went on where it was")
end)

scenario("R7.2 pushing and popping call PausedState, PushedState, PoppedState, ContinuedState", function(t)
	t:scripts(BOOK .. [[
		local Elf = class("Elf")
		Elf.properties { Book = ref("Book") }
		Elf.state("Low", {})
		function Elf.state.Low:BeginState(_) self.Book:Write("+Low") end
		function Elf.state.Low:EndState(_) self.Book:Write("-Low") end
		function Elf.state.Low:PausedState() self.Book:Write("paused") end
		function Elf.state.Low:ContinuedState() self.Book:Write("continued") end
		Elf.state("High", {})
		function Elf.state.High:BeginState(_) self.Book:Write("+High") end
		function Elf.state.High:EndState(_) self.Book:Write("-High") end
		function Elf.state.High:PushedState() self.Book:Write("pushed") end
		function Elf.state.High:PoppedState() self.Book:Write("popped") end
	]])
	local s, book = net.alone(t, "Book")
	local e = s:spawn("Elf", { Book = book })
	e:GotoState("Low")
	e:PushState("High")
	t:eq(book:Read(), "+Low paused pushed")
	e:PopState()
	t:eq(book:Read(), "popped continued")
	t:expect_error("no pushed state")
	e:PopState()
end)

scenario("R7.2 components have states of their own", function(t)
	t:scripts [[
		local Heat = class("Heat", "ActorComponent")
		Heat.properties { Level = float(10) }
		Heat.state("Cooling", {})
		function Heat.state.Cooling:Code()
			while self.Level > 0 do
				self.Level = self.Level - 1
				Sleep(0.1)
			end
			self:GotoState("")
		end
		local Gun = class("Gun")
		Gun.components { Heat = "Heat" }
	]]
	local _, gun = net.alone(t, "Gun")
	gun.Heat:GotoState("Cooling")
	t:run(0.55)
	t:eq({ gun.Heat.Level, gun:GetStateName() }, { 4, "" })
	t:run(1)
	t:eq({ gun.Heat.Level, gun.Heat:GetStateName() }, { 0, "" })
end)

for_each({
	{ name = "extends an unknown state", code = [[
		local A = class("A")
		A.state("On", { extends = "Of" })
	]], pattern = "scripts:2:%d+: error: .*On.*Of" },
	{ name = "extends itself", code = [[
		local A = class("A")
		A.state("X", { extends = "Y" })
		A.state("Y", { extends = "X" })
	]], pattern = "scripts:[23]:%d+: error: .*extends itself" },
	{ name = "auto_state is no state", code = [[
		local A = class("A")
		A.state("On", {})
		A.auto_state = "Onn"
	]], pattern = "scripts:3:%d+: error: .*Onn.*On" },
	{ name = "ignores an unknown function", code = [[
		local A = class("A")
		A.state("On", { ignores = { "Bumpp" } })
	]], pattern = "scripts:2:%d+: error: .*Bumpp.*Bump" },
}, function(case)
	scenario("R7.2 a state that cannot be does not load: " .. case.name, function(t)
		t:scripts(case.code)
		t:error(function() t:server{} end, case.pattern)
	end)
end)
