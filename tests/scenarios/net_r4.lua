-- Section 4 of the rules: priority and bandwidth.

local net = require("shared.net")
local present = net.copies

local NEAR = vector(600, -1800, 100) -- in sight of both players, a at (0, -2000) and b at (0, -1600), who look along +x

-- A Rock changes all the time, by about 16 bytes; a Stone by 60, a Boulder by 200. A Chest changes only when told to.
local ROCK = net.with [[
	local Rock = class("Rock")
	Rock.properties { N = int(0), Word = "", A = float(0), B = float(0), C = float(0), bIdle = false }
	Rock.replication { { "N", "Word", "A", "B", "C" } }
	function Rock:Tick(_)
		if self.bIdle then return end
		self.N = self.N + 1
		self.A, self.B, self.C = math.sin(self.N), math.cos(self.N), math.sin(self.N / 2)
	end
	local Stone = class("Stone", "Rock")
	function Stone:Tick(_)
		self.N = self.N + 1
		self.Word = ("%05d"):format(self.N) .. ("x"):rep(55)
	end
	local Boulder = class("Boulder", "Rock")
	function Boulder:Tick(_)
		self.Word = ("%05d"):format(self.N) .. ("x"):rep(195)
		self.N = self.N + 1
	end
	local Chest = class("Chest")
	Chest.properties { Gold = int(0), Arr = array(int(0), 4), Custom = int(0), Target = ref("Actor"), Ticks = int(0) }
	Chest.replication { { "Gold", "Arr", "Target" }, { "Custom", when = COND_Custom } }
	local Bell = class("Bell")
	Bell.defaults { bOnlyRelevantToOwner = true }
	function Bell:PreBeginPlay() self.heard = {} end
	function Bell.client:ClientRing(n, _) self.rang = n self.rings = (self.rings or 0) + 1 end
	function Bell.client.reliable:ClientTell(n, _) self.told = (self.told or "") .. n .. " " end
	Bell.params { ClientRing = { int(0), "" }, ClientTell = { int(0), "" } }
]]

-- most is what may go out in a second at a budget: one datagram more, of at most 1 200 bytes and 28 of UDP and IP.
local function most(budget) return budget + 1228 end

local function spawn(s, class, n, props)
	local list = {}
	for i = 1, n do list[i] = s:spawn(class, props) end
	return list
end

-- updates counts the updates of a variable of actors that a client got since its trace had so many lines; in all
-- and by actor.
local function updates(t, c, name, actors, since)
	local of, last, all = {}, {}, 0
	for _, x in ipairs(actors) do of[x] = 0 end
	for i, e in ipairs(t:trace(c)) do
		if e.event == "set" and e.name == name and of[e.actor] then
			if i > since and e.value ~= last[e.actor] then
				of[e.actor] = of[e.actor] + 1
				all = all + 1
			end
			last[e.actor] = e.value
		end
	end
	return all, of
end

-- share runs for some seconds and gives how many times more updates the first actors got than the second, for
-- each of them.
local function share(t, c, name, first, second, seconds)
	local since = #t:trace(c)
	t:run(seconds)
	local x, y = updates(t, c, name, first, since), updates(t, c, name, second, since)
	t:gt(y, 0, "nobody starves")
	return (x / #first) / (y / #second), x + y
end

for_each({
	{ down = 2600, rocks = 60 },
	{ down = 8000, rocks = 60 },
	{ rocks = 120 }, -- the default: 20 000
}, function(case)
	local budget = case.down or 20000
	scenario("R4.1 over any second at most the budget and one datagram: " .. budget, function(t)
		local s, a = ROCK.play(t, { tick = 30, net = 30 }, { name = "a", down = case.down })
		spawn(s, "Rock", case.rocks, { Location = NEAR })
		t:run(1)
		local sent = {}
		for i = 1, 21 do
			sent[i] = t:traffic(a).total.bytes
			t:run(0.1)
		end
		for i = 11, 21 do t:le(sent[i] - sent[i - 10], most(budget)) end
		t:ge(sent[21] - sent[1], 2 * budget * 0.85, "what there is to say fills the budget")
	end)
end)

scenario("R4.1 unused budget carries over for at most one net update's worth", function(t)
	local s, a = ROCK.play(t, { tick = 30, net = 30 }, { name = "a", down = 6000 })
	local rocks = spawn(s, "Rock", 100, { Location = NEAR, bIdle = true })
	t:within(3, function() return #a:actors("Rock") == #rocks end)
	t:run(1.5)
	local from = t:traffic(a).total.bytes
	for _, r in ipairs(rocks) do r.bIdle = false end
	t:run(0.5)
	t:le(t:traffic(a).total.bytes - from, 3000 + 200 + 1228)
	t:run(0.5)
	t:le(t:traffic(a).total.bytes - from, most(6000))
end)

scenario("R4.1 where nothing changes almost nothing is sent", function(t)
	local s, a = ROCK.play(t, {}, "a")
	local chests = spawn(s, "Chest", 50, { Location = NEAR })
	present(t, chests[50], a)
	t:run(1)
	local before = t:traffic(a)
	t:run(1)
	local after = t:traffic(a)
	t:eq(after.by_class.Chest.bytes, before.by_class.Chest.bytes)
	t:lt(after.total.bytes - before.total.bytes, 1500)
end)

-- Where two groups of actors stand, and what the first gets of the second's updates, for each of them. The places
-- are those of a: eyes at (0, -2000, 152), looking along +x.
for_each({
	{ "ahead and near the aim line, against behind and far", vector(1500, -2000, 152), vector(-4000, -2000, 152), 3, 15 },
	{ "near the aim line, against the side at the same distance", vector(1500, -2000, 152), vector(100, -3500, 152), 1.3, 5 },
	{ "the side, against behind and far", vector(100, -3500, 152), vector(-4000, -2000, 152), 2.5, 9 },
	{ "behind but close, against behind and far", vector(-300, -2000, 152), vector(-4000, -2000, 152), 2, 9 },
	{ "the same place twice", vector(1500, -2000, 152), vector(1500, -2000, 152), 0.9, 1.1 },
}, function(case)
	scenario("R4.2 priority is scaled by how an actor lies to the view: " .. case[1], function(t)
		local s, a = ROCK.play(t, { tick = 30, net = 30 }, { name = "a", down = 10000 })
		local first = spawn(s, "Stone", 25, { Location = case[2] })
		local second = spawn(s, "Stone", 25, { Location = case[3] })
		t:run(1.5)
		local ratio = share(t, a, "N", first, second, 4)
		t:ge(ratio, case[4])
		t:le(ratio, case[5])
	end)
end)

scenario("R4.2 what the view target owns has four times its priority", function(t)
	local s, a = ROCK.play(t, { tick = 30, net = 30 }, { name = "a", down = 10000 })
	local side = vector(100, -3500, 152)
	local own = spawn(s, "Stone", 25, { Location = side, Owner = s:pawn(a) })
	local others = spawn(s, "Stone", 25, { Location = side })
	t:run(1.5)
	local ratio = share(t, a, "N", own, others, 4)
	t:ge(ratio, 3)
	t:le(ratio, 5)
end)

scenario("R4.2 with bNetUseOwnerRelevancy the owner's priority is used, without it the actor's own", function(t)
	local s, a = ROCK.play(t, { tick = 30, net = 30 }, { name = "a", down = 8000 })
	local lord = s:spawn("Actor", { Location = NEAR, NetPriority = 5 })
	local with = spawn(s, "Boulder", 4, { Location = NEAR, Owner = lord, bNetUseOwnerRelevancy = true })
	local without = spawn(s, "Boulder", 4, { Location = NEAR, Owner = lord })
	local plain = spawn(s, "Boulder", 4, { Location = NEAR })
	t:run(1.5)
	local since = #t:trace(a)
	t:run(20) -- as many sends of each plain one that one more or less does not matter
	local n = updates(t, a, "Word", plain, since)
	t:gt(n, 60)
	t:near(updates(t, a, "Word", with, since) / n, 5, 0.6)
	t:near(updates(t, a, "Word", without, since) / n, 1, 0.15)
end)

-- A thousand net updates are 33 s: these run on simulated links only.
for_each({ { 2, 1 }, { 4, 2 }, { 200, 100 }, { 0.2, 0.1 } }, function(p)
	scenario("R4.3 two actors of priority " .. p[1] .. " and " .. p[2] .. " get updates 2:1 over 1 000 net updates", { transport = "sim" }, function(t)
		local s, a = ROCK.play(t, { tick = 30, net = 30 }, { name = "a", down = 3000 })
		local x = s:spawn("Boulder", { Location = NEAR, NetPriority = p[1] })
		local y = s:spawn("Boulder", { Location = NEAR, NetPriority = p[2] })
		t:run(1)
		local ratio, all = share(t, a, "Word", { x }, { y }, 1000 / 30)
		t:near(ratio, 2, 0.1)
		t:lt(all, 1000, "the budget binds")
		t:gt(all, 200)
	end)
end)

scenario("R4.1 the host's configuration says what a connection has by default", function(t)
	local s, a, b = ROCK.play(t, { tick = 30, net = 30, config = { budget = 4000 } }, "a", { name = "b", down = 8000 })
	spawn(s, "Rock", 60, { Location = NEAR })
	t:run(1)
	local fromA, fromB = t:traffic(a).total.bytes, t:traffic(b).total.bytes
	t:run(2)
	t:near(t:traffic(a).total.bytes - fromA, 8000, 1500)
	t:near(t:traffic(b).total.bytes - fromB, 16000, 2500)
end)

for_each({
	{ "Actor", 1.0 }, { "Pawn", 2.0 }, { "Character", 2.0 }, { "PlayerController", 3.0 }, { "Projectile", 2.5 },
	{ "Info", 1.0 }, { "ReplicationInfo", 1.0 },
}, function(case)
	scenario("R4.4 the default priority of " .. case[1], function(t)
		local s = t:server{}
		t:near(s:spawn(case[1]).NetPriority, case[2], 1e-6)
	end)
end)

for_each({ 2, 5, 10 }, function(hz)
	scenario("R4.5 NetUpdateFrequency bounds how often an actor is considered: " .. hz .. " a second", function(t)
		local s, a = ROCK.play(t, { tick = 60, net = 30 }, "a")
		local x = net.spawn(t, s, "Rock", { Location = NEAR, NetUpdateFrequency = hz }, a)
		t:run(0.5)
		local since = #t:trace(a)
		t:run(2)
		local n = updates(t, a, "N", { x }, since)
		t:le(n, 2 * hz + 1)
		t:ge(n, 2 * hz - 1)
	end)
end)

scenario("R4.5 a change ends the fallback to MinNetUpdateFrequency at once", function(t)
	local s, a = ROCK.play(t, {}, "a")
	local x = net.spawn(t, s, "Chest", { Location = NEAR, NetUpdateFrequency = 10, MinNetUpdateFrequency = 0.2 }, a)
	for i = 1, 4 do
		t:run(0.7 + i * 0.13)
		x.Gold = i
		t:within(0.25, function() return a:copy(x).Gold == i end)
	end
end)

scenario("R4.5 ForceNetUpdate has an actor considered at the next net update", function(t)
	local s, a = ROCK.play(t, {}, "a")
	local x = net.spawn(t, s, "Chest", { Location = NEAR, NetUpdateFrequency = 0.4, MinNetUpdateFrequency = 0.4 }, a)
	x.Gold = 1
	t:within(3, function() return a:copy(x).Gold == 1 end)
	x.Gold = 2
	t:run(1)
	t:eq(a:copy(x).Gold, 1, "its turn has not come")
	x:ForceNetUpdate()
	t:within(0.15, function() return a:copy(x).Gold == 2 end)
	x.Gold = 3
	t:run(0.5)
	t:eq(a:copy(x).Gold, 2, "the force was for once")
end)

scenario("R4.6 reliable calls go out on a saturated connection, all and in order, before variables", function(t)
	local s, a = ROCK.play(t, { tick = 30, net = 30 }, { name = "a", down = 4000 })
	local bell = net.spawn(t, s, "Bell", { Owner = s:controller(a) }, a)
	spawn(s, "Rock", 150, { Location = NEAR })
	t:run(2)
	bell:ClientTell(1, "")
	t:within(0.6, function() return a:copy(bell).told == "1 " end)
	local expected = "1 "
	for i = 2, 20 do
		bell:ClientTell(i, "")
		expected = expected .. i .. " "
	end
	t:within(1.5, function() return a:copy(bell).told == expected end)
end)

scenario("R4.6 an unreliable call on a saturated connection may be dropped, and is counted", function(t)
	local s, a = ROCK.play(t, { tick = 30, net = 30 }, { name = "a", down = 4000 })
	local bell = net.spawn(t, s, "Bell", { Owner = s:controller(a) }, a)
	local n = 0
	for _ = 1, 60 do
		for _ = 1, 10 do
			n = n + 1
			bell:ClientRing(n, ("x"):rep(100))
		end
		t:ticks(1)
	end
	t:run(1)
	local e = t:traffic(a).by_function["Bell.ClientRing"]
	t:gt(e.dropped, 0)
	t:gt(a:copy(bell).rings, 0)
	t:eq(e.dropped + a:copy(bell).rings, n, "each of them arrived or was counted as dropped")
end)

scenario("R4.6 a flood of calls starves variables, and the traffic monitor says so", function(t)
	local s, a = ROCK.play(t, { tick = 30, net = 30 }, { name = "a", down = 8000 })
	local bell = s:spawn("Bell", { Owner = s:controller(a) })
	local rocks = spawn(s, "Rock", 10, { Location = NEAR })
	present(t, bell, a)
	present(t, rocks[10], a)
	t:run(1)
	local since = #t:trace(a)
	t:run(1)
	local quiet = updates(t, a, "N", rocks, since)
	t:ge(quiet, 250, "without the flood there is room for all")
	local before = t:traffic(a)
	since = #t:trace(a)
	for i = 1, 60 do
		for _ = 1, 5 do bell:ClientRing(i, ("x"):rep(100)) end
		t:ticks(1)
	end
	local flooded = updates(t, a, "N", rocks, since) / 2
	local after = t:traffic(a)
	t:lt(flooded, 0.6 * quiet)
	t:gt(after.by_class.Rock.throttled, before.by_class.Rock.throttled)
	t:gt(after.by_property["Rock.N"].throttled, before.by_property["Rock.N"].throttled)
	local calls = after.by_function["Bell.ClientRing"].bytes
	t:gt(calls, 0.5 * (after.total.bytes - before.total.bytes))
end)

scenario("R4.8 on a saturated connection what was not sent comes first next time: equals get equal turns", function(t)
	local s, a = ROCK.play(t, { tick = 30, net = 30 }, { name = "a", down = 4000 })
	local rocks = spawn(s, "Rock", 100, { Location = NEAR })
	t:run(2)
	local since = #t:trace(a)
	t:run(4)
	local all, of = updates(t, a, "N", rocks, since)
	local mean = all / #rocks
	t:gt(mean, 4)
	for _, x in ipairs(rocks) do t:near(of[x], mean, 2, tostring(x)) end
end)

scenario("R4.8 the longest wait is bounded, and why says what waits", function(t)
	local s, a = ROCK.play(t, { tick = 30, net = 30 }, { name = "a", down = 4000 })
	local rocks = spawn(s, "Rock", 100, { Location = NEAR })
	t:run(2)
	local since = #t:trace(a)
	t:run(3)
	local throttled, last, longest, n = 0, {}, 0, 0
	for _, x in ipairs(rocks) do
		local code, text = t:why(a, x, "N")
		if code == "throttled" then
			throttled = throttled + 1
			t:match(text, "%d")
		end
	end
	for i, e in ipairs(t:trace(a)) do
		if e.event == "set" and e.name == "N" and i > since then
			n = n + 1
			if last[e.actor] then longest = math.max(longest, e.time - last[e.actor]) end
			last[e.actor] = e.time
		end
	end
	t:gt(throttled, 50)
	t:le(longest, 2.5 * #rocks / (n / 3))
end)
