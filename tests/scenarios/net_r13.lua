-- Section 13 of the rules: what can be seen of the traffic, and why something crosses or does not.

local net = require("shared.net")
local copies, join = net.copies, net.join

local BOX = net.with [[
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

scenario("R13.1 every entry has all counters, and total is more than its parts", function(t)
	local _, a, x, c = BOX.owned(t, "Box", { N = 5 }, "a")
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

scenario("R13.1 counted is what crossed: variables and functions, each client for itself", function(t)
	local s, a, b = BOX.start(t, {}, "a", "b")
	local x, c, d = net.spawn(t, s, "Box", { Owner = s:controller(a) }, a, b)
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
	local s, a, b = BOX.start(t, {}, "a", "b")
	local x, c = net.spawn(t, s, "Box", { Owner = s:controller(a) }, a)
	t:run(0.2)
	for i = 1, 3 do c:ServerSay("no. " .. i) end
	t:within(1, function() return x.asked == "no. 3" end)
	t:eq(entry(t, a, "by_function", "Box.ServerSay").received, 3)
	t:eq(entry(t, a, "by_function", "Box.ServerSay").bytes, 0, "bytes are what the server sent")
	t:eq(entry(t, b, "by_function", "Box.ServerSay").received, 0)
end)

scenario("R13.1 what was lost on the way is counted as lost", function(t)
	local s, a, b = BOX.start(t, {}, { name = "a", loss = 0.3 }, "b")
	local x = net.spawn(t, s, "Box", {}, a, b)
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
	local s, a, b = BOX.start(t, {}, { name = "a", down = 2600 }, { name = "b", down = 1000000 })
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

scenario("R13.2 the answer is in words, with names and numbers: every rule of relevancy", function(t)
	t:scripts(BOX.classes .. [[
		local Picky = class("Picky")
		function Picky:IsNetRelevantFor(viewer) return false end
		local Blind = class("Blind")
		Blind.properties { bNoNetSight = true }
		local Rider = class("Rider")
		Rider.defaults { bNetUseOwnerRelevancy = true }
	]])
	local s, a, b = net.start(t, { level = "wall" }, "a", "b")
	t:within(2, function() return a:pawn() and b:pawn() end)
	s:pawn(a).Location = vector(0, 0, 100)
	local at = s:pawn(a).Location
	local function spawn(class, props) return s:spawn(class, props) end
	local lid, loose = spawn("Lid", { Owner = s:controller(a) }), spawn("Lid")
	local far = spawn("Actor", { Location = vector(0, 5000, 100), NetCullDistance = 777 })
	local near = spawn("Actor", { Location = at + vector(0, 300, 0) })
	local lamp = spawn("Actor", { Location = at + vector(0, 300, 0) })
	lamp:SetBase(near, true)
	local rider = spawn("Rider", { Owner = lid })
	local cause = spawn("Actor", { Location = vector(0, 9000, 100), NetCullDistance = 100, Instigator = s:pawn(a) })
	local behind = spawn("Actor", { Location = vector(1500, 0, 100) })
	local siren = spawn("Actor", { Location = vector(1500, 0, 200), AmbientSound = "sounds/hum.ogg", SoundRadius = 4000 })
	local gone = spawn("Actor", { Location = at + vector(0, -400, 0) })
	t:run(1.5)
	gone.Location = vector(1600, 0, 100)
	t:run(0.5)
	-- Actor, client, rule, what is said: each part must be in it.
	for _, case in ipairs {
		{ spawn("Actor", { Location = at, RemoteRole = ROLE_None }), a, "R3.1", "is not relevant", "has RemoteRole ROLE_None" },
		{ spawn("Actor", { Location = at, bReplicates = false }), a, "R3.1", "is not relevant", "has bReplicates false" },
		{ spawn("Box"), a, "R3.2", "is relevant", "has bAlwaysRelevant" },
		{ lid, a, "R3.4", "is relevant", "has bOnlyRelevantToOwner and its top owner is PlayerController" },
		{ lid, b, "R3.4", "is not relevant", "has bOnlyRelevantToOwner and its top owner is PlayerController" },
		{ loose, a, "R3.4", "is not relevant", "has bOnlyRelevantToOwner and no owner" },
		{ rider, a, "R3.3", "is relevant", "uses the relevancy of its owner Lid", "which answers by R3.4" },
		{ s:pawn(a), a, "R3.5", "is relevant", "is the player's pawn" },
		{ s:controller(a), a, "R3.[45]", "is relevant", "PlayerController" },
		{ cause, a, "R3.5", "is relevant", "the instigator of Actor%S* is the player's pawn Character" },
		{ lamp, a, "R3.6", "is relevant", "is attached to Actor", "which answers by R3.9" },
		{ spawn("Actor", { Location = at, bHidden = true }), a, "R3.7", "is not relevant", "has bHidden, no bBlockPlayers and no AmbientSound" },
		{ far, a, "R3.8", "is not relevant", "is 5000 uu from the view, beyond its NetCullDistance of 777" },
		{ near, a, "R3.9", "is relevant", "is in sight, 30%d uu from the view, within its NetCullDistance of 15000" },
		{ behind, a, "R3.9", "is not relevant", "is out of sight: its centre, top and sides are hidden, 150%d uu from the view" },
		{ siren, a, "R3.9", "is relevant", "is heard %(sounds/hum.ogg%): 150%d uu from the view, within its SoundRadius of 4000" },
		{ gone, a, "R3.10", "is relevant", "was last in sight or heard 0%.%d+ s ago and stays relevant for 5 s, although by R3.9 Actor" },
		{ spawn("Picky"), a, "R3.11", "is not relevant", "IsNetRelevantFor of class Picky says false" },
	} do
		local actor, client, rule = case[1], case[2], case[3]
		local code, text = t:why(client, actor)
		t:match(code, "^" .. rule:gsub("%.", "%%.") .. "$", text)
		t:match(text, " " .. case[4] .. " to PlayerController%S* by " .. rule:gsub("%.", "%%.", 1))
		for n = 5, #case do t:match(text, case[n], code) end
		t:no(text:find("\n"), "one line")
	end
end)

scenario("R13.2 the answer is in words, with names and numbers: every code of a variable", function(t)
	local s, a, b = BOX.start(t, {}, "a", { name = "b", down = 2600 })
	local lid = s:spawn("Lid")
	local x = s:spawn("Box", { Owner = s:controller(a), Mine = 3, Lost = 5, Who = lid, Word = "x", NetUpdateFrequency = 1 })
	local asleep = s:spawn("Box", { N = 3 })
	copies(t, x, a, b)
	copies(t, asleep, a, b)
	asleep:SetNetDormancy(DORM_DormantAll)
	t:run(2)
	-- Actor, variable, client, code, what is said.
	local function said(list)
		for _, case in ipairs(list) do
			local code, text = t:why(case[3], case[1], case[2])
			t:eq(code, case[4], (case[2] or "the actor") .. ": " .. text)
			for n = 5, #case do t:match(text, case[n], code) end
			t:no(text:find("\n"), "one line")
		end
	end
	said {
		{ x, "N", a, "unchanged", "it is at its class default, which costs nothing to send %(R5%.2%)" },
		{ x, "Word", a, "unchanged", "the client has its value", "last sent %d+%.%d+ s ago" },
		{ x, "Mine", b, "condition_false", "its condition %(scripts:%d+:%d+%) is false for this connection", "bNetInitial false, bNetOwner false", "RemoteRole ROLE_SimulatedProxy" },
		{ x, "Shut", a, "condition_false", "its condition %(scripts:%d+:%d+%) is false", "bNetOwner true" },
		{ x, "Lost", a, "never", "Box%.Lost stands in no replication block" },
		{ x, "Who", a, "pending_reference", "it refers to Lid%S*, which the client does not have; it is nil there until then" },
		{ asleep, "N", a, "dormant", "Box%S* sleeps and N did not change; last sent %d+%.%d+ s ago" },
		{ asleep, nil, a, "dormant", "sleeps %(NetDormancy DORM_DormantAll%): the client keeps its copy, nothing is tested" },
	}
	x.N = 1
	t:run(0.1)
	said { { x, "N", a, "sent", "last sent 0%.%d+ s ago" } }
	x.N = 2
	t:run(0.1)
	said { { x, "N", a, "throttled", "NetUpdateFrequency 1 lets it be considered again in 0%.%d+ s" } }
	local list = {}
	for i = 1, 20 do list[i] = s:spawn("Box") end
	t:run(1.5)
	local text
	for i = 1, 60 do
		for _, y in ipairs(list) do y.Word = ("w"):rep(200) .. i end
		t:ticks(1)
		for _, y in ipairs(list) do
			local code, why = t:why(b, y, "Word")
			if code == "throttled" and why:find("bandwidth") then text = why end
		end
	end
	t:match(text or "nothing", "it waits for bandwidth %(2600 B/s%) since %d+%.%d+ s; last sent %d+%.%d+ s ago")
	local brief = net.spawn(t, s, "Box", { bNetTemporary = true }, a)
	t:run(0.5)
	said { { brief, nil, a, "never", "is bNetTemporary: it was sent once and left to the client %(R5%.17%)" } }
	local torn = net.spawn(t, s, "Box", {}, a)
	torn.bTearOff = true
	t:run(0.5)
	said { { torn, nil, a, "never", "is bTearOff: the client keeps its copy as its own %(R5%.18%)" } }
	local c = join(t, s, { name = "c" })
	t:run(0.5)
	said { { torn, nil, c, "never", "is torn off: clients that come later never get it %(R5%.18%)" } }
end)

scenario("R13.2 what was sent of a variable is known by its name, also after a reload", function(t)
	local _, a, x, c = BOX.actor(t, "Box", { Word = "x" }, "a")
	t:run(0.5)
	local text = BOX.classes:gsub("N = int%(0%)", "Before = int(0), N = int(0)", 1)
	t:reload((text:gsub("Box.replication {", 'Box.replication { { "Before" },', 1)))
	t:within(2, function() return pcall(function() return c.Before end) end)
	t:run(1.5)
	for name, words in pairs { N = "it is at its class default", Word = "the client has its value" } do
		local code, why = t:why(a, x, name)
		t:eq(code, "unchanged", name .. ": " .. why)
		t:match(why, words, name)
	end
end)

scenario("R13.2 when a variable was last sent", function(t)
	local _, a, x, c = BOX.actor(t, "Box", {}, "a")
	t:run(0.5)
	local _, before = t:why(a, x, "N")
	x.N = 5
	t:within(1, function() return c.N == 5 end)
	local code, text = t:why(a, x, "N")
	t:ok(code == "sent" or code == "unchanged", "got " .. code)
	t:ne(text, before)
	t:match(text, "%d", "it says when")
end)

scenario("R13.2 asking is free: nothing is sent for it", function(t)
	local s, a = BOX.start(t, {}, "a")
	local x = net.spawn(t, s, "Box", { N = 3 }, a)
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
