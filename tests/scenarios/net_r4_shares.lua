-- R4.3 and R4.1, exactly as they say: shares for values of every size, and every second within the budget.

local NEAR = vector(600, -1800, 100) -- in sight of the player at (0, -2000), who looks along +x

-- A Talker changes in every tick by a value of Size bytes. A Bell is for calls.
local TALKER = [[
	local Talker = class("Talker")
	Talker.properties { Word = str("", { max = 1000 }), Size = int(0), N = int(0) }
	Talker.replication { { "Word" } }
	function Talker:Tick(_)
		if self.Size > 0 then
			self.N = self.N + 1
			self.Word = ("%06d"):format(self.N) .. ("x"):rep(self.Size - 8)
		end
	end
	local Bell = class("Bell")
	Bell.defaults { bOnlyRelevantToOwner = true }
	function Bell.client:ClientRing(_) end
	function Bell.client.reliable:ClientTell(_) end
	Bell.params { ClientRing = { "" }, ClientTell = { "" } }
]]

-- start makes a server, a player with a budget, and actors of some priorities in one place, and waits until the player has them.
local function start(t, link, size, prios)
	t:scripts(TALKER)
	local s = t:server{ tick = 30, net = 30 }
	link.name = "a"
	local a = t:client(link)
	t:within(5, function() return s:pawn(a) and a:pawn() end)
	local bell, list = s:spawn("Bell", { Owner = s:controller(a) }), {}
	for i, p in ipairs(prios) do list[i] = s:spawn("Talker", { Location = NEAR, NetPriority = p, Size = size }) end
	t:within(60, function()
		for _, x in ipairs(list) do
			if not a:copy(x) then return false end
		end
		return a:copy(bell)
	end)
	t:run(1)
	return s, a, bell, list
end

-- Several shares of updates that the player got, one after the other: in each the least-served actor had a hundred. beside runs after
-- each tick.
local function shares(t, a, list, prios, beside)
	local from, got, least, ticks = #t:trace(a), {}, 0, 0
	for i = 1, #list do got[i] = 0 end
	local index = {}
	for i, x in ipairs(list) do index[x] = i end
	while least < 100 do
		for _ = 1, 30 do
			t:ticks(1)
			ticks = ticks + 1
			if beside then beside(ticks) end
		end
		local trace = t:trace(a)
		for k = from + 1, #trace do
			local e = trace[k]
			local i = e.event == "set" and e.name == "Word" and index[e.actor]
			if i and least < 100 then
				got[i] = got[i] + 1
				least = math.huge
				for j = 1, #list do least = math.min(least, got[j]) end
			end
		end
		from = #trace
	end
	local last = 1
	for i = 1, #list do
		if got[i] < got[last] then last = i end
	end
	for i, n in ipairs(got) do
		t:lt(n, 0.93 * ticks, "the budget binds")
		local want = got[last] * prios[i] / prios[last]
		t:near(n, want, math.max(1, 0.05 * want), "actor " .. i .. " of priority " .. prios[i] .. ", " .. table.concat(got, " "))
	end
end

for_each({
	{ 2600, 30, { 2, 1 } }, { 2600, 300, { 2, 1 } }, { 4000, 60, { 2, 1 } }, { 8000, 390, { 2, 1 } }, { 8000, 1000, { 2, 1 } },
	{ 2600, 60, { 4, 2, 1 } }, { 8000, 390, { 4, 2, 1 } }, { 4000, 100, { 3, 2, 1 } },
	{ 4000, 10, { 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1 } }, { 20000, 300, { 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1 } },
}, function(case)
	local budget, size, prios = case[1], case[2], case[3]
	local name = ("R4.3 shares of %d bytes at %d B/s by %s"):format(size, budget, table.concat(prios, " : "))
	scenario(name, { transport = "sim", budget = 600 }, function(t)
		local _, a, _, list = start(t, { down = budget }, size, prios)
		shares(t, a, list, prios)
	end)
end)

for_each({
	{ "loss", 0.1, false, false }, { "calls", 0, true, false }, { "openings", 0, false, true }, { "all of it", 0.05, true, true },
}, function(case)
	for_each({ 40, 350 }, function(size)
		scenario("R4.3 shares of " .. size .. " bytes beside " .. case[1], { transport = "sim", seeds = 3, budget = 600 }, function(t)
			local prios = { 2, 1, 2 }
			local s, a, bell, list = start(t, { down = 4000, lag = 0.03, loss = case[2] }, size, prios)
			shares(t, a, list, prios, function(i)
				if case[3] and i % 20 == 0 then
					bell:ClientTell(("x"):rep(60))
					bell:ClientRing(("x"):rep(60))
				end
				if case[4] and i % 60 == 0 then s:spawn("Talker", { Location = NEAR }) end
			end)
		end)
	end)
end)

-- The demand decides whether the budget binds: what two actors would take if both went in every net update, and what the first one
-- takes of that. Both are measured by a player whose budget always suffices.
for_each({ 30, 100 }, function(size)
	for_each({
		-- part of the second actor's demand that the budget leaves if the first one goes in every net update
		{ "less than what the first and half of the second take: 2 : 1", 0.3 },
		{ "the first and half of the second: 2 : 1", 0.5 },
		{ "more than that: the first always goes, the second has the rest", 0.75 },
		{ "all that both take: nothing is held back", 1.3 },
	}, function(case)
		local name = ("R4.3 %d bytes, budget for %s"):format(size, case[1])
		scenario(name, { transport = "sim" }, function(t)
			local _, rich, _, list = start(t, { down = 1000000 }, size, { 2, 1 })
			-- spent measures bytes a second.
			local function spent(client)
				t:run(0.5)
				local before = t:traffic(client).total.bytes
				t:run(8)
				return (t:traffic(client).total.bytes - before) / 8
			end
			local both = spent(rich)
			list[2].Size = 0
			local first = spent(rich)
			list[2].Size = size
			local down = math.floor(first + case[2] * (both - first))
			local a = t:client{ name = "poor", down = down }
			t:within(20, function() return a:pawn() and a:copy(list[1]) and a:copy(list[2]) end)
			t:run(3)
			local from, got, before = #t:trace(a), { 0, 0 }, t:traffic(rich).total.bytes
			t:run(20)
			local rest = (down - (t:traffic(rich).total.bytes - before) / 20) / (both - first) + 1 -- two players take a little more than one
			for k, e in ipairs(t:trace(a)) do
				for i = 1, 2 do
					if k > from and e.event == "set" and e.name == "Word" and e.actor == list[i] then got[i] = got[i] + 1 end
				end
			end
			if case[2] <= 0.5 then
				t:near(got[1], 2 * got[2], 0.05 * got[1])
				t:near(got[1], (case[2] < 0.5 and 0.9 or 1) * 600, 0.1 * 600, "it could use no more, or little more")
			else
				t:ge(got[1], 0.98 * 600, "it goes in every net update")
				t:near(got[2], math.min(1, rest) * 600, 0.05 * 600)
			end
		end)
	end)
end)

scenario("R4.3 what an actor cannot use the others share, and none of the budget is lost", { transport = "sim" }, function(t)
	local _, a, _, list = start(t, { down = 4000 }, 60, { 40, 2, 1 })
	local before, from, got = t:traffic(a).total.bytes, #t:trace(a), {}
	t:run(20)
	for i = 1, 3 do got[i] = 0 end
	for k, e in ipairs(t:trace(a)) do
		for i = 1, 3 do
			if k > from and e.event == "set" and e.name == "Word" and e.actor == list[i] then got[i] = got[i] + 1 end
		end
	end
	t:ge(got[1], 0.95 * 600, "it goes in every net update")
	t:near(got[2] / got[3], 2, 0.15)
	t:ge(t:traffic(a).total.bytes - before, 0.95 * 80000)
end)

-- One datagram on the wire: at most 1 200 bytes, and 28 of UDP and IP.
local DATAGRAM = 1228

for_each({ 2600, 4000, 8000, 20000 }, function(budget)
	for_each({ 0, 0.25 }, function(loss)
		scenario(("R4.1 every second of openings, calls and variables: %d B/s, %g %% lost"):format(budget, 100 * loss), { seeds = budget == 4000 and 14 or 3 }, function(t)
			local s, a, bell = start(t, { down = budget, lag = 0.03, loss = loss }, 60, { 2, 1, 1 })
			local sent = {}
			for i = 1, 300 do
				sent[i] = t:traffic(a).total.bytes
				if i > 30 then t:le(sent[i] - sent[i - 30], budget + DATAGRAM) end
				if i % 25 == 1 then
					for k = 1, 8 do s:spawn("Talker", { Location = NEAR, Size = 20 + (i * 37 + k * 61 + t:seed() * 17) % 300 }) end
				end
				if i % 7 == 0 then bell:ClientTell(("x"):rep(math.min(250, math.floor(budget / 60)))) end
				if i % 5 == 0 then bell:ClientRing(("x"):rep(40)) end
				t:ticks(1)
			end
			-- KCP looks at what is to be sent again every 10 ms only: what is kept for it is not always used.
			local used = t:transport() == "sim" and 0.95 or 0.85
			t:ge(sent[300] - sent[90], used * budget * 7, "all of it is used, for something always waits")
		end)
	end)
end)
