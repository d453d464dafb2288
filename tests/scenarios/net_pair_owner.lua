-- Ownership moves while something else happens: relevancy (R3) and roles (R2) where they meet the conditions of R5.

local net = require("shared.net")

local NEAR = vector(600, -1800, 100) -- in sight of a, who stands at (0, -2000), and of b, at (0, -1600)
local AWAY = vector(0, 9000, 88) -- farther from NEAR than CULL
local CULL = 3000

local CHEST = [[
	local Chest = class("Chest")
	Chest.properties {
		All = int(0), Own = int(0), Skip = int(0), First = int(0), FirstOrOwn = int(0), Level = int(0), Deep = int(0),
		Arr = array(int(0), 6),
	}
	Chest.replication {
		{ "All" }, { "Own", "Arr", when = COND_OwnerOnly, notify = true }, { "Skip", when = COND_SkipOwner },
		{ "First", when = COND_InitialOnly }, { "FirstOrOwn", when = COND_InitialOrOwner },
		{ "Deep", when = function(self) return self.bNetOwner and self.Level > 2 end },
	}
	function Chest:OnRep_Own(old) self.story = (self.story or "") .. old .. ">" .. self.Own .. " " end
]]

-- two makes a server and two clients on lines with this lag.
local function two(t, lag, scripts, config)
	t:scripts(scripts or CHEST)
	local s, a, b = net.play(t, { config = config }, { name = "a", lag = lag }, { name = "b", lag = lag })
	t:run(0.3)
	return s, a, b
end

local function set(x, n) x.All, x.Own, x.Skip, x.First, x.FirstOrOwn = n, n, n, n, n end

local function values(c) return c and { c.All, c.Own, c.Skip, c.First, c.FirstOrOwn } end

-- settle waits until a client's copy of an actor has these values, and looks again a while later.
local function settle(t, client, x, want, what)
	local function same()
		local have = values(client:copy(x))
		for i, v in ipairs(want) do
			if not have or have[i] ~= v then return false end
		end
		return true
	end
	t:within(2, function() return client:copy(x) end, what)
	for _ = 1, 120 do
		if same() then break end
		t:ticks(1)
	end
	t:run(0.2)
	t:eq(values(client:copy(x)), want, what)
end

-- gone sends players out of range and waits until they have no copy.
local function gone(t, s, x, ...)
	for _, c in ipairs { ... } do s:pawn(c).Location = AWAY end
	for _, c in ipairs { ... } do t:within(5, function() return not c:copy(x) end) end
end

scenario("R3.10 R5.7 what nobody had while its owner changed is told to each player by who owns it now", { seeds = 5 }, function(t)
	local s, a, b = two(t, 0.02, CHEST, { relevant_timeout = 2 })
	local x = s:spawn("Chest", { Location = NEAR, NetCullDistance = CULL, Owner = s:controller(a) })
	set(x, 1)
	settle(t, a, x, { 1, 1, 0, 1, 1 }, "the owner")
	settle(t, b, x, { 1, 0, 1, 1, 1 }, "another")
	x.Owner = nil
	gone(t, s, x, a, b)
	set(x, 2)
	x.Owner = s:controller(b)
	settle(t, b, x, { 2, 2, 0, 2, 2 }, "the new owner, who has it wherever they are (R3.5)")
	t:no(a:copy(x))
	s:pawn(a).Location = vector(0, -2000, 88)
	settle(t, a, x, { 2, 0, 2, 2, 2 }, "the owner of before, in range again")
	set(x, 3)
	settle(t, a, x, { 3, 0, 3, 2, 2 }, "the owner of before, later")
	settle(t, b, x, { 3, 3, 0, 2, 3 }, "the new owner, later")
end)

for_each({ "loss_down", "loss_up" }, function(way)
	scenario("R5.7 R5.22 a new owner learns what was set before, whichever packet is lost: " .. way, { transport = "sim" }, function(t)
		local s, a, b = two(t, 0.03)
		local players = { a, b }
		for at = 0, 9 do
			local x = s:spawn("Chest", { Location = NEAR, Owner = s:controller(a) })
			set(x, 1)
			settle(t, a, x, { 1, 1, 0, 1, 1 })
			settle(t, b, x, { 1, 0, 1, 1, 1 })
			x.Own, x.Skip, x.FirstOrOwn = 2, 3, 4
			settle(t, a, x, { 1, 2, 0, 1, 4 })
			x.Owner = s:controller(b)
			t:ticks(at)
			for _, c in ipairs(players) do c:link { [way] = 1 } end
			t:ticks(3)
			for _, c in ipairs(players) do c:link { loss = 0 } end
			settle(t, b, x, { 1, 2, 3, 1, 4 }, "the new owner, lost at " .. at)
			settle(t, a, x, { 1, 2, 3, 1, 4 }, "the owner of before, lost at " .. at)
			x:Destroy()
		end
	end)
end)

-- Each: what makes the value secret from a, and what lets it through again.
for_each({
	{ "its owner changed", "COND_OwnerOnly", function(x, s, _, b) x.Owner = s:controller(b) end, function(x, s, a) x.Owner = s:controller(a) end },
	{ "it was switched off", "COND_Custom", function(x) x:SetCustomIsActive("N", false) end, function(x) x:SetCustomIsActive("N", true) end },
	{ "its condition was switched", "COND_Dynamic", function(x) x:SetDynamicCondition("N", COND_Never) end, function(x) x:SetDynamicCondition("N", COND_None) end },
	{ "its player left the group", "COND_NetGroup, group = 'spies'", function(_, s, a) s:controller(a):LeaveNetGroup("spies") end,
		function(_, s, a) s:controller(a):JoinNetGroup("spies") end },
	{ "its condition's variable changed", "function(self) return not self.bShut end", function(x) x.bShut = true end, function(x) x.bShut = false end },
}, function(case)
	scenario("R5.7 R5.22 what was lost is not sent again once " .. case[1], { seeds = 5 }, function(t)
		local s, a, b = two(t, 0.03, string.format([[
			local Chest = class("Chest")
			Chest.properties { N = int(0), Arr = array(int(0), 4), bShut = false }
			Chest.replication { { "N", when = %s } }
		]], case[2]))
		s:controller(a):JoinNetGroup("spies")
		local x = s:spawn("Chest", { Location = NEAR, Owner = s:controller(a), N = 1 })
		local c = t:within(2, function() return a:copy(x) end)
		t:within(1, function() return c.N == 1 end)
		t:run(0.5)
		a:link { loss_down = 1 }
		x.N = 7
		t:ticks(6)
		case[3](x, s, a, b)
		t:ticks(4)
		a:link { loss = 0 }
		t:always(1.5, function() return c.N == 1 end)
		case[4](x, s, a)
		t:within(1.5, function() return c.N == 7 end, "once it is let through it arrives")
	end)
end)

scenario("R3.5 R5.5 a condition of the owner holds by the whole chain, from when a link of it changes", { seeds = 5 }, function(t)
	local s, a, b = two(t, 0.03)
	local hand = s:spawn("Actor", { Location = NEAR, Owner = s:pawn(a), bReplicates = false })
	local x = s:spawn("Chest", { Location = NEAR, Owner = hand, Deep = 5, Level = 2 })
	local ca, cb = t:within(2, function() return a:copy(x) end), t:within(2, function() return b:copy(x) end)
	t:run(0.5)
	t:eq({ ca.Deep, cb.Deep }, { 0, 0 }, "its level is too low")
	x.Level = 3
	t:within(1, function() return ca.Deep == 5 end)
	for n = 6, 12 do
		local new, old = n % 2 == 0 and cb or ca, n % 2 == 0 and ca or cb
		local before = old.Deep
		hand.Owner = s:pawn(n % 2 == 0 and b or a)
		x.Deep = n
		for _, c in ipairs { a, b } do c:link { loss_down = 1 } end
		t:ticks(n - 5)
		for _, c in ipairs { a, b } do c:link { loss = 0 } end
		t:within(1, function() return new.Deep == n end)
		t:eq(old.Deep, before)
	end
	x.Level, x.Deep = 0, 50
	t:always(0.6, function() return ca.Deep ~= 50 and cb.Deep ~= 50 end)
end)

scenario("R3.3 R5.7 a thing that follows its owner's relevancy is with its new owner, with what is the owner's alone", { seeds = 5 }, function(t)
	local s, a, b = two(t, 0.03, CHEST, { relevant_timeout = 2 })
	s:pawn(a).NetCullDistance, s:pawn(b).NetCullDistance = CULL, CULL
	s:pawn(b).Location = AWAY
	t:within(5, function() return not b:copy(s:pawn(a)) end)
	local x = s:spawn("Chest", { Location = NEAR, Owner = s:pawn(a), bNetUseOwnerRelevancy = true, Own = 4 })
	t:within(2, function() return a:copy(x) and a:copy(x).Own == 4 end)
	t:always(0.6, function() return not b:copy(x) end)
	x.Owner = s:pawn(b)
	x.Own = 5
	t:within(2, function() return b:copy(x) and b:copy(x).Own == 5 end)
	t:within(1, function() return not a:copy(x) end, "its owner is out of a's range: it goes at once, whatever its own place is")
	for _, e in ipairs(t:trace(a)) do
		if e.actor == x and e.event == "set" and e.name == "Own" then t:eq(e.value, 4) end
	end
end)

scenario("R5.7 R5.12 of an array that its owner lost and has again every element is right", { seeds = 5 }, function(t)
	local s, a, b = two(t, 0.03)
	local x = s:spawn("Chest", { Location = NEAR, Owner = s:controller(a) })
	local c = t:within(2, function() return a:copy(x) end)
	t:run(0.3)
	for n = 1, 12 do
		x.Arr[1 + n % 6] = n
		if n % 4 == 0 then a:link { loss_down = 1 } end
		t:ticks(1 + n % 3)
		x.Owner = s:controller(b)
		x.Arr[1 + n * 5 % 6] = -n
		t:ticks(n % 4)
		x.Arr[3] = 0 -- a default again, as a had it at first
		a:link { loss = 0 }
		x.Owner = s:controller(a)
		t:within(1.5, function()
			for i = 1, 6 do
				if c.Arr[i] ~= x.Arr[i] then return false end
			end
			return true
		end, "round " .. n)
	end
end)
