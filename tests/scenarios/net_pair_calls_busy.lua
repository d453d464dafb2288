-- Pairs of rules: replicated calls (R6) beside bandwidth, frequency and dormancy (R4).

local net = require("shared.net")
local begin, hears, notes = net.begin, net.hears, net.notes

local CRIER = [[
	local function note(what)
		local state = world.GameState
		if state then state.notes = (state.notes or "") .. what .. " " end
	end
	local Crier = class("Crier")
	Crier.properties { N = int(0), Text = "" }
	Crier.defaults { bAlwaysRelevant = true }
	Crier.replication { { "N", notify = true }, { "Text" } }
	function Crier:OnRep_N(_) note("n" .. self.N) end
	function Crier.client.reliable:Say(n) note("c" .. n) end
	function Crier.server.reliable:ServerSay(n) note("s" .. n) end
	function Crier.validate:ServerSay(_) return true end
	function Crier.multicast.reliable:AllSay(n) if not self:HasAuthority() then note("m" .. n) end end
	function Crier.multicast:AllMurmur(n) if not self:HasAuthority() then note("u" .. n) end end
	function Crier.client:Murmur(n, _) self.heard = (self.heard or 0) + 1 self.last = n end
	Crier.params { Say = { int(0) }, ServerSay = { int(0) }, AllSay = { int(0) }, AllMurmur = { int(0) }, Murmur = { int(0), "" } }
]]

local function crier(t, s, a, props)
	local all = { Owner = s:controller(a) }
	for k, v in pairs(props or {}) do all[k] = v end
	local x = s:spawn("Crier", all)
	local c = t:within(3, function() return a:copy(x) end)
	t:run(0.6)
	a:eval("world.GameState.notes = ''")
	return x, c
end

scenario("R6.5 R4.1 R4.6 reliable calls come soon and in order on a line that openings fill, and the openings get done",
	{ seeds = 5, transport = "sim" }, function(t)
		local s, a = begin(t, CRIER, { lag = 0.05, down = 6000, loss = 0.05 }, "a")
		local x, c = crier(t, s, a)
		for i = 1, 60 do s:spawn("Crier", { Text = ("opened "):rep(10) .. i }) end
		local want = ""
		for i = 1, 10 do
			x:Say(i)
			want = want .. "c" .. i .. " "
			t:run(0.2)
		end
		hears(t, a, want)
		t:within(6, function() return #a:actors("Crier") == 61 end)
		t:ok(c.alive)
	end)

scenario("R6.6 R4.5 surplus of an unreliable multicast on a slow actor is dropped, the reliable ones between all arrive", { seeds = 5 }, function(t)
	local s, a = begin(t, CRIER, { lag = 0.02 }, "a")
	local x = crier(t, s, a, { NetUpdateFrequency = 2 })
	for i = 1, 10 do
		x:AllMurmur(i)
		x:AllSay(i)
		t:ticks(1)
	end
	t:run(0.6)
	local said = notes(a):gsub("u%d+ ", "")
	t:eq(said, "m1 m2 m3 m4 m5 m6 m7 m8 m9 m10 ")
	local _, murmurs = notes(a):gsub("u%d+ ", "")
	t:ge(murmurs, 1)
	t:le(murmurs, 4, "two for each of its net updates")
end)

-- Sleeping
for_each({ {}, { 1 }, { 2 }, { 1, 2 }, { 3 } }, function(lost)
	scenario("R4.7 R6.4 R5.14 called and set in the tick in which it is to fall asleep, and again asleep, lost: " .. table.concat(lost, " "),
		{ seeds = 5, transport = "sim" }, function(t)
			local s, a = begin(t, CRIER, { lag = 0.03 }, "a")
			local x, c = crier(t, s, a)
			a:lose("down", unpack(lost))
			x:Say(1)
			x.N = 2
			x:SetNetDormancy(DORM_DormantAll)
			hears(t, a, "c1 n2 ")
			t:within(4, function() return t:why(a, x, "N") == "dormant" end)
			a:lose("down", unpack(lost))
			x.N = 3
			x:Say(4)
			t:within(3, function() return c.alive and c.N == 3 and notes(a):find("c4", 1, true) end)
			t:run(0.5)
			t:ok(notes(a) == "c1 n2 n3 c4 " or notes(a) == "c1 n2 c4 n3 ", notes(a))
			t:eq(#a:actors("Crier"), 1, "the copy is the same")
		end)
end)

for_each({ { "AllSay", "m" }, { "AllMurmur", "u" }, { "Say", "c" } }, function(case)
	scenario("R4.7 R6.1 a call on an actor that sleeps reaches its copy, once, and it sleeps on with what it had: " .. case[1], { seeds = 5 }, function(t)
		local s, a = begin(t, CRIER, { lag = 0.03, loss = case[1] == "AllMurmur" and 0 or 0.15 }, "a")
		local x, c = crier(t, s, a, { N = 5 })
		x:SetNetDormancy(DORM_DormantAll)
		t:within(5, function() return t:why(a, x, "N") == "dormant" end)
		s:call(x, case[1], 1)
		hears(t, a, case[2] .. "1 ")
		t:eq(c.N, 5)
		t:ok(c.alive)
		t:within(5, function() return t:why(a, x, "N") == "dormant" end)
	end)
end)

for_each({ { "it does not know yet", 0 }, { "it knows", 0.6 } }, function(case)
	scenario("R4.7 R6.8 the owner's copy of an actor that sleeps calls the server: the call runs, what it sets wakes it: " .. case[1], { seeds = 5 }, function(t)
		local classes = CRIER:gsub('note%("s" %.%. n%)', 'note("s" .. n) self.N = n')
		local s, a = begin(t, classes, { lag = 0.03, loss = 0.1 }, "a")
		local x, c = crier(t, s, a)
		x:SetNetDormancy(DORM_DormantAll)
		t:within(5, function() return t:why(a, x, "N") == "dormant" end)
		t:run(case[2])
		c:ServerSay(6)
		t:within(3, function() return x.N == 6 end)
		t:within(3, function() return c.N == 6 end)
		hears(t, s, "s6 ")
	end)
end)

scenario("R6.5 R4.8 an overfull reliable queue closes one connection; the openings that waited for the other come", { seeds = 5, transport = "sim" },
	function(t)
		local s, a, b = begin(t, CRIER, { lag = 0.03, down = 8000 }, "a", "b")
		local x = crier(t, s, a)
		a:link { loss = 1 }
		for i = 1, 30 do s:spawn("Crier", { Text = ("opened "):rep(10) .. i }) end
		for i = 1, 300 do x:Say(i) end
		t:within(4, function() return s:controller(a) == nil end)
		t:within(4, function() return #b:actors("Crier") == 31 end)
		t:eq(b.error, nil)
	end)

for_each({ {}, { 1 }, { 1, 2 }, { 1, 2, 3 }, { 1, 2, 3, 4, 5, 6 } }, function(lost)
	scenario("R4.7 R5.16 R5.22 what the owner of an actor that sleeps sets for the server arrives, and is told to others, lost: "
		.. table.concat(lost, " "), { seeds = 5, transport = #lost > 0 and "sim" or nil }, function(t)
		local s, a, b = begin(t, [[
			local Aimer = class("Aimer", "Pawn")
			Aimer.properties { Aim = int(0), Shown = int(0) }
			Aimer.defaults { bAlwaysRelevant = true, Physics = PHYS_None }
			Aimer.replication {
				{ "Aim", when = function(self) return self.Role < ROLE_Authority end }, { "Shown" },
			}
			function Aimer:Tick(_)
				if self:HasAuthority() and self.Shown ~= self.Aim then self.Shown = self.Aim end
			end
		]], { lag = 0.03 }, "a", "b")
		local x = s:spawn("Aimer", { Location = vector(600, -1800, 100) })
		s:controller(a):Possess(x)
		local c = t:within(3, function() return a:copy(x) and a:copy(x).Role == ROLE_AutonomousProxy and a:copy(x) end)
		t:run(0.5)
		x:SetNetDormancy(DORM_DormantAll)
		t:within(5, function() return t:why(a, x, "Shown") == "dormant" end)
		if #lost > 0 then a:lose("up", unpack(lost)) end
		c.Aim = 7
		t:within(3, function() return x.Aim == 7 end)
		t:within(3, function() return b:copy(x).Shown == 7 end)
		t:within(3, function() return c.Shown == 7 end)
	end)
end)
