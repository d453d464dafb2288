-- Pairs of rules: replicated calls (R6) where roles (R2), relevancy (R3) or owners change in the same tick or on the way.

local net = require("shared.net")
local begin, hears, notes = net.begin, net.hears, net.notes

local BAD = { lag = 0.04, jitter = 0.03, loss = 0.2, dup = 0.1, reorder = 0.2 }

local SPEAKER = [[
	local function note(what)
		local state = world.GameState
		if state then state.notes = (state.notes or "") .. what .. " " end
	end
	local ROLES = { [ROLE_SimulatedProxy] = "s", [ROLE_AutonomousProxy] = "a", [ROLE_Authority] = "A" }

	local Mouth = class("Mouth", "ActorComponent")
	function Mouth.client.reliable:Say(n) note("m" .. n) end
	function Mouth.server.reliable:ServerSay(n) note("ms" .. n) end
	function Mouth.validate:ServerSay(_) return true end
	Mouth.params { Say = { int(0) }, ServerSay = { int(0) } }

	local Speaker = class("Speaker")
	Speaker.components { Mouth = "Mouth" }
	Speaker.defaults { bAlwaysRelevant = true }
	function Speaker.client.reliable:Say(n) note("c" .. n) end
	function Speaker.multicast.reliable:AllSay(n) if not self:HasAuthority() then note("all" .. n) end end
	function Speaker.multicast:AllMurmur(n) if not self:HasAuthority() then note("mur" .. n) end end
	function Speaker.remote.reliable:FarSay(n) note("far" .. n) end
	function Speaker.server.reliable:ServerSay(n) note("s" .. n) end
	function Speaker.validate:ServerSay(_) return true end
	function Speaker.validate:FarSay(_) return true end
	Speaker.params {
		Say = { int(0) }, AllSay = { int(0) }, AllMurmur = { int(0) }, FarSay = { int(0) }, ServerSay = { int(0) },
	}
	function Speaker.simulated:Destroyed() if world.NetMode == NM_Client then note("gone") end end
	local Near = class("Near", "Speaker")
	Near.defaults { bAlwaysRelevant = false }

	local Body = class("Body", "Character")
	function Body.client.reliable:Say(n) note("b" .. n .. ROLES[self.Role]) end
	function Body.multicast.reliable:AllSay(n) note("all" .. n .. ROLES[self.Role]) end
	function Body.server.reliable:ServerSay(n) note("s" .. n) end
	function Body.validate:ServerSay(_) return true end
	Body.params { Say = { int(0) }, AllSay = { int(0) }, ServerSay = { int(0) } }
	function Body:Tick(dt)
		Body.super.Tick(self, dt)
		self.ticks = (self.ticks or 0) + 1
	end
]]

local SEEN = vector(600, -1800, 100) -- in sight of a at (0, -2000) and b at (0, -1600), who look along +x
local FAR = vector(15900, 15900, 100) -- beyond the cull distance of both

local function speaker(t, s, class, props, ...)
	local x = s:spawn(class, props)
	for _, c in ipairs { ... } do t:within(3, function() return c:copy(x) end) end
	t:run(0.4)
	return x
end

for_each({ { "a good line", {} }, { "a bad line", BAD } }, function(case)
	scenario("R6.3 R2.2 each call goes to the owner of the moment it was made, within one tick: " .. case[1], { seeds = 5 }, function(t)
		local s, a, b = begin(t, SPEAKER, case[2], "a", "b")
		local x = speaker(t, s, "Speaker", { Owner = s:controller(a) }, a, b)
		x:Say(1)
		x.Mouth:Say(2)
		x:FarSay(3)
		x:SetOwner(s:controller(b))
		x:Say(4)
		x.Mouth:Say(5)
		x:FarSay(6)
		x:SetOwner(s:controller(a))
		x:Say(7)
		hears(t, a, "c1 m2 far3 c7 ")
		hears(t, b, "c4 m5 far6 ")
	end)
end)

scenario("R6.8 R3.4 calls on the way when the actor changes hands run for nobody, and their honest sender is not thrown out",
	{ seeds = 5 }, function(t)
		local s, a, b = begin(t, SPEAKER, { lag = 0.1, jitter = 0.02 }, "a", "b")
		local x = speaker(t, s, "Speaker", { Owner = s:controller(a), bAlwaysRelevant = false, bOnlyRelevantToOwner = true }, a)
		local c = a:copy(x)
		c:ServerSay(1)
		t:run(0.3)
		for i = 2, 5 do c:ServerSay(i) end
		c.Mouth:ServerSay(6)
	t:ticks(1)
		x:SetOwner(s:controller(b))
		local d = t:within(2, function() return b:copy(x) end)
		t:within(2, function() return a:copy(x) == nil end)
		d:ServerSay(7)
		hears(t, s, "s1 s7 ")
		t:eq(notes(a), "gone ")
		t:ok(a:pawn() and b:pawn())
		t:eq(a.error, nil)
	end)

scenario("R6.8 R2.2 given back within the way of a call, what its owner called runs in order", { seeds = 5 }, function(t)
	local s, a, b = begin(t, SPEAKER, { lag = 0.15 }, "a", "b")
	local x = speaker(t, s, "Speaker", { Owner = s:controller(a) }, a, b)
	local c = a:copy(x)
	x:SetOwner(s:controller(b))
	t:ticks(2)
	c:ServerSay(1) -- it does not know yet
	c.Mouth:ServerSay(2)
	x:SetOwner(s:controller(a))
	hears(t, s, "s1 ms2 ")
end)

-- The role is switched in order with calls: whom a call finds as its owner has the owner's role.
for_each({ {}, { 1 }, { 2 }, { 1, 2 } }, function(lost)
	scenario("R2.2 R6.4 a call in the tick of Possess finds the role of the new owner, and the old one's copy that of others, lost: "
		.. table.concat(lost, " "), { seeds = 5, transport = "sim" }, function(t)
			local s, a, b = begin(t, SPEAKER, { lag = 0.03 }, "a", "b")
			local body = s:spawn("Body", { Location = SEEN })
			s:controller(a):Possess(body)
			t:within(3, function() return a:copy(body) and b:copy(body) and a:copy(body).Role == ROLE_AutonomousProxy end)
			t:run(0.3)
			a:eval("world.GameState.notes = ''")
			b:eval("world.GameState.notes = ''")
			a:lose("down", unpack(lost))
			b:lose("down", unpack(lost))
			body:Say(1)
			s:controller(b):Possess(body)
			body:Say(2)
			body:AllSay(3)
			hears(t, b, "b2a all3a ")
			t:within(2, function() return notes(a):find("all3", 1, true) end)
			t:match(notes(a), "^b1[as] all3s $", "the first was made before, and is sent at the end of the tick")
		end)
end)

scenario("R2.2 R7.1 what is not simulated runs on the copy of who possesses it, from the switch on, and no more on the other's",
	{ seeds = 5 }, function(t)
		local s, a, b = begin(t, SPEAKER, { lag = 0.04, loss = 0.1, reorder = 0.1 }, "a", "b")
		local body = s:spawn("Body", { Location = SEEN })
		for _, pair in ipairs { { a, b }, { b, a }, { a, b } } do
			s:controller(pair[1]):Possess(body)
			t:within(3, function()
				local x, y = pair[1]:copy(body), pair[2]:copy(body)
				return x and y and x.Role == ROLE_AutonomousProxy and y.Role == ROLE_SimulatedProxy
			end)
			local x, y = pair[1]:copy(body), pair[2]:copy(body)
			x.ticks, y.ticks = 0, 0
			t:run(0.4)
			t:gt(x.ticks, 10)
			t:eq(y.ticks, 0)
		end
		s:controller(a):UnPossess()
		t:within(3, function() return a:copy(body).Role == ROLE_SimulatedProxy end)
		a:copy(body).ticks = 0
		t:run(0.3)
		t:eq(a:copy(body).ticks, 0)
	end)

-- Relevancy that changes in the tick of a multicast.
for_each({
	{ "R3.8", "comes into range", { Location = FAR }, function(x) x:SetLocation(SEEN) end, true },
	{ "R3.2", "becomes always relevant", { Location = FAR }, function(x) x.bAlwaysRelevant = true end, true },
	{ "R3.5", "becomes the player's own", { Location = FAR }, function(x, s, b) x:SetOwner(s:controller(b)) end, true },
	{ "R3.4", "becomes its owner's only, and that is another", { Location = SEEN }, function(x, s, _, a)
		x.bOnlyRelevantToOwner = true
		x:SetOwner(s:controller(a))
	end, false },
	{ "R3.6", "is hung on what only another player has", { Location = SEEN }, function(x, s, _, a)
		x:SetBase(s:spawn("Speaker", { Owner = s:controller(a), bAlwaysRelevant = false, bOnlyRelevantToOwner = true, Location = SEEN }), true)
	end, false },
	{ "R3.6", "is hung on what everybody has", { Location = FAR }, function(x, s)
		x:SetBase(s:spawn("Speaker", { Location = FAR }), true)
	end, true },
	{ "R3.3", "follows an owner that only another player has", { Location = SEEN }, function(x, s, _, a)
		x:SetOwner(s:spawn("Speaker", { Owner = s:controller(a), bAlwaysRelevant = false, bOnlyRelevantToOwner = true, Location = SEEN }))
		x.bNetUseOwnerRelevancy = true
	end, false },
	{ "R3.1", "has no RemoteRole any more", { Location = SEEN }, function(x) x.RemoteRole = ROLE_None end, false },
}, function(case)
	scenario(("%s R6.1 R3.12 a multicast in the tick in which its actor %s %s"):format(case[1], case[2],
		case[5] and "arrives after the copy" or "does not arrive"), { seeds = 5 }, function(t)
			local s, a, b = begin(t, SPEAKER, { lag = 0.03, loss = 0.1 }, "a", "b")
			local x = s:spawn("Near", case[3])
			t:run(1)
			t:eq(b:copy(x) == nil, case[5], "before")
			case[4](x, s, b, a)
			x:AllSay(1)
			x:AllMurmur(2)
			t:ticks(1)
			x:AllSay(3)
			t:run(1.2)
			t:eq(b:copy(x) ~= nil, case[5], "after")
			if case[5] then
				t:eq(notes(b):gsub("mur2 ", ""), "all1 all3 ")
			else
				t:no(notes(b):find("all", 1, true), notes(b))
				t:no(notes(b):find("mur", 1, true), notes(b))
			end
		end)
end)
