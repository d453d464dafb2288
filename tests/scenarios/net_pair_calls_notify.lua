-- Pairs of rules: the order of reliable calls (R6.4, R6.9) beside variables, notifies, references, openings and ends (R5).

local net = require("shared.net")
local begin, hears, notes = net.begin, net.hears, net.notes

local NOTE = [[
	local function note(what)
		local state = world.GameState
		if state then state.notes = (state.notes or "") .. what .. " " end
	end
]]

-- Each kind of variable notes when it is applied: "n" and what it is.
local TELLER = NOTE .. [[
	local Part = class("Part", "ActorComponent")
	Part.properties { P = int(0) }
	Part.replication { { "P", notify = true } }
	function Part:OnRep_P(_) note("n" .. self.P) end
	function Part.client.reliable:Say(n) note("p" .. n) end
	Part.params { Say = { int(0) } }

	local Teller = class("Teller")
	Teller.properties {
		N = int(0), S = struct { A = int(0), B = int(0) }, R = array(int(0), 4), F = fastarray(struct { V = int(0) }),
		Who = ref("Actor"), First = int(0),
	}
	Teller.components { Part = "Part" }
	Teller.defaults { bAlwaysRelevant = true }
	Teller.replication {
		{ "N", "S", "R", "Who", notify = true }, { "F" }, { "First", when = COND_InitialOnly, notify = true },
	}
	function Teller:OnRep_N(_) note("n" .. self.N) end
	function Teller:OnRep_First(_) note("first" .. self.First) end
	function Teller:OnRep_S(_) note("n" .. self.S.A .. (self.S.A == self.S.B and "" or "torn")) end
	function Teller:OnRep_R(_) note("n" .. self.R[3]) end
	function Teller:OnRep_Who(_) note(self.Who and "nwho" or "nnil") end
	function Teller.simulated:OnAdd_F(_, item) note("n" .. item.V) end
	function Teller.client.reliable:Say(n) note("c" .. n) end
	function Teller.multicast.reliable:AllSay(n) if not self:HasAuthority() then note("m" .. n) end end
	function Teller.client.reliable:Hold(n, who) note("h" .. n .. (who and "+" or "-")) end
	Teller.params { Say = { int(0) }, AllSay = { int(0) }, Hold = { int(0), ref("Actor", { wait = true }) } }
	function Teller.simulated:BeginPlay() if not self:HasAuthority() then note("begin") end end
	function Teller.simulated:PostNetBeginPlay() if not self:HasAuthority() then note("post") end end
	function Teller:TornOff() note("torn") end
	function Teller.simulated:Destroyed() if world.NetMode == NM_Client then note("gone") end end

	local Thing = class("Thing")
	Thing.defaults { bOnlyRelevantToOwner = true }
	local Ember = class("Ember", "Teller")
	Ember.defaults { bNetTemporary = true }
]]

local function teller(t, s, a, class)
	local x = s:spawn(class or "Teller", { Owner = s:controller(a) })
	local c = t:within(3, function() return a:copy(x) end)
	t:run(0.5)
	a:eval("world.GameState.notes = ''")
	return x, c
end

-- A call that was made before the update runs before it is applied, though its packet, or the next one, is lost: the update
-- that gets through waits.
local KINDS = {
	{ "a number", "R5.14", function(x, n) x.N = n end },
	{ "a struct", "R5.11", function(x, n) x.S = { A = n, B = n } end },
	{ "an element of an array", "R5.12", function(x, n) x.R[3] = n end },
	{ "an item of a fast array", "R5.12", function(x, n) x.F:Add { V = n } end },
	{ "a component's number", "R5.20", function(x, n) x.Part.P = n end },
}
for_each(KINDS, function(kind)
	for_each({ { 1 }, { 2 }, { 1, 2 }, { 2, 3 } }, function(lost)
		scenario(("R6.4 %s a call runs before the update of its tick: %s, packet %s lost"):format(kind[2], kind[1], table.concat(lost, " and ")),
			{ seeds = 5, transport = "sim" }, function(t)
				local s, a = begin(t, TELLER, { lag = 0.03 }, "a")
				local x = teller(t, s, a)
				a:lose("down", unpack(lost))
				x:Say(1)
				kind[3](x, 1)
				t:ticks(2)
				x.Part:Say(2)
				x:Say(3)
				kind[3](x, 2)
				t:within(3, function() return notes(a):find("n2", 1, true) end)
				t:run(0.3)
				-- The first value may be passed over by the second (R5.8), and what is called is in order.
				local said = notes(a):gsub("n1 ", "", 1)
				t:eq(said, "c1 p2 c3 n2 ")
				local one, first = notes(a):find("n1", 1, true), notes(a):find("c1", 1, true)
				t:ok(not one or one > first, notes(a))
			end)
	end)
end)

-- Opening: what is called in the tick of the spawn comes after the notifies of the opening, whatever is lost.
for_each({ {}, { 1 }, { 2 }, { 1, 2, 3 } }, function(lost)
	scenario("R5.1 R5.14 R6.4 calls of the tick of the spawn come after the opening's notifies and PostNetBeginPlay, lost: "
		.. table.concat(lost, " "), { seeds = 5, transport = "sim" }, function(t)
			local s, a = begin(t, TELLER, { lag = 0.03, jitter = 0.01 }, "a")
			a:lose("down", unpack(lost))
			local x = s:spawn("Teller", { Owner = s:controller(a), N = 4, First = 5 })
			x:Say(1)
			x.Part.P = 6
			x.Part:Say(2)
			x:AllSay(3)
			t:within(5, function() return notes(a):find("m3", 1, true) end)
			t:run(0.3)
			local head, tail = notes(a):match("^begin (.*)post (.*)$")
			t:ok(head, notes(a))
			t:match(head, "n4")
			t:match(head, "first5")
			t:match(notes(a), "n6 .*c1 p2 m3", "values of the tick's end come with the opening")
			t:eq(tail:gsub("n6 ", ""), "c1 p2 m3 ")
		end)
end)

-- References
for_each({ {}, { 1 }, { 2 }, { 1, 2 } }, function(lost)
	scenario("R6.9 R5.13 R5.14 a call that waits and a variable that waits for one actor: the call first, then the notify, lost: "
		.. table.concat(lost, " "), { seeds = 5, transport = "sim" }, function(t)
			local s, a = begin(t, TELLER, { lag = 0.03 }, "a")
			local x = teller(t, s, a)
			local thing = s:spawn("Thing")
			x:Hold(1, thing)
			x.Who = thing
			x:Say(2)
			t:run(0.5)
			t:eq(notes(a), "")
			a:lose("down", unpack(lost))
			thing.Owner = s:controller(a)
			t:within(4, function() return notes(a):find("nwho", 1, true) end)
			hears(t, a, "h1+ c2 nwho ")
		end)
end)

-- Ends
for_each({ {}, { 1 }, { 2 }, { 1, 2 } }, function(lost)
	scenario("R5.18 R6.4 R5.14 a call, a value and bTearOff of one tick come in this order, lost: " .. table.concat(lost, " "),
		{ seeds = 5, transport = "sim" }, function(t)
			local s, a = begin(t, TELLER, { lag = 0.03 }, "a")
			local x, c = teller(t, s, a)
			a:lose("down", unpack(lost))
			x:Say(1)
			x.N, x.bTearOff = 2, true
			t:ticks(2)
			x:Say(3)
			t:within(3, function() return notes(a):find("torn", 1, true) end)
			hears(t, a, "c1 n2 torn ")
			t:eq(c.Role, ROLE_Authority)
		end)
end)

for_each({ {}, { 1 }, { 2 }, { 1, 2 } }, function(lost)
	scenario("R6.4 R5.14 a value of the tick of Destroy may go unseen; calls do not, and nothing comes after the end, lost: "
		.. table.concat(lost, " "), { seeds = 5, transport = "sim" }, function(t)
			local s, a = begin(t, TELLER, { lag = 0.03 }, "a")
			local x = teller(t, s, a)
			a:lose("down", unpack(lost))
			x:Say(1)
			x.N = 2
			t:ticks(1)
			x:Say(3)
			x.Part:Say(4)
			x:Destroy()
			t:within(3, function() return notes(a):find("gone", 1, true) end)
			t:run(0.3)
			t:eq(notes(a):gsub("n2 ", "", 1), "c1 c3 p4 gone ")
			t:no(notes(a):match("gone .*n2"))
		end)
end)
