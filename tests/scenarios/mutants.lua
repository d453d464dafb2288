-- What mutants of the source (tests/mutants) showed that nothing else notices. The names begin with the rule.

local net = require("shared.net")
local holds = net.holds

local BOOK = [[
	local Book = class("Book", "Info")
	Book.properties { Text = str("", { max = 1000 }) }
	function Book:Write(s) self.Text = self.Text .. s .. " " end
	local Part = class("Part")
	Part.properties { Book = ref("Book"), Mark = "" }
	function Part:Tick(_) self.Book:Write(self.Mark) end
]]

scenario("R1.3 who ticks again after a pause has the turn of its spawning", function(t)
	t:scripts(BOOK)
	local s = t:server{ tick = 10, net = 10 }
	local book = s:spawn("Book")
	local a, b = s:spawn("Part", { Book = book, Mark = "a" }), s:spawn("Part", { Book = book, Mark = "b" })
	s:spawn("Part", { Book = book, Mark = "c" })
	a:SetTickEnabled(false)
	b:SetTickEnabled(false)
	t:ticks(1)
	t:eq(book.Text, "c ")
	b:SetTickEnabled(true)
	t:ticks(1)
	a:SetTickEnabled(true)
	book.Text = ""
	t:ticks(1)
	t:eq(book.Text, "a b c ")
end)

scenario("R1.3 what is spawned during a tick does not tick in it, not even as somebody's Base", function(t)
	t:scripts(BOOK .. [[
		local Parent = class("Parent")
		Parent.properties { Book = ref("Book"), Rider = ref("Part"), bDone = false }
		function Parent:Tick(_)
			if not self.bDone then
				self.bDone = true
				self.Rider:SetBase(self:Spawn("Part", { Book = self.Book, Mark = "base" }))
			end
		end
	]])
	local s = t:server{ tick = 10, net = 10 }
	local book = s:spawn("Book")
	local parent = s:spawn("Parent", { Book = book })
	parent.Rider = s:spawn("Part", { Book = book, Mark = "rider" })
	t:ticks(1)
	t:eq(book.Text, "rider ")
	book.Text = ""
	t:ticks(1)
	t:eq(book.Text, "base rider ")
end)

scenario("R5.8a a class that sets its own variables gets them rounded and refused like any other", function(t)
	t:scripts [[
		local Box = class("Box")
		Box.properties { F = float(0.5), I = int(5, { min = 0, max = 10 }), FR = float(1, { min = 0, max = 2 }), N = int(1) }
		function Box:Round(x)
			self.F = x
			return self.F
		end
		function Box:Int(x) self.I = x end
		function Box:Ranged(x) self.FR = x end
		function Box:Whole(x) self.N = x end
	]]
	local _, b = net.alone(t, "Box")
	local rounded = 13421773 / 2 ^ 27 -- 0.1 in 32 bits
	t:eq(b:Round(0.1), rounded, "at once, for the class itself")
	t:eq(b.F, rounded)
	b:Int(10)
	t:eq(b.I, 10)
	for _, case in ipairs { { "Int", 11 }, { "Int", -1 }, { "Ranged", 2.5 }, { "Ranged", -0.5 }, { "Whole", 1.5 }, { "Whole", 2 ^ 31 }, { "Round", 1 / 0 } } do
		t:run(6) -- three faults in ten seconds would quarantine the class
		t:expect_error("^Box:" .. case[1] .. ": .*expected")
		b[case[1]](b, case[2])
	end
	holds(t, b, { I = 10, FR = 1, N = 1, F = rounded })
end)

scenario("R6.10 an override inherits reliable too; restating it differently does not load", function(t)
	t:scripts [[
		local Bell = class("Bell")
		function Bell.server.reliable:ServerRing() end
		Bell.params { ServerRing = {} }
		local Sub = class("Sub", "Bell")
		function Sub:ServerRing() end
		local SubSub = class("SubSub", "Sub")
		function SubSub.server.reliable:ServerRing() end
	]]
	t:server{}
end)

scenario("R6.10 restating reliable as unreliable does not load", function(t)
	t:scripts [[
		local Bell = class("Bell")
		function Bell.server.reliable:ServerRing() end
		Bell.params { ServerRing = {} }
		local Sub = class("Sub", "Bell")
		function Sub.server.unreliable:ServerRing() end
	]]
	t:error(function() t:server{} end, "scripts:5:%d+: error: .*ServerRing")
end)

scenario("R9.0 input and PlayerTick come before the controller's own Tick", function(t)
	t:scripts [[
		local Pad = class("Pad", "PlayerController")
		Pad.properties { Seen = "" }
		function Pad:PlayerTick(_) self.Seen = self.Seen .. "P" .. self.aForward end
		function Pad:Tick(_) self.Seen = self.Seen .. "T" .. self.aForward end
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { PlayerControllerClass = "Pad" }
	]]
	local s = t:server{ mode = "standalone", game = "Duel" }
	s:input{ forward = 1 }
	t:ticks(1)
	t:eq(s:controller().Seen, "P1T1")
end)

scenario("lua-api types: an element before the first and one after the last are neither read nor set", function(t)
	t:scripts [[
		local List = class("List")
		List.properties { Before = int(7), Ints = array(int(0), 2), After = int(9) }
		function List:Get(i) return self.Ints[i] end
		function List:Set(i) self.Ints[i] = 1 end
	]]
	local _, l = net.alone(t, "List")
	for _, i in ipairs { 0, 3 } do
		for _, f in ipairs { "Get", "Set" } do
			t:run(6)
			t:expect_error("List:" .. f .. ": .*Ints: index " .. i .. " is outside")
			l[f](l, i)
		end
	end
	holds(t, l, { Before = 7, After = 9 })
end)

scenario("lua-api defining: one slip in an event of few letters is found", function(t)
	t:scripts [[
		local A = class("A")
		function A:Touhc(_) end
	]]
	t:error(function() t:server{} end, 'scripts:2:%d+: error: .*"Touch"')
end)

scenario("lua-api reload: values of every type stay while other variables come and go", function(t)
	local code = [[
		local A = class("A")
		A.properties {
			%s S = "", V = vector(), L = array(str("", { max = 9 }), 2), W = struct { X = int(0), T = "" }, R = ref("Actor"),
			E = enum("a", "b"), B = fastarray(struct { N = int(0) }),
		}
		function A:Put() return self.B:Add{ N = 4 } end
		function A:Count() return #self.B end
	]]
	t:scripts(code:format("Old = int(1), OldText = \"x\","))
	local _, a = net.alone(t, "A")
	a.S, a.V, a.R, a.E = "text", vector(1, 2, 3), a, "b"
	a.L[2] = "two"
	a.W.X, a.W.T = 5, "five"
	a:Put()
	t:reload(code:format("New = float(1), NewText = \"\", More = \"\","))
	holds(t, a, { S = "text", V = vector(1, 2, 3), L = { "", "two" } })
	holds(t, a.W, { X = 5, T = "five" })
	holds(t, a, { R = a, E = "b" })
	t:eq(a:Count(), 1)
end)

scenario("lua-api reload: an int that becomes a float is reset and logged", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { N = int(3) }
	]]
	local _, a = net.alone(t, "A")
	a.N = 30
	local r = t:reload [[
		local A = class("A")
		A.properties { N = float(1.5) }
	]]
	t:eq(a.N, 1.5)
	t:match(table.concat(r.notes, "\n"), "A.N")
end)

scenario("lua-api reload: actors of a child are told when its parent changed", function(t)
	local code = [[
		local A = class("A")
		A.properties { Told = int(0) }
		function A:Reloaded(_) self.Told = self.Told + 1 end
		function A:Which() return %d end
		local B = class("B", "A")
		local C = class("C", "B")
	]]
	t:scripts(code:format(1))
	local _, b, c = net.actors(t, "B", "C")
	local r = t:reload(code:format(2))
	t:eq({ b.Told, c.Told, c:Which(), r.actors }, { 1, 1, 2, 2 })
end)

scenario("lua-api actor: the controller of a pawn that dies is told", function(t)
	t:scripts [[
		local Mind = class("Mind", "AIController")
		Mind.properties { Died = int(0) }
		function Mind:PawnDied(pawn)
			self.Died = self.Died + 1
			Mind.super.PawnDied(self, pawn)
		end
	]]
	local s = t:server{}
	local mind, pawn = s:spawn("Mind"), s:spawn("Character", { Location = vector(0, 0, 100) })
	mind:Possess(pawn)
	pawn:TakeDamage(1000, nil, vector(), vector(), "test")
	t:eq({ mind.Died, mind.Pawn }, { 1, nil })
	t:no(pawn.alive)
end)
