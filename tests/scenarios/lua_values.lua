-- The chapter "Values" of docs/lua-api.md: vectors, rotators, references, Spawn.

local net = require("shared.net")
local holds = net.holds

scenario("lua-api values: vectors have X Y Z, operators and methods", function(t)
	local s = t:server{}
	t:eq(s:eval("local v = vector(1, 2, 3) return v.X, v.Y, v.Z"), 1)
	local x, y, z = s:eval("local v = vector(1, 2, 3) return v.X, v.Y, v.Z")
	t:eq({ x, y, z }, { 1, 2, 3 })
	t:eq(s:eval("return vector(1, 2, 3) + vector(1, 1, 1)"), vector(2, 3, 4))
	t:eq(s:eval("return vector(1, 2, 3) - vector(1, 1, 1)"), vector(0, 1, 2))
	t:eq(s:eval("return vector(1, 2, 3) * 2"), vector(2, 4, 6))
	t:eq(s:eval("return 2 * vector(1, 2, 3)"), vector(2, 4, 6))
	t:eq(s:eval("return vector(2, 4, 6) / 2"), vector(1, 2, 3))
	t:eq(s:eval("return -vector(1, 2, 3)"), vector(-1, -2, -3))
	t:eq(s:eval("return vector(1, 2, 3) == vector(1, 2, 3)"), true)
	t:eq(s:eval("return vector(1, 2, 3) == vector(1, 2, 4)"), false)
	t:eq(s:eval("return vector(1, 2, 3) ~= vector(1, 2, 3)"), false)
	t:eq(s:eval("return vector(3, 4, 12):Size()"), 13)
	t:eq(s:eval("return vector(3, 4, 12):Size2D()"), 5)
	t:eq(s:eval("return vector(1, 2, 3):Dot(vector(4, 5, 6))"), 32)
	t:eq(s:eval("return vector(1, 0, 0):Cross(vector(0, 1, 0))"), vector(0, 0, 1))
	t:eq(s:eval("return vector(0, 0, 5):Normal()"), vector(0, 0, 1))
	t:eq(s:eval("return vector():Normal()"), vector())
	t:eq(s:eval("return vector(0, 1, 0):Rotation()"), rotator(0, 16384, 0))
	t:eq(s:eval("return vector(1, 2, 3):With{ Z = 9 }"), vector(1, 2, 9))
	t:eq(s:eval("return tostring(vector(1, 2.5, 3))"), "vector(1, 2.5, 3)")
end)

scenario("lua-api values: rotators have Pitch Yaw Roll of 0 to 65535 and wrap", function(t)
	local s = t:server{}
	local p, y, r = s:eval("local r = rotator(1, 2, 3) return r.Pitch, r.Yaw, r.Roll")
	t:eq({ p, y, r }, { 1, 2, 3 })
	t:eq(s:eval("return rotator(65536, -1, 70000)"), rotator(0, 65535, 4464))
	t:eq(s:eval("return rotator(60000, 0, 0) + rotator(10000, 0, 0)"), rotator(4464, 0, 0))
	t:eq(s:eval("return rotator(0, 0, 0) - rotator(0, 1, 0)"), rotator(0, 65535, 0))
	t:eq(s:eval("return -rotator(0, 1, 0)"), rotator(0, 65535, 0))
	t:eq(s:eval("return rotator(0, 100, 0) * 2"), rotator(0, 200, 0))
	t:eq(s:eval("return rotator(0, 100, 0) / 2"), rotator(0, 50, 0))
	t:eq(s:eval("return rotator(1, 2, 3) == rotator(1, 2, 3)"), true)
	t:near(s:eval("return rotator(0, 16384, 0):Vector()"), vector(0, 1, 0), 1e-9)
	t:near(s:eval("return rotator(16384, 0, 0):Vector()"), vector(0, 0, 1), 1e-9)
	t:eq(s:eval("return rotator(1, 2, 3):With{ Yaw = 9 }"), rotator(1, 9, 3))
end)

scenario("lua-api values: both are immutable, and the error names the fix", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Where = vector(0, 0, 0) }
		function A:Wrong() self.Location.X = 1 end
		function A:WrongToo() self.Where.X = 1 end
		function A:WrongTurn() self.Rotation.Yaw = 1 end
		function A:Right() self.Location = self.Location:With{ X = 1 } end
	]]
	-- The loader may see it already; then the message has the same fix.
	local s
	local ok, why = pcall(function() s = t:server{} end)
	if not ok then
		t:match(why, "scripts:3:%d+: error: .*With *{ *X = ")
		return
	end
	local a = s:spawn("A", { Location = vector(5, 5, 5) })
	t:expect_error("A:Wrong: scripts:3: .*With *{ *X")
	a:Wrong()
	t:expect_error("A:WrongToo: scripts:4: .*With *{ *X")
	a:WrongToo()
	t:run(11) -- three faults in ten seconds would quarantine the class
	t:expect_error("A:WrongTurn: scripts:5: .*With *{ *Yaw")
	a:WrongTurn()
	a:Right()
	t:eq(a.Location, vector(1, 5, 5))
	t:error(function() s:eval("local v = vector() v.X = 1") end, "With")
	t:error(function() a.Location.X = 1 end, "With")
end)

scenario("lua-api values: wrong operands are errors", function(t)
	local s = t:server{}
	t:error(function() s:eval("return vector() + 1") end, "vector")
	t:error(function() s:eval("return vector() + rotator()") end, "vector.*rotator")
	t:error(function() s:eval("return vector() / vector()") end, "vector")
	t:error(function() s:eval("return vector(1,2,3).W") end, "W")
	t:error(function() s:eval("return vector('x')") end, "number")
end)

local PAIR = net.with [[
	local Node = class("Node")
	Node.properties { Next = ref("Node"), Also = array(ref("Node"), 2), S = struct { Who = ref("Node") } }
	function Node:Same(other) return self == other, self.Next == other, self.Next ~= other end
	function Node:Touch(_) end
	function Node:Use(other) return other.Location end
	function Node:Keep(other) self.kept = other end
	function Node:Kept() return self.kept.bDeleteMe, self.kept == self, self.kept == self.kept end
	function Node:UseKept() return self.kept.Location end
	function Node:WriteKept() self.kept.Tag = "x" end
	function Node:CallKept() self.kept:Log("x") end
	function Node:PassKept() self.Next = self.kept end
]]

scenario("lua-api values: == compares actors", function(t)
	local _, a, b = PAIR.actors(t, "Node", "Node")
	a.Next = b
	local self, is, isnot = a:Same(b)
	t:eq({ self, is, isnot }, { false, true, false })
	t:eq({ a:Same(a), a.Next }, { true, b })
	t:ok(a.Next == b)
	t:ok(a.Next:Is(b))
	t:no(a == b)
end)

scenario("lua-api values: references to a destroyed actor turn nil at once, in every actor", function(t)
	local _, a, b, c = PAIR.actors(t, "Node", "Node", "Node")
	a.Next = b
	a.Also[2] = b
	a.S.Who = b
	c.Next = b
	a:SetOwner(b)
	b:Destroy()
	t:eq({ a.Next, a.Also[2], a.S.Who, c.Next }, { nil, nil, nil, nil })
	t:eq(a.Owner, nil)
	t:eq(a.Also, {})
end)

scenario("lua-api values: of a destroyed actor bDeleteMe and comparing work, all else is an error that names it", function(t)
	local _, a, b = PAIR.actors(t, "Node", "Node")
	a:Keep(b)
	b:Destroy()
	local deleted, other, same = a:Kept()
	t:eq({ deleted, other, same }, { true, false, true })
	for _, name in ipairs { "UseKept", "WriteKept", "CallKept", "PassKept" } do
		t:run(6) -- three faults in ten seconds would quarantine the class
		t:expect_error("Node:" .. name .. ": scripts:%d+: .*Node_1.*destroyed")
		a[name](a)
	end
	t:run(0.1)
	deleted = a:Kept()
	t:eq(deleted, true, "also after its memory is gone")
end)

scenario("lua-api values: Spawn's table is applied before PreBeginPlay", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Gold = int(1), Seen = int(0), Where = vector(0, 0, 0), Who = ref("Actor") }
		function A:PreBeginPlay()
			self.Seen = self.Gold
			self.Where = self.Location
			self.Who = self.Owner
		end
	]]
	local s, owner = net.alone(t, "A")
	local a = s:spawn("A", { Gold = 7, Location = vector(1, 2, 3), Rotation = rotator(0, 100, 0), Owner = owner, Tag = "mine", LifeSpan = 4 })
	holds(t, a, { Seen = 7, Where = vector(1, 2, 3), Who = owner, Rotation = rotator(0, 100, 0), Tag = "mine" })
	t:near(a.LifeSpan, 4, 0.01)
end)

scenario("lua-api values: Spawn does not fail because something is in the way", function(t)
	local s, a = net.alone(t, "Character", { Location = vector(0, 0, 300) })
	local b = s:spawn("Character", { Location = vector(0, 0, 300) })
	t:ok(a.alive)
	t:ok(b.alive)
	t:eq(b.Location, vector(0, 0, 300))
	t:ok(s:spawn("Character", { Location = vector(0, 0, -60) }).alive, "inside the floor")
end)

scenario("lua-api values: what Spawn is given wrongly is an error with the nearest name", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Gold = int(1) }
		function A:Wrong() self:Spawn("A", { Gould = 1 }) end
		function A:WrongType() self:Spawn("A", { Gold = "x" }) end
		function A:WrongClass(name) self:Spawn(name) end
		function A:Nothing() self:Spawn() end
	]]
	local s, a = net.alone(t, "A")
	t:expect_error("A:Wrong: scripts:3: .*Gould.*Gold")
	a:Wrong()
	t:expect_error("A:WrongType: scripts:4: .*Gold.*expected int")
	a:WrongType()
	t:run(11) -- three faults in ten seconds would quarantine the class
	t:expect_error('A:WrongClass: scripts:5: .*"B"')
	a:WrongClass("B")
	t:expect_error("A:Nothing: scripts:6: .*class")
	a:Nothing()
	t:eq(#s:actors("A"), 1)
end)

scenario("lua-api values: an actor that destroys itself while it begins is no actor", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { bFlinch = false }
		function A:BeginPlay() if self.bFlinch then self:Destroy() end end
		function A:PostBeginPlay() self.late = true end
		function A:Make() return self:Spawn("A", { bFlinch = true }) end
	]]
	local s = t:server{}
	t:eq({ s:spawn("A", { bFlinch = true }), s:spawn("A"):Make(), #s:actors("A") }, { nil, nil, 1 })
end)

scenario("lua-api values: ActorsOf, ActorsInRadius and Touching give arrays in order of spawning", function(t)
	t:scripts [[
		local A = class("A")
		A.defaults { bCollideActors = true, CollisionRadius = 50, CollisionHeight = 50 }
		local B = class("B", "A")
		function A:Names(list)
			local out = {}
			for i, x in ipairs(list) do out[i] = x.Tag end
			return table.concat(out, "")
		end
		function A:All() return self:Names(self:ActorsOf("A")) .. " " .. self:Names(self:ActorsOf(B)) end
		function A:Near(r, at) return self:Names(self:ActorsInRadius("A", r, at)) end
		function A:Touches() return self:Names(self:Touching()) .. " " .. self:Names(self:Touching("B")) end
	]]
	local s, a = net.alone(t, "A", { Tag = "a", Location = vector(0, 0, 500) })
	s:spawn("B", { Tag = "b", Location = vector(300, 0, 500) })
	s:spawn("A", { Tag = "c", Location = vector(-40, 0, 500) })
	s:spawn("B", { Tag = "d", Location = vector(40, 0, 500) })
	t:ticks(1)
	t:eq({ a:All(), a:Near(100), a:Near(300) }, { "abcd bd", "acd", "abcd" })
	t:eq({ a:Near(10, vector(300, 0, 500)), a:Touches() }, { "b", "cd d" })
	t:eq(#s:eval("return world:ActorsOf('A')"), 4)
	t:expect_error("unknown class .Nope.")
	s:eval("return world:ActorsOf('Nope')")
end)

scenario("lua-api values: a hit has Actor, Location, Normal, Distance; the world's is nil", function(t)
	local s = t:server{ level = "wall" }
	local a = s:spawn("Actor", { Location = vector(0, 0, 500) })
	local hit = a:Trace(vector(0, 0, 500), vector(1000, 0, 500))
	t:eq(hit.Actor, nil)
	t:near(hit.Location, vector(500, 0, 500), 1)
	t:near(hit.Normal, vector(-1, 0, 0), 1e-6)
	t:near(hit.Distance, 500, 1)
	local pawn = s:spawn("Character", { Location = vector(300, 0, 500), Physics = PHYS_None })
	hit = a:Trace(vector(0, 0, 500), vector(1000, 0, 500))
	t:eq(hit.Actor, pawn)
	t:near(hit.Location, vector(266, 0, 500), 1)
	t:near(hit.Distance, 266, 1)
	t:eq(a:Trace(vector(0, 0, 500), vector(0, 1000, 500)), nil)
	t:eq(a:Trace(vector(0, 0, 500), vector(1000, 0, 500), { ignore = pawn }).Actor, nil)
	t:eq(a:Trace(vector(0, 0, 500), vector(400, 0, 500), { actors = false }), nil)
	t:no(a:FastTrace(vector(1000, 0, 500)))
	t:ok(a:FastTrace(vector(400, 0, 500)))
	t:no(a:VisibleFrom(vector(1000, 0, 500)))
	t:ok(a:VisibleFrom(vector(400, 0, 500)))
end)

scenario("lua-api values: net groups and switched conditions are set by name", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { X = int(0), Y = int(0), Z = int(0) }
		A.replication { { "X", when = COND_NetGroup, group = "spies" }, { "Y", when = COND_Dynamic }, { "Z", when = COND_Custom } }
		function A:Switch()
			self:SetDynamicCondition("Y", COND_OwnerOnly)
			self:SetCustomIsActive("Z", false)
		end
		function A:Wrong() self:SetDynamicCondition("X", COND_OwnerOnly) end
	]]
	local s = t:server{ mode = "standalone" }
	local a = s:spawn("A")
	a:Switch()
	s:controller():JoinNetGroup("spies")
	s:controller():LeaveNetGroup("spies")
	t:expect_error("A:Wrong: scripts:8: .*X")
	a:Wrong()
end)

scenario("lua-api values: references of components and in fast arrays turn nil too", function(t)
	t:scripts [[
		local Part = class("Part", "ActorComponent")
		Part.properties { Who = ref("Actor") }
		local A = class("A")
		A.components { Part = "Part" }
		A.properties { Bag = fastarray(struct { Who = ref("Actor") }) }
		function A:Put(x) self.Part.Who = x return self.Bag:Add { Who = x } end
		function A:Look(k) return self.Part.Who, self.Bag:Get(k).Who end
	]]
	local _, a, b = net.actors(t, "A", "A")
	local k = a:Put(b)
	b:Destroy()
	t:eq(a.Part.Who, nil)
	local who, inbag = a:Look(k)
	t:eq({ who, inbag }, { nil, nil })
	t:run(0.1)
	local _, later = a:Look(k)
	t:eq(later, nil)
end)
