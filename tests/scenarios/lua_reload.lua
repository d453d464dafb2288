-- The chapter "Hot reload" of docs/lua-api.md, in one world.

local net = require("shared.net")
local holds = net.holds

scenario("lua-api reload: functions, states and defaults are replaced while live actors keep their variables", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Gold = int(1), Label = "first", Where = vector(0, 0, 0), Arr = array(int(0), 3), Who = ref("Actor") }
		function A:Say() return "old" end
		A.state("On", {})
		function A.state.On:Say() return "old on" end
	]]
	local s, a, b = net.actors(t, "A", "A")
	a.Gold, a.Label, a.Where, a.Who = 7, "mine", vector(1, 2, 3), b
	a.Arr[2] = 5
	a.kept = { 1, 2 }
	b:GotoState("On")
	t:eq(a:Say(), "old")
	t:reload [[
		local A = class("A")
		A.properties { Gold = int(1), Label = "second", Where = vector(0, 0, 0), Arr = array(int(0), 3), Who = ref("Actor") }
		A.defaults { NetPriority = 5 }
		function A:Say() return "new" end
		A.state("On", {})
		function A.state.On:Say() return "new on" end
	]]
	t:eq({ a:Say(), b:Say(), b:GetStateName() }, { "new", "new on", "On" })
	holds(t, a, { Gold = 7, Label = "mine", Where = vector(1, 2, 3), Arr = { 0, 5, 0 }, Who = b })
	t:eq(a.kept, { 1, 2 }, "local values too")
	t:eq(s:spawn("A").Label, "second", "new actors have the new defaults")
	t:eq(s:spawn("A").NetPriority, 5)
end)

scenario("lua-api reload: it says what it did", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { X = int(1) }
		function A:One() end
		function A:Two() end
	]]
	local s = t:server{}
	for _ = 1, 3 do s:spawn("A") end
	local r = t:reload [[
		local A = class("A")
		A.properties { X = int(1), Y = int(2) }
		function A:One() end
		function A:Two() end
	]]
	holds(t, r, { files = { "scripts" }, classes = { "A" }, functions = 2, variables = 1, actors = 3 })
	t:ge(r.ms, 0)
	t:eq(r.changes, { "A.Y is new" })
end)

scenario("lua-api reload: live actors follow a changed default, and it says how many", function(t)
	local function code(width)
		return ([[
			local A = class("A")
			A.properties { Width = int(%d), Gear = struct { Max = int(%d), Used = int(0) } }
			local B = class("B", "A")
		]]):format(width, width)
	end
	t:scripts(code(100))
	local s = t:server{}
	local list = {}
	for i = 1, 5 do list[i] = s:spawn(i % 2 == 0 and "B" or "A") end
	list[1].Width, list[2].Width = 80, 80
	list[3].Gear.Used = 5
	local r = t:reload(code(300))
	t:eq(r.changes, { "A.Width 100 → 300; 3 follow, 2 keep 80", "A.Gear.Max 100 → 300; 5 follow" })
	for i, k in ipairs(list) do
		t:eq({ k.Width, k.Gear.Max, k.Gear.Used }, { i < 3 and 80 or 300, 300, i == 3 and 5 or 0 })
	end
	t:eq(t:reload(code(300) .. " -- the same").changes, {})
end)

scenario("lua-api reload: a new property gets its default, a removed one goes, one of another type is reset and logged", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Stay = int(1), Gone = int(2), Turn = int(3) }
	]]
	local s, a = net.alone(t, "A")
	a.Stay, a.Gone, a.Turn = 10, 20, 30
	local r = t:reload [[
		local A = class("A")
		A.properties { Added = "hello", Stay = int(1), Turn = "text", List = array(int(4), 2), Other = struct { X = int(5) } }
	]]
	t:eq({ a.Stay, a.Gone }, { 10, nil })
	holds(t, a, { Turn = "text", Added = "hello", List = { 4, 4 } })
	t:eq(a.Other.X, 5)
	t:match(table.concat(r.notes, "\n"), "A.Turn")
	t:match(table.concat(s:log(), "\n"), "A.Turn")
	a.Turn = "new"
	t:eq({ a.Turn, s:spawn("A").Turn }, { "new", "text" })
end)

scenario("lua-api reload: a value that no longer fits its range is reset", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { N = int(5) }
	]]
	local _, a, b = net.actors(t, "A", "A")
	a.N, b.N = 500, 50
	t:reload [[
		local A = class("A")
		A.properties { N = int(5, { min = 0, max = 100 }) }
	]]
	t:eq({ a.N, b.N }, { 5, 50 })
end)

scenario("lua-api reload: timers go on", function(t)
	local code = [[
		local A = class("A")
		A.properties { Rings = int(0), Log = "" }
		function A:Ring() self.Rings, self.Log = self.Rings + 1, self.Log .. "%s" end
	]]
	t:scripts(code:format("o"))
	local s = t:server{ tick = 10, net = 10 }
	local a = s:spawn("A")
	a:SetTimer(1, true, "Ring")
	t:run(1.5)
	t:reload(code:format("n"))
	t:run(1)
	t:eq(a.Log, "on", "at the time it was due, by the new function")
end)

scenario("lua-api reload: a timer whose function is gone stops, with a warning and no error", function(t)
	t:scripts [[
		local A = class("A")
		function A:Ring() end
	]]
	local s = t:server{ tick = 10, net = 10 }
	local a = s:spawn("A")
	a:SetTimer(0.5, true, "Ring")
	t:reload [[
		local A = class("A")
		A.properties { N = int(0) }
	]]
	t:run(2)
	t:ok(a.alive)
	t:eq(#s:log(), 1)
	t:match(s:log()[1], "Ring")
end)

scenario("lua-api reload: latent code goes on; code of a changed state restarts", function(t)
	local code = [[
		local A = class("A")
		A.properties { Steps = "" }
		A.state("Same", {})
		function A.state.Same:Code()
			self.Steps = self.Steps .. "1"
			Sleep(1)
			self.Steps = self.Steps .. "2"
		end
		local B = class("B")
		B.properties { Steps = "" }
		B.state("Run", {})
		function B.state.Run:Code()
			self.Steps = self.Steps .. "%s"
			Sleep(1)
			self.Steps = self.Steps .. "e"
		end
	]]
	t:scripts(code:format("o"))
	local _, b = net.alone(t, "B")
	b:GotoState("Run")
	t:run(0.5)
	t:eq(b.Steps, "o")
	t:reload(code:format("n"))
	t:run(0.6)
	t:eq(b.Steps, "on", "it began again")
	t:run(0.5)
	t:eq(b.Steps, "one")
end)

scenario("lua-api reload: Reloaded(old) is told, with what went or was reset", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Gone = int(1), Turn = int(2) }
	]]
	local _, a = net.alone(t, "A")
	a.Gone, a.Turn = 11, 22
	t:reload [[
		local A = class("A")
		A.properties { Turn = "", Seen = "" }
		function A:Reloaded(old)
			self.Seen = tostring(old.Gone) .. " " .. tostring(old.Turn) .. " " .. tostring(old.Seen)
			self.Turn = "was " .. old.Turn
		end
	]]
	holds(t, a, { Seen = "11 22 nil", Turn = "was 22" })
end)

for_each({
	{ name = "a syntax error", code = 'local A = class("A")\nfunction A:Say( return "x" end\nlocal B = class("B")', pattern = "scripts:2:%d+: error: " },
	{ name = "a failed check", code = 'local A = class("A")\nfunction A:Say() return self.Nothing end\nlocal B = class("B")', pattern = "scripts:2:%d+: error: .*Nothing" },
	{ name = "an error at the top level", code = 'local A = class("A")\nlocal B = class("B")\nerror("no")', pattern = "no" },
	{ name = "an unknown parent", code = 'local A = class("A", "Nobody")\nlocal B = class("B")', pattern = "scripts:1:%d+: error: .*Nobody" },
	{ name = "a class that is gone while its actors live", code = 'local B = class("B")', pattern = "A.*live" },
	{ name = "a bad default", code = 'local A = class("A")\nA.properties { X = int("x") }\nlocal B = class("B")', pattern = "scripts:2:%d+: error: " },
}, function(case)
	scenario("lua-api reload: all or nothing: " .. case.name, function(t)
		t:scripts [[
			local A = class("A")
			A.properties { X = int(1) }
			function A:Say() return "old" end
			local B = class("B")
			function B:Say() return "old b" end
		]]
		local s, a, b = net.actors(t, "A", "B")
		a.X = 5
		t:error(function() t:reload(case.code) end, case.pattern)
		t:run(0.2)
		t:eq({ a:Say(), b:Say(), a.X }, { "old", "old b", 5 })
		t:eq(#s:log(), 0, "a failing reload is told to who asked")
	end)
end)

scenario("lua-api reload: changes to states: a new one, one that went, one that an actor is in", function(t)
	t:scripts [[
		local A = class("A")
		A.state("Here", {})
		A.state("There", {})
	]]
	local _, a, b = net.actors(t, "A", "A")
	a:GotoState("Here")
	b:GotoState("There")
	local r = t:reload [[
		local A = class("A")
		A.state("There", {})
		function A.state.There:Say() return "there" end
		A.state("New", {})
		function A:Say() return "out" end
	]]
	t:eq(a:GetStateName(), "", "its state is gone")
	t:match(table.concat(r.notes, "\n"), "Here")
	t:eq({ a:Say(), b:Say() }, { "out", "there" })
	a:GotoState("New")
	t:eq(a:GetStateName(), "New")
end)

scenario("lua-api reload: Tick that comes and Tick that goes", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { N = int(0) }
	]]
	local _, a = net.alone(t, "A")
	t:ticks(3)
	t:eq(a.N, 0)
	t:reload [[
		local A = class("A")
		A.properties { N = int(0) }
		function A:Tick(_) self.N = self.N + 1 end
	]]
	t:ticks(3)
	t:eq(a.N, 3)
	t:reload [[
		local A = class("A")
		A.properties { N = int(0) }
		function A:Other() end
	]]
	t:ticks(3)
	t:eq(a.N, 3)
end)

scenario("lua-api reload: new classes can be spawned, and variables can refer to them", function(t)
	t:scripts [[
		local A = class("A")
	]]
	local s, a = net.alone(t, "A")
	t:reload [[
		local A = class("A")
		A.properties { Toy = ref("B") }
		function A:Play() self.Toy = self:Spawn("B") return self.Toy.Fun end
		local B = class("B")
		B.properties { Fun = int(9) }
	]]
	t:eq({ a:Play(), #s:actors("B") }, { 9, 1 })
end)

scenario("lua-api reload: a parent changes", function(t)
	t:scripts [[
		local P = class("P")
		P.properties { X = int(1) }
		local Q = class("Q")
		Q.properties { Y = int(2) }
		local A = class("A", "P")
		A.properties { Z = int(3) }
	]]
	local _, a = net.alone(t, "A")
	a.X, a.Z = 10, 30
	t:reload [[
		local P = class("P")
		P.properties { X = int(1) }
		local Q = class("Q")
		Q.properties { Y = int(2) }
		local A = class("A", "Q")
		A.properties { Z = int(3) }
	]]
	t:eq(a.X, nil)
	holds(t, a, { Y = 2, Z = 30 })
	t:ok(a:IsA("Q"))
	t:no(a:IsA("P"))
end)
