-- Pairs of rules: simulated functions and states (R7) with roles, values, calls and the ends of copies.

local net = require("shared.net")
local begin, hears, notes = net.begin, net.hears, net.notes

local BAD = { lag = 0.04, jitter = 0.03, loss = 0.2, dup = 0.1, reorder = 0.2 }

local GUARD = [[
	local function note(what)
		local state = world.GameState
		if state then state.notes = (state.notes or "") .. what .. " " end
	end
	local Guard = class("Guard", "Character")
	Guard.properties { Alarm = int(0) }
	Guard.defaults { bAlwaysRelevant = true }
	Guard.replication { { "Alarm", notify = true } }
	Guard.auto_state = "Calm"
	Guard.state("Calm", { simulated = true })
	Guard.state("Angry")
	Guard.state("Loud", { simulated = true, extends = "Calm" })
	function Guard.state.Calm.simulated:BeginState(_) if not self:HasAuthority() then note("calm") end end
	function Guard.state.Angry:BeginState(_) if not self:HasAuthority() then note("angry") end end
	function Guard.state.Angry:EndState(_) if not self:HasAuthority() then note("over") end end
	function Guard:Hear(n) if world.NetMode == NM_Client then note("h" .. n) end end
	function Guard.state.Angry:Hear(n) if world.NetMode == NM_Client then note("H" .. n) end end
	function Guard:OnRep_Alarm(_) self:Hear(self.Alarm) end
	function Guard.client.reliable:Say(n) note("c" .. n) end
	function Guard.state.Angry:Say(n) note("C" .. n) end
	function Guard.multicast.reliable:AllSay(n) if not self:HasAuthority() then note("m" .. n) end end
	function Guard.server.reliable:ServerSay(n) note("s" .. n) end
	function Guard.validate:ServerSay(n) return n < 100 end
	function Guard.state.Angry:ServerSay(n) note("S" .. n) end
	function Guard.client.reliable:ClientGotoState(name) self:GotoState(name) end -- as a PlayerController's
	Guard.params { ClientGotoState = { "" }, Say = { int(0) }, AllSay = { int(0) }, ServerSay = { int(0) } }
	function Guard.simulated:PostNetBeginPlay() self:SetTimer(0.05, true, "Plain") end
	function Guard:Plain() self.plains = (self.plains or 0) + 1 end
	function Guard.simulated:Tick(dt)
		Guard.super.Tick(self, dt)
		self.shown = (self.shown or 0) + 1
	end
	function Guard:TornOff() note("torn") end
	function Guard.simulated:Destroyed() if world.NetMode == NM_Client then note("gone") end end

	local Ghost = class("Ghost")
	Ghost.properties { N = int(0) }
	Ghost.replication { { "N", notify = true } }
	Ghost.defaults { bAlwaysRelevant = true }
	function Ghost.simulated:PostNetBeginPlay() self:SetTimer(0.05, true, "Plain") self:SetTimer(0.05, true, "Shown") end
	function Ghost:Plain() self.plains = (self.plains or 0) + 1 end
	function Ghost.simulated:Shown() self.shown = (self.shown or 0) + 1 end
]]

local PLACE = vector(600, -1800, 100)

-- guard spawns a Guard that a client possesses, and waits until all have it in its role.
local function guard(t, s, owner, ...)
	local x = s:spawn("Guard", { Location = PLACE })
	s:controller(owner):Possess(x)
	for _, c in ipairs { owner, ... } do
		t:within(3, function()
			local copy = c:copy(x)
			return copy and copy.Role == (c == owner and ROLE_AutonomousProxy or ROLE_SimulatedProxy)
		end)
	end
	t:run(0.3)
	for _, c in ipairs { owner, ... } do c:eval("world.GameState.notes = ''") end
	return x, owner:copy(x)
end

-- The owner is sent into a state between two calls: each runs as the state says that it finds.
for_each({ {}, { 1 }, { 2 }, { 1, 2 } }, function(lost)
	scenario("R7.3 R6.4 ClientGotoState takes its place among reliable calls, whose overrides follow the state, lost: "
		.. table.concat(lost, " "), { seeds = 5, transport = "sim" }, function(t)
			local s, a, b = begin(t, GUARD, { lag = 0.03 }, "a", "b")
			local x = guard(t, s, a, b)
			a:lose("down", unpack(lost))
			x:Say(1)
			x:ClientGotoState("Angry")
			x:Say(2)
			x:AllSay(3)
			x:ClientGotoState("Calm")
			x:Say(4)
			hears(t, a, "c1 angry C2 m3 over calm c4 ")
			hears(t, b, "m3 ")
		end)
end)

scenario("R7.3 R5.14 a notify of the tick of ClientGotoState finds the owner in the new state, and others in theirs", { seeds = 5 }, function(t)
	local s, a, b = begin(t, GUARD, BAD, "a", "b")
	local x = guard(t, s, a, b)
	x:ClientGotoState("Angry")
	x.Alarm = 1
	hears(t, a, "angry H1 ")
	hears(t, b, "h1 ")
end)

scenario("R7.2 R6.7 R6.10 a server function that a state overrides is judged by its validator and runs by the server's state alone",
	{ seeds = 5 }, function(t)
		local s, a = begin(t, GUARD, { lag = 0.03, loss = 0.1 }, "a")
		local x, c = guard(t, s, a)
		c:ServerSay(1)
		hears(t, s, "s1 ")
		x:GotoState("Angry")
		c:ServerSay(2) -- its copy is still calm
		hears(t, s, "s1 S2 ")
		t:eq(c:GetStateName(), "Calm")
		c:ServerSay(100)
		t:within(2, function() return a.error_code == "validation" end)
		t:eq(notes(s), "s1 S2 ")
	end)

scenario("R7.1 R5.18 torn off, a copy runs what is not simulated: its timers of before, new states, its calls here", { seeds = 5 }, function(t)
	local s, a, b = begin(t, GUARD, { lag = 0.04, loss = 0.15, reorder = 0.1 }, "a", "b")
	local x = guard(t, s, a, b)
	local d = b:copy(x)
	d.plains = 0
	t:run(0.4)
	t:eq(d.plains, 0)
	x.Alarm, x.bTearOff = 4, true
	t:within(3, function() return notes(b) == "h4 torn " end)
	d.plains = 0
	t:within(2, function() return d.plains > 2 end)
	d:GotoState("Angry")
	d:Say(1)
	t:eq(d:GetStateName(), "Angry")
	t:eq(notes(b), "h4 torn C1 ")
	d:Destroy()
	t:no(d.alive)
	t:eq(b:log(), {})
end)

for_each({ "DORM_DormantAll", "awake" }, function(how)
	scenario("R7.1 R4.7 timers of a copy run by its role while it sleeps, too: " .. how, { seeds = 5 }, function(t)
		local s, a = begin(t, GUARD, { lag = 0.02, loss = 0.1 }, "a")
		local x = s:spawn("Ghost")
		local c = t:within(2, function() return a:copy(x) end)
		if how ~= "awake" then
			x:SetNetDormancy(DORM_DormantAll)
			t:within(4, function() return t:why(a, x, "N") == "dormant" end)
		end
		c.shown, c.plains = 0, 0
		t:run(0.5)
		t:gt(c.shown, 5)
		t:eq(c.plains, 0)
		x.N = 2
		t:within(2, function() return c.N == 2 end)
	end)
end)
