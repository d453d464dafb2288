-- The chapter "Defining" of docs/lua-api.md.

local net = require("shared.net")
local holds = net.holds

-- Declares a scenario in which a chunk of classes does not load, with a message that matches: { name, pattern, before and code }.
local function fails(case)
	scenario("lua-api defining: " .. case[1] .. " is a load error", function(t)
		t:scripts(case[3] .. (case[4] or ""))
		t:error(function() t:server{} end, case[2])
	end)
end

local A = 'local A = class("A")\n'
local GOLD = A .. "A.properties { Gold = int(1) }\n"

scenario("lua-api defining: the default parent is Actor", function(t)
	t:scripts [[
		local A = class("A")
		local B = class("B", "Pawn")
	]]
	local s = t:server{}
	t:ok(s:spawn("A"):IsA("Actor"))
	t:no(s:spawn("A"):IsA("Pawn"))
	t:ok(s:spawn("B", { Location = vector(0, 0, 500) }):IsA("Pawn"))
end)

scenario("lua-api defining: the order of files and classes does not matter", function(t)
	t:scripts [[
		local C = class("C", "B")
		function C:Line() return "C" .. C.super.Line(self) end
		local B = class("B", "A")
		function B:Line() return "B" .. B.super.Line(self) end
	]]
	t:scripts [[
		local A = class("A")
		A.properties { X = int(1) }
		function A:Line() return "A" end
	]]
	local s = t:server{}
	t:eq({ s:spawn("C"):Line(), s:spawn("C").X }, { "CBA", 1 })
end)

scenario("lua-api defining: a class may use what a class further down declares", function(t)
	t:scripts [[
		local User = class("User")
		User.properties { Tool = ref("Tool"), Kind = classref("Tool") }
		User.defaults { NetPriority = 3 }
		function User:Make()
			self.Tool = self:Spawn("Tool", { Sharpness = 9 })
			return self.Tool:Cut()
		end
		local Tool = class("Tool")
		Tool.properties { Sharpness = int(1) }
		function Tool:Cut() return self.Sharpness end
	]]
	local s = t:server{}
	t:eq(s:spawn("User"):Make(), 9)
end)

for_each({
	{ "two classes of one name", "scripts:2:%d+: error: .*Twin.*scripts:1:%d+", [[local A = class("Twin")
		local B = class("Twin")]] },
	{ "an unknown parent", "scripts:1:%d+: error: .*Pwan.*Pawn", [[local A = class("A", "Pwan")]] },
	{ "a circle of parents", "scripts:%d:%d+: error: .*A.*B", [[local A = class("A", "B")
		local B = class("B", "A")]] },
	{ "a bare number", "scripts:2:%d+: error: .*X.*int.*float", A, [[A.properties { X = 3 }]] },
	{ "an int that is not whole", "scripts:2:%d+: error: .*X", A, [[A.properties { X = int(1.5) }]] },
	{ "a default outside its range", "scripts:2:%d+: error: .*X", A, [[A.properties { X = int(11, { min = 0, max = 10 }) }]] },
	{ "a boolean's name on another type", "scripts:2:%d+: error: .*bOpen", A, [[A.properties { bOpen = int(0) }]] },
	{ "a misspelt default", "scripts:2:%d+: error: .*NetPriorty.*NetPriority", A, [[A.defaults { NetPriorty = 2 }]] },
	{ "a default of a wrong type", "scripts:2:%d+: error: .*NetPriority.*expected float", A, [[A.defaults { NetPriority = "high" }]] },
	{ "a default of a declared variable of a wrong type", "scripts:4:%d+: error: .*Gold.*expected int", GOLD, [[local B = class("B", "A")
		B.defaults { Gold = "much" }]] },
	{ "a variable that a parent has", "scripts:4:%d+: error: .*Gold", GOLD, [[local B = class("B", "A")
		B.properties { Gold = int(2) }]] },
	{ "an unknown type", "scripts:2:%d+: error: .*integer", A, [[A.properties { X = integer(3) }]] },
	{ "a reference to an unknown class", "scripts:2:%d+: error: .*Pwan.*Pawn", A, [[A.properties { X = ref("Pwan") }]] },
	{ "class(...) in a function", "scripts:2:%d+: error: .*top level", A, [[function A:BeginPlay() local B = class("B") return B end]] },
	{ "class(...) with a computed name", "scripts:2:%d+: error: ", [[local name = "A"
		local A = class(name .. "1")]] },
	{ "nested .properties", "scripts:2:%d+: error: .*top level", A, [[do A.properties { X = int(1) } end]] },
	{ "computed .properties", "scripts:3:%d+: error: ", [[local A = class("A")
		local list = { X = 1 }
		A.properties(list)]] },
	{ "an unknown declaration", "scripts:2:%d+: error: .*propertys.*properties", A, [[A.propertys { X = int(1) }]] },
	{ "an unknown specifier", "scripts:2:%d+: error: .*simulatd.*simulated", A, [[function A.simulatd:Go() end]] },
	{ "reliable without a direction", "scripts:2:%d+: error: ", A, [[function A.reliable:Go() end]] },
	{ "two directions", "scripts:2:%d+: error: ", A, [[function A.server.client:Go() end]] },
	{ "params of no function", "scripts:2:%d+: error: .*ServerGo", A, [[A.params { ServerGo = { int(0) } }]] },
	{ "a validator of no function", "scripts:2:%d+: error: .*ServerGo", A, [[function A.validate:ServerGo() return true end]] },
	{ "an unknown component class", "scripts:2:%d+: error: .*Heater", A, [[A.components { Heat = "Heater" }]] },
	{ "an actor as a component", "scripts:2:%d+: error: .*Pawn", A, [[A.components { Heat = "Pawn" }]] },
	{ "a name on self that nobody declares or assigns", "scripts:3:%d+: error: .*Gould.*Gold", GOLD, [[function A:Count() return self.Gould end]] },
	{ "a syntax error", "scripts:3:%d+: error: ", [[local A = class("A")
		function A:Go(
		end]] },
	{ "an assignment to a global", "scripts:2:%d+: error: .*counter", A, [[counter = 1]] },
	{ "an error at the top level", "scripts:2:.*boom", A, [[error("boom")]] },
	{ "a struct of nothing that is a type", "scripts:2:%d+: error: ", A, [[A.properties { S = struct { A = 1 } }]] },
}, fails)

-- Replication blocks are read, checked and compiled on every peer.
for_each({
	{ "R5.3 a rule that names an inherited variable", "scripts:4:%d+: error: .*Gold", GOLD, [[local B = class("B", "A")
		B.replication { { "Gold" } }]] },
	{ "R5.3 a rule that names an unknown variable", "scripts:3:%d+: error: .*Gould.*Gold", GOLD, [[A.replication { { "Gould" } }]] },
	{ "R5.5 a condition that assigns", "scripts:3:%d+: error: ", GOLD, [[A.replication { { "Gold", when = function(self) self.Gold = 2 return true end } }]] },
	{ "R5.5 a condition that spawns", "scripts:3:%d+: error: .*Spawn", GOLD, [[A.replication { { "Gold", when = function(self) return self:Spawn("A") ~= nil end } }]] },
	{ "R5.5 a condition that calls what is not known to be pure", "scripts:3:%d+: error: .*Count", GOLD, [[A.replication { { "Gold", when = function(self) return self:Count() > 1 end } }
		function A:Count() self.Gold = 3 return 2 end]] },
	{ "R5.7 an unknown condition", "scripts:3:%d+: error: .*COND_OwnrOnly.*COND_OwnerOnly", GOLD, [[A.replication { { "Gold", when = COND_OwnrOnly } }]] },
	{ "R5.12 a fast array is no static array: too large an array in a rule", "scripts:[23]:%d+: error: .*448", [[local A = class("A")
		A.properties { Big = array(int(0), 200) }
		A.replication { { "Big" } }]] },
	{ "R5.16 a rule that could hold on both sides", "scripts:3:%d+: error: ", GOLD, [[A.replication { { "Gold", when = function(self) return self.Role < ROLE_Authority or self.bNetOwner end } }]] },
}, fails)

scenario("lua-api defining: rules of every form load", function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { A = int(0), B = int(0), C = int(0), D = int(0), E = int(0), F = int(0), G = int(0), bOpen = false }
		Chest.replication {
			{ "A" },
			{ "B", "C", when = COND_OwnerOnly, notify = true },
			{ "D", when = function(self) return self.bNetInitial and not self.bNetOwner or self.bNetDirty end, notify = "always" },
			{ "E", when = function(self) return self.Role == ROLE_Authority and self.bOpen and self.A * 2 + 1 > 3 end },
			{ "F", when = COND_NetGroup, group = "spies" },
			{ "G", when = function(self) return self.Role < ROLE_Authority end },
			{ "bOpen", when = function(self) return self.bIsPlayer or self:IsRich() end },
		}
		function Chest:IsRich() return self.A > 10 end
		local Custom = class("Custom")
		Custom.properties { Gold = int(0), Wood = int(0) }
		Custom.replication { { "Gold", when = COND_Custom }, { "Wood", when = COND_Dynamic } }
	]]
	local s, chest = net.alone(t, "Chest")
	chest.A = 5
	t:run(0.2)
	local custom = s:spawn("Custom")
	custom:SetCustomIsActive("Gold", false)
	custom:SetDynamicCondition("Wood", COND_OwnerOnly)
	t:run(0.2)
	t:eq(#s:log(), 0)
end)

scenario("lua-api defining: defaults override inherited ones, down the tree", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Gold = int(1), Where = vector(1, 2, 3), Mode = enum("Off", "On"), Label = "a", Cell = struct { X = int(1), Y = float(2) }, Arr = array(int(0), 3) }
		local B = class("B", "A")
		B.defaults { Gold = 2, Where = vector(4, 5, 6), Mode = "On", NetPriority = 2.5, bHidden = true, Cell = { X = 7 }, Arr = { 1, 2, 3 } }
		local C = class("C", "B")
		C.defaults { Label = "c", Physics = PHYS_Flying }
	]]
	local _, a, b, c = net.actors(t, "A", "B", "C")
	t:eq({ a.Gold, b.Gold }, { 1, 2 })
	holds(t, c, { Gold = 2, Where = vector(4, 5, 6), Mode = "On", Label = "c" })
	t:eq(b.Label, "a")
	holds(t, c, { NetPriority = 2.5, bHidden = true, Physics = PHYS_Flying, Cell = { X = 7, Y = 2 }, Arr = { 1, 2, 3 } })
	t:eq(a.Arr, { 0, 0, 0 })
end)

scenario("lua-api defining: a script may keep any other value in self", function(t)
	t:scripts [[
		local A = class("A")
		function A:BeginPlay()
			self.seen = { 1, "two", inner = { vector(1, 2, 3) } }
			self.count = 7
			self.call = function() return "called" end
		end
		function A:UseCall() return self.call() end
		function A:Forget() self.seen = nil end
	]]
	local _, a = net.alone(t, "A")
	holds(t, a, { seen = { 1, "two", inner = { vector(1, 2, 3) } }, count = 7 })
	t:eq(a:UseCall(), "called")
	a.extra = { x = 1 }
	t:eq(a.extra, { x = 1 })
	a:Forget()
	t:eq({ a.seen, a.never }, { nil, nil })
end)

scenario("lua-api defining: assigning a wrong type is an error with file and line", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Gold = int(1), Names = "" }
		function A:Spoil(with)
			self.Gold = with
		end
		function A:SpoilOther(other, with)
			other.Names = with
		end
	]]
	local _, a, b = net.actors(t, "A", "A")
	t:expect_error("^A:Spoil: scripts:4: .*Gold.*expected int.*%(A_0, server%)$")
	a:Spoil("many")
	t:expect_error("^A:SpoilOther: scripts:7: .*Names.*expected string")
	a:SpoilOther(b, 5)
	t:eq({ a.Gold, b.Names }, { 1, "" })
end)

scenario("lua-api defining: a wrong constant is found when the class loads", function(t)
	t:scripts [[
		local A = class("A")
		A.properties { Gold = int(1) }
		function A:Spoil() self.Gold = "many" end
	]]
	t:error(function() t:server{} end, "scripts:3:%d+: error: .*Gold.*expected int")
end)

scenario("lua-api defining: C.super.Name(self, ...) calls the parent's", function(t)
	t:scripts [[
		local A = class("A")
		function A:Add(x, y) return x + y, "A" end
		local B = class("B", "A")
		local C = class("C", "B")
		function C:Add(x, y)
			local sum, who = C.super.Add(self, x, y)
			return sum * 10, who .. "C"
		end
	]]
	local s = t:server{}
	local sum, who = s:spawn("C"):Add(1, 2)
	t:eq(sum, 30)
	t:eq(who, "AC", "found past a parent that does not define it")
end)

scenario("lua-api defining: super of a function that no parent has is an error", function(t)
	t:scripts [[
		local A = class("A")
		function A:Go() A.super.Go(self) end
	]]
	-- It may be found when the class loads or when it runs; either way it names the function.
	local loaded, why = pcall(function()
		local s = t:server{}
		t:expect_error("A:Go: scripts:2: .*Go")
		s:spawn("A"):Go()
	end)
	if not loaded then t:match(why, "scripts:2:%d+: error: .*Go") end
end)

scenario("lua-api defining: components are self.Name, static and added at run time", function(t)
	t:scripts [[
		local Combat = class("Combat", "ActorComponent")
		Combat.properties { Ammo = int(5), Ticks = int(0) }
		function Combat:BeginPlay() self.began = true end
		function Combat:Tick(_) self.Ticks = self.Ticks + 1 end
		function Combat:Shoot()
			self.Ammo = self.Ammo - 1
			return self:GetOwner():GetClass()
		end
		local Soldier = class("Soldier")
		Soldier.components { Combat = "Combat" }
		function Soldier:Fire() return self.Combat:Shoot() end
		function Soldier:Arm() self:AddComponent("Combat", "Second") end
		function Soldier:Disarm(name) self[name]:Destroy() end
		local Sniper = class("Sniper", "Soldier")
	]]
	local _, x = net.alone(t, "Sniper")
	t:eq(x:Fire(), "Sniper")
	holds(t, x.Combat, { Ammo = 4, began = true })
	t:eq(x.Second, nil)
	x:Arm()
	t:eq(x.Second.Ammo, 5)
	t:ticks(3)
	t:eq({ x.Combat.Ticks, x.Second.Ticks }, { 3, 3 })
	local second = x.Second
	x:Disarm("Second")
	t:eq(x.Second, nil)
	t:no(second.alive)
	local combat = x.Combat
	x:Destroy()
	t:no(combat.alive, "components go with their actor")
end)

scenario("lua-api defining: helpers and constants of a file are plain local Lua", function(t)
	t:scripts [[
		local LIMIT = 3
		local function double(x) return 2 * x end
		local A = class("A")
		function A:Go() return double(LIMIT) end
	]]
	local s = t:server{}
	t:eq(s:spawn("A"):Go(), 6)
end)

for_each({ "string", "os", "lib.nothing", "core.Actor", "../secret" }, function(name)
	scenario("lua-api defining: require of " .. name .. " is an error", function(t)
		t:scripts('local A = class("A")\nfunction A:Go() return require("' .. name .. '") end')
		local ok, why = pcall(function()
			local s = t:server{}
			t:expect_error("A:Go: scripts:2: ")
			s:spawn("A"):Go()
		end)
		if not ok then t:match(why, "scripts:2:%d+: error: ") end
	end)
end)
