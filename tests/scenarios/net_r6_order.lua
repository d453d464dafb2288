-- Section 6 of the rules over the network: in which order and when replicated calls arrive, R6.4 and R6.5.

local net = require("shared.net")
local copies = net.copies

-- Each call notes its number in a list; N is what the copy held then.
local SAYER = net.with [[
	local Voice = class("Voice", "ActorComponent")
	function Voice.client.reliable:ClientSay(n) self:GetOwner():Hear(n) end
	function Voice.server.reliable:ServerSay(n) self:GetOwner():Hear(n) end
	Voice.params { ClientSay = { int(0) }, ServerSay = { int(0) } }

	local Sayer = class("Sayer")
	Sayer.properties { N = int(0) }
	Sayer.defaults { bAlwaysRelevant = true }
	Sayer.components { Voice = "Voice" }
	Sayer.replication { { "N" } }
	function Sayer:Hear(n)
		local list = self.heard or {}
		list[#list + 1] = n
		self.heard = list
		local held = self.held or {}
		held[#held + 1] = self.N
		self.held = held
		-- What is heard outlives the actor.
		local state = world.GameState
		if state then state.notes = (state.notes or "") .. n .. " " end
	end
	function Sayer.client.reliable:ClientSay(n) self:Hear(n) end
	function Sayer.client:ClientMurmur(n) self:Hear(n) end
	function Sayer.server.reliable:ServerSay(n) self:Hear(n) end
	function Sayer.server:ServerMurmur(n) self:Hear(n) end
	function Sayer.multicast.reliable:AllSay(n) self:Hear(n) end
	Sayer.params {
		ClientSay = { int(0) }, ClientMurmur = { int(0) }, ServerSay = { int(0) }, ServerMurmur = { int(0) }, AllSay = { int(0) },
	}
	function Sayer.simulated:Destroyed()
		local state = world.GameState
		if state then state.notes = (state.notes or "") .. "gone " end
	end
]]

local BAD = { name = "a", lag = 0.03, jitter = 0.03, loss = 0.2, dup = 0.2, reorder = 0.2 }

-- 1, 2, … n
local function count(n)
	local list = {}
	for i = 1, n do list[i] = i end
	return list
end

for_each({ "ClientSay", "AllSay", "ServerSay" }, function(name)
	scenario("R6.4 reliable calls arrive once and in order whatever the link does: " .. name, { seeds = 5 }, function(t)
		local s, a = SAYER.start(t, {}, BAD)
		local x, c = net.spawn(t, s, "Sayer", { Owner = s:controller(a) }, a)
		t:run(0.3)
		local from, to = x, c
		if name == "ServerSay" then from, to = c, x end
		local peer = name == "ServerSay" and a or s
		for i = 1, 40 do
			peer:call(from, name, i)
			if i % 3 == 0 then t:ticks(1) end
		end
		t:within(6, function() return to.heard and #to.heard >= 40 end)
		t:run(0.3)
		t:eq(to.heard, count(40))
	end)
end)

scenario("R6.4 order holds across an actor and its components", { seeds = 5 }, function(t)
	local s, a = SAYER.start(t, {}, BAD)
	local x, c = net.spawn(t, s, "Sayer", { Owner = s:controller(a) }, a)
	t:run(0.3)
	for i = 1, 20 do
		local from = i % 2 == 0 and x or x.Voice
		from:ClientSay(i)
		local back = i % 2 == 0 and c.Voice or c
		back:ServerSay(i)
		if i % 4 == 0 then t:ticks(1) end
	end
	t:within(6, function() return c.heard and x.heard and #c.heard >= 20 and #x.heard >= 20 end)
	t:eq({ c.heard, x.heard }, { count(20), count(20) })
end)

scenario("R6.4 a call made while the actor is relevant arrives before it closes, one made later does not", function(t)
	local s, a = SAYER.start(t, {}, { name = "a", lag = 0.05 })
	t:within(3, function() return a:eval("return world.GameState") end)
	local x = net.spawn(t, s, "Sayer", { Owner = s:controller(a), bAlwaysRelevant = false, bOnlyRelevantToOwner = true }, a)
	t:run(0.3)
	x:AllSay(1)
	x:ClientSay(2)
	x.Owner = nil
	t:within(2, function() return a:copy(x) == nil end)
	x:AllSay(3)
	t:run(0.3)
	x.Owner = s:controller(a)
	local c = copies(t, x, a)
	t:run(0.3)
	t:eq(a:eval("return world.GameState.notes"), "1 2 gone ")
	t:eq(c.heard, nil)
	x:AllSay(4)
	t:within(1, function() return c.heard end)
	t:eq(c.heard, { 4 })
end)

scenario("R6.4 a life of one tick: opened, called and gone in this order", function(t)
	local s, a = SAYER.start(t, {}, "a")
	t:within(3, function() return a:eval("return world.GameState") end)
	local x = s:spawn("Sayer", { Owner = s:controller(a) })
	x:ClientSay(1)
	x:AllSay(2)
	x:Destroy()
	t:within(2, function() return (a:eval("return world.GameState.notes") or ""):find("gone") end)
	t:eq(a:eval("return world.GameState.notes"), "1 2 gone ")
	t:eq(#a:actors("Sayer"), 0)
end)

for_each({ "ClientMurmur", "ServerMurmur" }, function(name)
	scenario("R6.4 unreliable calls may be lost, doubled by nobody: " .. name, { seeds = 5 }, function(t)
		local _, a, x, c = SAYER.owned(t, "Sayer", {}, { name = "a", lag = 0.02, dup = 0.5, reorder = 0.2 })
		local to = name == "ServerMurmur" and x or c
		local function murmur()
			for i = 1, 60 do
				if name == "ServerMurmur" then c:ServerMurmur(i) else x:ClientMurmur(i) end
				t:ticks(1)
			end
			t:run(0.5)
			local seen = {}
			for _, n in ipairs(to.heard or {}) do
				t:eq(seen[n], nil, "call " .. n .. " came twice")
				seen[n] = true
			end
			return #(to.heard or {})
		end
		t:run(0.2)
		t:ge(murmur(), 40, "hardly any loss")
		to.heard = nil
		a:link{ loss = 0.5 }
		local n = murmur()
		t:gt(n, 5)
		t:lt(n, 58)
	end)
end)

for_each({ "ClientSay", "ClientMurmur", "AllSay", "ServerSay", "ServerMurmur" }, function(name)
	scenario("R6.5 a call goes out in the tick it is made, not at the net update: " .. name, function(t)
		local s, a = SAYER.start(t, { tick = 60, net = 1 }, "a")
		local x, c = net.spawn(t, s, "Sayer", { Owner = s:controller(a) }, a)
		local up = name:sub(1, 6) == "Server"
		local from, to = x, c
		if up then from, to = c, x end
		t:run(1)
		for i = 1, 4 do
			(up and a or s):call(from, name, i)
			-- Three ticks of either side, and on real sockets some patience.
			t:within(0.12, function() return #(to.heard or {}) == i end)
			t:run(0.2)
		end
	end)
end)

scenario("R6.5 a queue of 200 reliable calls is no reason to close", function(t)
	local s, a, x, c = SAYER.owned(t, "Sayer", {}, "a")
	t:run(0.2)
	a:link{ loss = 1 }
	for i = 1, 200 do x:ClientSay(i) end
	t:run(3)
	a:link{ loss = 0 }
	t:within(3, function() return #(c.heard or {}) == 200 end)
	t:eq(c.heard, count(200))
	t:ok(s:controller(a))
end)

scenario("R6.5 an overfull queue closes that connection with a reason, never the server or another", function(t)
	local s, a, b = SAYER.start(t, {}, "a", "b")
	local x, y = s:spawn("Sayer", { Owner = s:controller(a) }), s:spawn("Sayer", { Owner = s:controller(b) })
	copies(t, x, a)
	local c = copies(t, y, b)
	a:link{ loss = 1 }
	for i = 1, 300 do x:ClientSay(i) end
	t:run(1.5)
	t:ok(s:controller(a), "a client has two seconds to acknowledge")
	t:within(2, function() return s:controller(a) == nil end)
	a:link{ loss = 0 }
	y:ClientSay(1)
	t:within(1, function() return c.heard end)
	t:ok(s:controller(b))
	t:eq(b.error, nil)
	local told = false
	for _, line in ipairs(s:log()) do told = told or line:lower():find("reliable") ~= nil end
	t:ok(told, "the server's log says why")
	t:within(15, function() return a.error end)
end)

scenario("R6.5 a client that acknowledges is not closed, however many calls wait", { seeds = 5 }, function(t)
	local s, a = SAYER.start(t, { config = { reliable_queue = 20 } }, { name = "a", lag = 0.2, loss = 0.05 })
	local x, c = net.spawn(t, s, "Sayer", { Owner = s:controller(a) }, a)
	t:run(0.3)
	for i = 1, 1000 do x:ClientSay(i) end
	t:within(10, function() return #(c.heard or {}) == 1000 end)
	t:eq(c.heard, count(1000))
	t:ok(s:controller(a))
end)

for_each({ { 15, true }, { 25, false } }, function(case)
	scenario("R6.5 how long the queue may grow is configurable: 20, and " .. case[1] .. " calls", function(t)
		local s, a = SAYER.start(t, { config = { reliable_queue = 20 } }, "a")
		local x = net.spawn(t, s, "Sayer", { Owner = s:controller(a) }, a)
		t:run(0.3)
		a:link{ loss = 1 }
		for i = 1, case[1] do x:ClientSay(i) end
		t:run(3)
		t:eq(s:controller(a) ~= nil, case[2])
	end)
end)
