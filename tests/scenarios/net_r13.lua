-- Section 13 of the rules: what can be seen of the traffic, and why something crosses or does not.

-- Joins a client for each table of options and waits until all are in.
local function join(t, s, ...)
	local list = {}
	for i, options in ipairs { ... } do
		list[i] = t:client(options)
	end
	t:within(5, function()
		for _, c in ipairs(list) do
			if not s:controller(c) or not c:controller() then
				return false
			end
		end
		return true
	end)
	return unpack(list)
end

-- Waits until each client has a copy of an actor and gives the copies.
local function copies(t, actor, ...)
	local list = {}
	for i, client in ipairs { ... } do
		list[i] = t:within(3, function() return client:copy(actor) end)
	end
	return unpack(list)
end

local BOX = [[
	local Box = class("Box")
	Box.properties { N = int(0), Word = "", Mine = int(0), Once = int(0), Off = int(0), Lost = int(0), Who = ref("Actor"), bOn = false, Shut = int(0) }
	Box.defaults { bAlwaysRelevant = true }
	Box.replication {
		{ "N", "Word", "Who" },
		{ "Mine", when = COND_OwnerOnly },
		{ "Once", when = COND_InitialOnly },
		{ "Off", when = COND_Never },
		{ "Shut", when = function(self) return self.bOn end },
	}
	function Box.client.reliable:ClientSay(w) self.said = w end
	function Box.multicast:AllHum(w) self.hummed = w end
	function Box.server.reliable:ServerSay(w) self.asked = w end
	function Box.validate:ServerSay(_) return true end
	Box.params { ClientSay = { "" }, AllHum = { "" }, ServerSay = { "" } }
	local Lid = class("Lid")
	Lid.defaults { bOnlyRelevantToOwner = true }
]]

local KEYS = { "bytes", "count", "sent", "received", "lost", "throttled", "dropped" }

-- what one table of traffic has by a name, all 0 where it has nothing.
local function entry(t, client, kind, name)
	local e = t:traffic(client)[kind][name]
	if e then return e end
	e = {}
	for _, key in ipairs(KEYS) do e[key] = 0 end
	return e
end

-- R13.1

scenario("R13.1 every entry has all counters, and total is more than its parts", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Box", { Owner = s:controller(a), N = 5 })
	local c = copies(t, x, a)
	x:ClientSay("hello")
	x.Word = "hello"
	t:within(1, function() return c.said and c.Word == "hello" end)
	local traffic = t:traffic(a)
	local sum = 0
	for _, kind in ipairs { "by_class", "by_property", "by_function" } do
		for name, e in pairs(traffic[kind]) do
			t:match(name, kind == "by_class" and "^%a%w*$" or "^%a%w*%.%a%w*$")
			for _, key in ipairs(KEYS) do
				t:ok(type(e[key]) == "number" and e[key] >= 0, kind .. " " .. name .. " " .. key)
			end
			if kind ~= "by_class" then sum = sum + e.bytes end
		end
	end
	for _, key in ipairs(KEYS) do t:ok(type(traffic.total[key]) == "number", "total " .. key) end
	t:gt(sum, 0)
	t:gt(traffic.total.bytes, sum, "headers and opens count, too")
end)

scenario("R13.1 a class has the bytes of its variables and functions, and no more than all", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Box", { Owner = s:controller(a) })
	local c = copies(t, x, a)
	for i = 1, 10 do
		x.N, x.Word = i, "word " .. i
		x:ClientSay("say " .. i)
		t:ticks(4)
	end
	t:within(1, function() return c.N == 10 and c.said == "say 10" end)
	local traffic = t:traffic(a)
	local parts, class = 0, 0
	for _, kind in ipairs { "by_property", "by_function" } do
		for name, e in pairs(traffic[kind]) do
			if name:match("^Box%.") then parts = parts + e.bytes end
		end
	end
	for _, e in pairs(traffic.by_class) do class = class + e.bytes end
	t:gt(parts, 0)
	t:ge(traffic.by_class.Box.bytes, parts)
	t:le(class, traffic.total.bytes)
end)

scenario("R13.1 counted is what crossed: variables and functions, each client for itself", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local x = s:spawn("Box", { Owner = s:controller(a) })
	local c, d = copies(t, x, a, b)
	t:run(0.3)
	t:eq(entry(t, a, "by_property", "Box.N").bytes, 0)
	for i = 1, 5 do
		x.N, x.Mine = i, i
		x:ClientSay("x")
		x:AllHum("y")
		t:run(0.1)
	end
	t:within(1, function() return c.N == 5 and c.Mine == 5 and d.N == 5 and c.said end)
	t:run(0.2)
	for _, client in ipairs { a, b } do
		local n = entry(t, client, "by_property", "Box.N")
		t:ge(n.count, 5)
		t:ge(n.bytes, n.count)
		t:eq(entry(t, client, "by_function", "Box.AllHum").count, 5)
	end
	t:ge(entry(t, a, "by_property", "Box.Mine").count, 5)
	t:eq(entry(t, b, "by_property", "Box.Mine").bytes, 0)
	t:eq(entry(t, a, "by_function", "Box.ClientSay").count, 5)
	t:eq(entry(t, b, "by_function", "Box.ClientSay").bytes, 0)
	for _, name in ipairs { "Word", "Off", "Shut", "Lost" } do
		t:eq(entry(t, a, "by_property", "Box." .. name).bytes, 0, name)
	end
end)

scenario("R13.1 what a client sends is counted as received", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local x = s:spawn("Box", { Owner = s:controller(a) })
	local c = copies(t, x, a)
	t:run(0.2)
	for i = 1, 3 do c:ServerSay("no. " .. i) end
	t:within(1, function() return x.asked == "no. 3" end)
	t:eq(entry(t, a, "by_function", "Box.ServerSay").received, 3)
	t:eq(entry(t, a, "by_function", "Box.ServerSay").bytes, 0, "bytes are what the server sent")
	t:eq(entry(t, b, "by_function", "Box.ServerSay").received, 0)
end)

scenario("R13.1 what was lost on the way is counted as lost", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a, b = join(t, s, { name = "a", loss = 0.3 }, { name = "b" })
	local x = s:spawn("Box")
	copies(t, x, a, b)
	for i = 1, 60 do
		x.N = i
		t:ticks(2)
	end
	t:run(0.5)
	local lost = entry(t, a, "by_property", "Box.N").lost
	t:gt(lost, 3)
	t:lt(lost, 45)
	t:eq(entry(t, b, "by_property", "Box.N").lost, 0)
	t:gt(t:traffic(a).total.lost, 0)
end)

scenario("R13.1 what bandwidth makes wait is counted as throttled", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a, b = join(t, s, { name = "a", down = 2600 }, { name = "b", down = 1000000 })
	local list = {}
	for i = 1, 20 do list[i] = s:spawn("Box") end
	for i = 1, 90 do
		for _, x in ipairs(list) do x.Word = ("w"):rep(100) .. i end
		t:ticks(1)
	end
	local throttled = 0
	for _, kind in ipairs { "by_property", "by_class" } do
		for name, e in pairs(t:traffic(a)[kind]) do
			if name:match("^Box") then throttled = throttled + e.throttled end
		end
	end
	t:gt(throttled, 0)
	t:eq(entry(t, b, "by_property", "Box.Word").throttled, 0)
end)

scenario("R13.1 the budget bounds the bytes, all kinds together", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a = join(t, s, { name = "a", down = 5000 })
	local list = {}
	for i = 1, 20 do list[i] = s:spawn("Box") end
	t:run(1)
	local before = t:traffic(a).total.bytes
	for i = 1, 120 do
		for _, x in ipairs(list) do
			x.Word = ("w"):rep(50) .. i
			x:AllHum("hum")
		end
		t:ticks(1)
	end
	local sent = t:traffic(a).total.bytes - before
	t:le(sent, 2 * 5000 + 1500)
	t:ge(sent, 2 * 5000 * 0.7, "and it is used")
end)

scenario("R13.1 nothing changes, hardly anything is sent", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	for i = 1, 20 do s:spawn("Box", { N = i }) end
	t:run(1.5)
	local before = t:traffic(a)
	t:run(1)
	local after = t:traffic(a)
	t:lt(after.total.bytes - before.total.bytes, 1500)
	for name, e in pairs(after.by_property) do
		if name:match("^Box%.") then t:eq(e.bytes, before.by_property[name].bytes, name) end
	end
end)

-- R13.2

scenario("R13.2 why an actor is relevant: the rule that decided", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	t:within(2, function() return a:pawn() and b:pawn() end)
	local always = s:spawn("Box")
	local lid = s:spawn("Lid", { Owner = s:controller(a) })
	local near = s:spawn("Actor", { Location = s:pawn(a).Location + vector(200, 0, 100) })
	local far = s:spawn("Actor", { Location = vector(500, 0, 100), NetCullDistance = 100 })
	local hidden = s:spawn("Actor", { Location = near.Location, bHidden = true })
	local none = s:spawn("Actor", { RemoteRole = ROLE_None, Location = near.Location })
	t:run(1.5)
	t:eq(t:why(a, always), "R3.2")
	t:eq(t:why(a, lid), "R3.4")
	t:eq(t:why(b, lid), "R3.4")
	t:eq(t:why(a, s:pawn(a)), "R3.5")
	t:eq(t:why(a, near), "R3.9")
	t:eq(t:why(a, far), "R3.8")
	t:eq(t:why(a, hidden), "R3.7")
	t:eq(t:why(a, none), "R3.1")
end)

scenario("R13.2 the answer is in words, with names and numbers", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local lid = s:spawn("Lid", { Owner = s:controller(a) })
	local far = s:spawn("Actor", { Location = vector(5000, 0, 100), NetCullDistance = 777 })
	t:run(0.5)
	local _, mine = t:why(a, lid)
	local _, theirs = t:why(b, lid)
	local _, distance = t:why(a, far)
	t:ne(mine, theirs, "relevant and not relevant read differently")
	t:match(distance, "777")
	t:gt(#mine, 15)
end)

scenario("R13.2 why a variable is not sent: condition, unchanged, never", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local x = s:spawn("Box", { Owner = s:controller(a), Mine = 3, Shut = 4, Lost = 5 })
	copies(t, x, a, b)
	t:run(1)
	t:eq(t:why(a, x, "N"), "unchanged", "it is still its default")
	t:eq(t:why(b, x, "Mine"), "condition_false")
	t:eq(t:why(a, x, "Shut"), "condition_false")
	t:eq(t:why(a, x, "Lost"), "never", "no rule names it")
	x.Once = 9
	t:run(0.5)
	t:eq(t:why(a, x, "Once"), "condition_false")
	x.bOn = true
	t:run(0.5)
	t:ne(t:why(a, x, "Shut"), "condition_false")
end)

scenario("R13.2 when a variable was last sent", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Box")
	local c = copies(t, x, a)
	t:run(0.5)
	local _, before = t:why(a, x, "N")
	x.N = 5
	t:within(1, function() return c.N == 5 end)
	local code, text = t:why(a, x, "N")
	t:ok(code == "sent" or code == "unchanged", "got " .. code)
	t:ne(text, before)
	t:match(text, "%d", "it says when")
end)

scenario("R13.2 a variable that waits for bandwidth says so", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a = join(t, s, { name = "a", down = 2600 })
	local list = {}
	for i = 1, 20 do list[i] = s:spawn("Box") end
	t:run(1.5)
	local said = false
	for i = 1, 60 do
		for _, x in ipairs(list) do x.Word = ("w"):rep(200) .. i end
		t:ticks(1)
		for _, x in ipairs(list) do said = said or t:why(a, x, "Word") == "throttled" end
	end
	t:ok(said)
end)

scenario("R13.2 a reference to an actor the client does not have is pending", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local lid = s:spawn("Lid")
	local x = s:spawn("Box", { Who = lid })
	local c = copies(t, x, a)
	t:run(0.5)
	t:eq(t:why(a, x, "Who"), "pending_reference")
	lid.Owner = s:controller(a)
	t:within(2, function() return c.Who end)
	t:run(0.3)
	t:ne(t:why(a, x, "Who"), "pending_reference")
end)

scenario("R13.2 a dormant actor says so", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Box", { N = 3 })
	local c = copies(t, x, a)
	t:within(1, function() return c.N == 3 end)
	x:SetNetDormancy(DORM_DormantAll)
	t:run(1.5)
	t:eq(t:why(a, x, "N"), "dormant")
	t:ok(c.alive)
	x.N = 4
	t:within(1, function() return c.N == 4 end)
end)

scenario("R13.2 asking is free: nothing is sent for it", function(t)
	t:scripts(BOX)
	local s = t:server{}
	local a = join(t, s, { name = "a" })
	local x = s:spawn("Box", { N = 3 })
	copies(t, x, a)
	t:run(1)
	local before = t:traffic(a)
	for _ = 1, 50 do
		t:why(a, x)
		t:why(a, x, "N")
	end
	t:eq(t:traffic(a).total.bytes, before.total.bytes)
	t:error(function() t:why(a, x, "Nonsense") end, "Nonsense")
	t:error(function() t:why(s, x) end, "client")
end)
