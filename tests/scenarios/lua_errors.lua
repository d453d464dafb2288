-- The chapter "Errors" of docs/lua-api.md.

local net = require("shared.net")
local holds = net.holds

scenario("lua-api errors: the message names class, function, file, line, actor and peer", function(t)
	t:scripts [[
		local Missile = class("Missile")
		function Missile:Explode()
			local target = nil
			return target.Location
		end
	]]
	local s, r = net.alone(t, "Missile")
	t:expect_error("^Missile:Explode: scripts:4: .+ %(Missile_0, server%)$")
	r:Explode()
	t:eq(#s:log(), 1)
	t:match(s:log()[1], "^Missile:Explode: scripts:4:%d+: ")
end)

scenario("lua-api errors: in a standalone world the peer is standalone", function(t)
	t:scripts [[
		local Missile = class("Missile")
		function Missile:Explode() error("boom") end
	]]
	local s = t:server{ mode = "standalone" }
	t:expect_error("^Missile:Explode: scripts:2: boom %(Missile_0, standalone%)$")
	s:spawn("Missile"):Explode()
end)

scenario("lua-api errors: error() with a text, a table, and assert", function(t)
	t:scripts [[
		local A = class("A")
		function A:Text() error("boom") end
		function A:NoPlace() error("bare", 0) end
		function A:Table() error({ code = 5 }) end
		function A:Assert() assert(false, "asserted") end
		function A:Caught()
			local ok, why = pcall(error, "inside", 0)
			return ok, why
		end
	]]
	local _, a = net.alone(t, "A")
	t:expect_error("^A:Text: scripts:2: boom")
	a:Text()
	t:expect_error("^A:NoPlace: scripts:3: bare")
	a:NoPlace()
	t:run(11) -- three faults in ten seconds would quarantine the class
	t:expect_error("^A:Table: scripts:4: ")
	a:Table()
	t:expect_error("^A:Assert: scripts:5: asserted")
	a:Assert()
	local ok, why = a:Caught()
	t:eq({ ok, why }, { false, "inside" })
end)

scenario("lua-api errors: it stops that call and nothing else", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Ticks = int(0), bBad = false }
		function A:Tick(_)
			self.calls = (self.calls or 0) + 1 -- the script's own: not undone
			self.Ticks = self.Ticks + 1
			if self.bBad and self.calls == 2 then error("once") end
		end
	]]
	local s = t:server{}
	local bad, good = s:spawn("A", { bBad = true }), s:spawn("A")
	t:expect_error("^A:Tick: scripts:6: once %(A_0, server%)$")
	t:ticks(5)
	t:eq(good.Ticks, 5)
	t:eq(bad.Ticks, 4, "all but the one that failed")
	t:ok(bad.alive)
end)

scenario("lua-api errors: one that repeats is said once with a count, not once a tick", function(t)
	t:scripts [[
		local A = class("A")
		function A:Go() error("again") end
	]]
	local s, a = net.alone(t, "A")
	t:expect_error("again")
	a:Go()
	a:Go()
	t:eq(#s:log(), 1)
	t:run(11)
	for _ = 1, 2 do a:Go() t:run(11) end
	t:eq(#s:log(), 1, "the same error is not a new line")
end)

scenario("lua-api errors: writes of declared variables are undone, of whatever actor", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Gold = int(1), Arr = array(int(0), 3), S = struct { X = int(1) }, Bag = fastarray(struct { K = int(0) }), Who = ref("A"), Label = "old" }
		function A:Go(other)
			self.Gold = 50
			self.Gold = 60
			self.Arr[2] = 9
			self.S.X = 9
			self.Label = "new"
			self.Bag:Add { K = 3 }
			self.Who = other
			self.Location = vector(9, 9, 900)
			self.Tag = "changed"
			self.bHidden = true
			other.Gold = 70
			other.Arr = { 1, 2, 3 }
			error("and now this")
		end
		function A:Ask(other)
			return self.Gold, self.Arr[2], self.S.X, self.Label, #self.Bag, self.Who, other.Gold, other.Arr[1]
		end
	]]
	local s = t:server{}
	local a, b = s:spawn("A", { Location = vector(0, 0, 500) }), s:spawn("A")
	t:expect_error("A:Go: scripts:16: and now this")
	a:Go(b)
	holds(t, a, { Gold = 1, Arr = { 0, 0, 0 } })
	t:eq({ a.S.X, a.Label, #a.Bag, a.Who }, { 1, "old", 0, nil })
	holds(t, a, { Location = vector(0, 0, 500), Tag = "", bHidden = false })
	holds(t, b, { Gold = 1, Arr = { 0, 0, 0 } })
	local gold, e, x, label, bag, who, other, first = a:Ask(b)
	t:eq({ gold, e, x, label, bag, other, first }, { 1, 0, 1, "old", 0, 1, 0 }, "scripts see it too")
	t:eq(who, nil)
end)

scenario("lua-api errors: undoing brings no reference to a destroyed actor back", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Other = ref("A"), List = array(ref("A"), 2), S = struct { Who = ref("A") } }
		function A:Go()
			local other = self.Other
			self.Other, self.List[1], self.Owner, self.S.Who = nil, nil, nil, nil
			other:Destroy()
			error("late")
		end
		function A:Ask() return self.Other == nil, self.List[1] == nil, self.S.Who == nil, self.Owner == nil end
	]]
	local _, a, b = net.actors(t, "A", "A")
	a.Other, a.List[1], a.Owner = b, b, b
	a.S.Who = b
	t:expect_error("A:Go: scripts:7: late")
	a:Go()
	t:no(b.alive, "destroying is not undone")
	local other, first, who, owner = a:Ask()
	t:eq({ other, first, who, owner }, { true, true, true, true })
	t:run(0.1)
	t:eq({ a.Other, (a:Ask()) }, { nil, true })
end)

scenario("lua-api errors: an error that pcall catches undoes nothing", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Gold = int(1) }
		function A:Go()
			pcall(function() self.Gold = 2 error("x") end)
		end
	]]
	local _, a = net.alone(t, "A")
	a:Go()
	t:eq(a.Gold, 2)
end)

scenario("lua-api errors: a fault inside an event that a call caused ends the event only", function(t)
	t:scripts [[
		local Egg = class("Egg")
		Egg.properties { Gold = int(1) }
		function Egg:BeginPlay()
			self.Gold = 5
			error("cracked")
		end
		local Hen = class("Hen")
		Hen.properties { Eggs = int(0) }
		function Hen:Lay()
			local egg = self:Spawn("Egg")
			self.Eggs = self.Eggs + 1
			return egg
		end
	]]
	local _, hen = net.alone(t, "Hen")
	t:expect_error("^Egg:BeginPlay: scripts:5: cracked")
	local egg = hen:Lay()
	t:eq(hen.Eggs, 1)
	t:ok(egg.alive)
	t:eq(egg.Gold, 1)
end)

scenario("lua-api errors: the fault is charged to the class of the innermost function", function(t)
	t:scripts [[
		local Tool = class("Tool")
		function Tool:Use() error("broken") end
		local User = class("User")
		User.properties { N = int(0) }
		function User:Work(tool)
			self.N = self.N + 1
			tool:Use()
		end
		function User:Rest() self.N = 100 end
	]]
	local s, tool, user = net.actors(t, "Tool", "User")
	t:expect_error("^Tool:Use: scripts:2: broken")
	for _ = 1, 3 do user:Work(tool) end
	t:run(0.1)
	local text = table.concat(s:log(), "\n")
	t:match(text, "Tool: .*quarantined")
	t:no(text:find("User: .*quarantined"))
	user:Rest()
	t:eq(user.N, 100)
	user:Work(tool)
	t:eq(user.N, 101, "calls of the quarantined class do nothing")
end)

scenario("lua-api errors: a quarantined class stops, its actors stay, the host goes on, saving lifts it", function(t)
	local function code(fix)
		return [[
			local Bad = class("Bad")
			Bad.properties { N = int(0), Ticks = int(0) }
			function Bad:Tick(_)
				self.Ticks = self.Ticks + 1
				]] .. (fix and "self.N = self.N + 1" or 'error("broken " .. self.Ticks)') .. [[

			end
			local Good = class("Good")
			Good.properties { N = int(0) }
			function Good:Tick(_) self.N = self.N + 1 end
		]]
	end
	t:scripts(code(false))
	local s, bad, good = net.actors(t, "Bad", "Good")
	t:expect_error("Bad:Tick: scripts:5: broken")
	t:run(1)
	t:ok(bad.alive)
	t:eq({ bad.N, good.N }, { 0, 60 })
	t:match(s:log()[#s:log()], "Bad: .*quarantined after 3 faults")
	local n = #s:log()
	t:run(5)
	t:eq(#s:log(), n, "and it is silent")
	local r = t:reload(code(true))
	t:ok(#r.notes > 0)
	t:run(1)
	t:eq(bad.N, 60)
end)

scenario("lua-api errors: a child of a quarantined class keeps its own functions", function(t)
	t:scripts [[
		local Base = class("Base")
		Base.properties { N = int(0) }
		function Base:Go() error("broken") end
		function Base:Same() return "base" end
		local Child = class("Child", "Base")
		function Child:Own() self.N = self.N + 1 return "own" end
	]]
	local _, b, c = net.actors(t, "Base", "Child")
	t:expect_error("broken")
	for _ = 1, 3 do b:Go() end
	t:eq(c:Own(), "own")
	t:eq(c:Same(), nil, "what it inherits from the quarantined class does nothing")
end)

scenario("lua-api errors: faults far apart quarantine nobody", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { N = int(0) }
		function A:Go() error("boom") end
		function A:Fine() self.N = 1 end
	]]
	local _, a = net.alone(t, "A")
	t:expect_error("boom")
	for _ = 1, 5 do
		a:Go()
		t:run(6)
	end
	a:Fine()
	t:eq(a.N, 1)
end)

for_each({
	{ name = "pcall", code = "pcall(function() Sleep(1) end) error('not refused')", inside = "pcall" },
	{ name = "an iterator", code = "for _ in function() Sleep(1) end do break end", inside = "iterator" },
	{ name = "a sort comparator", code = "table.sort({ 1, 2, 3 }, function(a, b) Sleep(1) return a < b end)", inside = "sort" },
	{ name = "WaitFor's function", code = "WaitFor(function() Sleep(1) return true end)", inside = "" },
}, function(case)
	scenario("lua-api errors: Sleep inside " .. case.name .. " is refused by name", function(t)
		t:scripts('local A = class("A")\nA.state("Go", {})\nfunction A.state.Go:Code()\n' .. case.code .. "\nend")
		local _, a = net.alone(t, "A")
		t:expect_error(case.name == "pcall" and "not refused" or "^A:Go.Code: scripts:4: .*Sleep.*" .. case.inside)
		a:GotoState("Go")
		t:ticks(3)
		t:ok(a.alive)
	end)
end)

scenario("lua-api errors: Sleep in pcall gives pcall the refusal, by name", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Why = "" }
		A.state("Go", {})
		function A.state.Go:Code()
			local _, why = pcall(function() Sleep(1) end)
			self.Why = why
			Sleep(0.1)
			self.Why = self.Why .. " and on"
		end
	]]
	local _, a = net.alone(t, "A")
	a:GotoState("Go")
	t:run(1)
	t:match(a.Why, "Sleep.*pcall")
	t:match(a.Why, "and on$")
end)

scenario("lua-api errors: Sleep outside of state code is refused", function(t)
	t:scripts [[
		local A = class("A")
		function A:Go() Sleep(1) end
	]]
	local ok, why = pcall(function()
		local s = t:server{}
		t:expect_error("A:Go: scripts:2: .*Sleep")
		s:spawn("A"):Go()
	end)
	if not ok then t:match(why, "scripts:2:%d+: error: .*Sleep") end
end)

scenario("lua-api errors: an error in latent code ends the code, not the actor", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Before = int(0), After = int(0), Ticks = int(0) }
		A.state("Go", {})
		function A.state.Go:Code()
			self.Before = 1
			Sleep(0.1)
			self.After = 1
			error("late")
		end
		function A:Tick(_) self.Ticks = self.Ticks + 1 end
	]]
	local _, a = net.alone(t, "A")
	t:expect_error("^A:Go.Code: scripts:8: late")
	a:GotoState("Go")
	t:run(1)
	t:eq(a.Before, 1, "what was done before the wait stays")
	holds(t, a, { After = 0, Ticks = 60 })
end)

scenario("lua-api errors: errors in timers, conditions of waits and components are told the same way", function(t)
	t:scripts [[
		local Part = class("Part", "ActorComponent")
		function Part:Tick(_) error("part") end
		local A = class("A")
		A.components { Part = "Part" }
		function A:Ring() error("ring") end
		A.state("Wait", {})
		function A.state.Wait:Code() WaitFor(function() error("wait") end) end
	]]
	local s = t:server{ tick = 10, net = 10 }
	local a = s:spawn("A")
	t:expect_error("^Part:Tick: scripts:2: part %(A_0.Part, server%)")
	t:expect_error("^A:Ring: scripts:5: ring %(A_0, server%)")
	t:expect_error("^A:.*scripts:7: wait %(A_0, server%)")
	a:SetTimer(0.05, false, "Ring")
	a:GotoState("Wait")
	t:ticks(2)
end)

scenario("lua-api errors: a function overrunning its budget is stopped and the rest of the tick goes on", function(t)
	t:scripts [[
		local Hog = class("Hog")
		function Hog:Tick(_) while true do end end
		local A = class("A")
		A.properties { N = int(0) }
		function A:Tick(_) self.N = self.N + 1 end
	]]
	local s = t:server{}
	s:spawn("Hog")
	local a = s:spawn("A")
	t:expect_error("^Hog:Tick: scripts:2: .*budget")
	t:ticks(10)
	t:eq(a.N, 10)
	t:match(table.concat(s:log(), "\n"), "Hog: .*quarantined")
end)

scenario("lua-api errors: a spawn in a faulting call stays, the reference to it is undone", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Kid = ref("A") }
		function A:Go() self.Kid = self:Spawn("A") error("late") end
	]]
	local s, a = net.alone(t, "A")
	t:expect_error("late")
	a:Go()
	t:eq({ a.Kid, #s:actors("A") }, { nil, 2 })
end)

scenario("lua-api errors: a fault in an event of movement does not stop the movement", function(t)
	t:scripts [[
		local P = class("P", "Character")
		function P:Landed(_) error("landed") end
	]]
	local _, p = net.alone(t, "P", { Location = vector(0, 0, 300), Physics = PHYS_Falling })
	t:expect_error("P:Landed: scripts:2: landed")
	t:run(2)
	t:eq(p.Physics, PHYS_Walking)
	t:near(p.Location.Z, 88, 1)
end)

scenario("lua-api errors: spawn recursion is bounded", function(t)
	t:scripts [[
		local A = class("A")
		function A:BeginPlay() self:Spawn("A") end
	]]
	local s = t:server{}
	t:expect_error("A:BeginPlay")
	s:spawn("A")
	t:lt(#s:actors("A"), 100)
end)
