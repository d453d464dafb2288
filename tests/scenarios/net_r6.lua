-- Section 6 of the rules over the network: where replicated functions run, R6.1 to R6.3. Order and times are in
-- net_r6_order.lua, what guards the server in net_r6_guard.lua, references and
-- overrides in net_r6_refs.lua.

local net = require("shared.net")
local copies, join = net.copies, net.join

-- One function of each kind, reliable (R) and not (U); each notes that it ran. @ is the class.
local FUNCTIONS = [[
	function @:Mark(name)
		local ran = self.ran or {}
		ran[name] = (ran[name] or 0) + 1
		self.ran = ran
	end
	function @:Plain() self:Mark("Plain") end
	function @.server:ServerU() self:Mark("ServerU") end
	function @.server.reliable:ServerR() self:Mark("ServerR") end
	function @.client:ClientU() self:Mark("ClientU") end
	function @.client.reliable:ClientR() self:Mark("ClientR") end
	function @.multicast:AllU() self:Mark("AllU") end
	function @.multicast.reliable:AllR() self:Mark("AllR") end
	function @.remote:RemoteU() self:Mark("RemoteU") end
	function @.remote.reliable:RemoteR() self:Mark("RemoteR") end
	@.params { ServerU = {}, ServerR = {}, ClientU = {}, ClientR = {}, AllU = {}, AllR = {}, RemoteU = {}, RemoteR = {} }
]]

local BELL = net.with([[
	local Clapper = class("Clapper", "ActorComponent")
]] .. FUNCTIONS:gsub("@", "Clapper") .. [[
	local Bell = class("Bell")
	Bell.defaults { bAlwaysRelevant = true }
	Bell.components { Part = "Clapper" }
]] .. FUNCTIONS:gsub("@", "Bell"))

local NAMES = { "Plain", "ServerU", "ServerR", "ClientU", "ClientR", "AllU", "AllR", "RemoteU", "RemoteR" }

-- Calls everything on one peer's copy and checks on which peers what ran. where has by kind a letter for each peer
-- that must run it: s the server, a and b the clients. A kind it does not have is not called.
local function ring(t, peers, x, part, caller, where)
	for _, name in ipairs(NAMES) do
		local kind = name:gsub("[UR]$", "")
		if where[kind] then
			local h = peers[caller]:copy(x)
			peers[caller]:call(part and h.Part or h, name)
		end
	end
	local expected, had = {}, {}
	for letter, peer in pairs(peers) do
		expected[letter] = {}
		for _, name in ipairs(NAMES) do
			local on = where[name:gsub("[UR]$", "")]
			if on and on:find(letter, 1, true) then expected[letter][name] = 1 end
		end
		local h = peer:copy(x)
		had[letter] = part and h.Part or h
	end
	-- All that is to come, and then some time for what is not.
	for tries = 1, 20 do
		t:run(0.1)
		local all = true
		for letter, names in pairs(expected) do
			for name in pairs(names) do all = all and (had[letter].ran or {})[name] ~= nil end
		end
		if all and tries > 1 then break end
	end
	t:run(0.2)
	for letter, peer in pairs(peers) do
		t:eq(had[letter].ran or {}, expected[letter], "what ran on " .. peer.name)
	end
end

for_each({ "server", "client", "multicast", "remote" }, function(kind)
	scenario("R6.1 " .. kind .. ": unreliable is the default, reliable calls outlast a silence", function(t)
		t:scripts(([[
			local Bell = class("Bell")
			Bell.defaults { bAlwaysRelevant = true }
			function Bell.@:Bare() self.bare = true end
			function Bell.@.unreliable:Loose() self.loose = true end
			function Bell.@.reliable:Firm() self.firm = (self.firm or 0) + 1 end
			Bell.params { Bare = {}, Loose = {}, Firm = {} }
		]]):gsub("@", kind))
		local _, a, x, c = net.owned(t, "Bell", {}, "a")
		local from, to = x, c
		if kind == "server" then from, to = c, x end
		t:run(0.2)
		from:Bare()
		from:Loose()
		t:within(0.5, function() return to.bare and to.loose end)
		to.bare, to.loose = nil, nil
		a:link{ loss = 1 }
		from:Bare()
		from:Loose()
		from:Firm()
		t:run(0.2)
		t:eq(to.firm, nil)
		a:link{ loss = 0 }
		t:within(3, function() return to.firm end)
		t:run(0.3)
		t:eq({ to.bare, to.loose, to.firm }, { nil, nil, 1 })
	end)
end)

scenario("R6.2 a call that goes away returns at once and returns nothing", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.defaults { bAlwaysRelevant = true }
		function Bell.client.reliable:ClientAsk(n) self.asked = n return n + 1 end
		function Bell.server.reliable:ServerAsk(n) self.asked = n return n + 1 end
		Bell.params { ClientAsk = { int(0) }, ServerAsk = { int(0) } }
		function Bell:Ask() return select("#", self:ClientAsk(1)), self.asked end
	]]
	local _, _, x, c = net.owned(t, "Bell", {}, "a")
	local n, asked = x:Ask()
	t:eq({ n, asked }, { 0, nil })
	t:eq({ c:ServerAsk(2), x.asked }, { nil, nil })
	t:within(1, function() return c.asked == 1 and x.asked == 2 end)
end)

scenario("R6.2 nothing waits: calls that answer each other go on for as long as they like", function(t)
	t:scripts [[
		local Ball = class("Ball")
		Ball.defaults { bAlwaysRelevant = true }
		function Ball.client.reliable:ClientPing(n)
			self.count = n
			self:ServerPong(n + 1)
			self.after = n
		end
		function Ball.server.reliable:ServerPong(n)
			self.count = n
			if n < 10 then self:ClientPing(n + 1) end
			self.after = n
		end
		Ball.params { ClientPing = { int(0) }, ServerPong = { int(0) } }
	]]
	local _, _, x, c = net.owned(t, "Ball", {}, { name = "a", lag = 0.02 })
	x:ClientPing(1)
	t:within(3, function() return x.after == 10 end)
	t:eq({ x.count, c.count, c.after }, { 10, 9, 9 })
end)

scenario("R6.2 arguments do not change: what a function does to its own stays its own", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.defaults { bAlwaysRelevant = true }
		function Bell.multicast.reliable:AllTake(n, v)
			self.got = { n, v }
			n, v = n * 100, v * 100
			self.made = { n, v }
		end
		Bell.params { AllTake = { int(0), vector(0, 0, 0) } }
		function Bell:Give()
			local n, v = 3, vector(1, 2, 3)
			self:AllTake(n, v)
			self:AllTake(n, v)
			return n, v
		end
	]]
	local _, _, x, c = net.actor(t, "Bell", {}, "a")
	local n, v = x:Give()
	t:eq({ n, v }, { 3, vector(1, 2, 3) })
	t:within(1, function() return c.got end)
	t:run(0.1)
	t:eq({ c.got, x.got }, { { 3, vector(1, 2, 3) }, { 3, vector(1, 2, 3) } })
end)

local ON_SERVER = { Plain = "s", All = "sab", Server = "s", Client = "s", Remote = "s" }
local MATRIX = {
	{ on = "s", owner = "a", { Plain = "s", All = "sab", Server = "s", Client = "a", Remote = "a" } },
	{ on = "s", owner = "b", { Plain = "s", All = "sab", Server = "s", Client = "b", Remote = "b" } },
	{ on = "s", owner = "the server", ON_SERVER },
	{ on = "s", owner = "nobody", ON_SERVER },
	{ on = "a", owner = "a", { Plain = "a", All = "a", Server = "s", Client = "a", Remote = "s" } },
	{ on = "a", owner = "b", { Plain = "a", All = "a", Server = "", Client = "a", Remote = "" } },
	-- What "remote" does for a client and an actor of the server's own is shown with a listen server below.
	{ on = "a", owner = "the server", { Plain = "a", All = "a", Server = "", Client = "a" } },
	{ on = "a", owner = "nobody", { Plain = "a", All = "a", Server = "", Client = "a", Remote = "a" } },
}

for_each(MATRIX, function(case)
	for _, part in ipairs { false, true } do
		local what = part and "component" or "actor"
		scenario("R6.3 called on " .. case.on .. ", owned by " .. case.owner .. ": " .. what, function(t)
			local s, a, b = BELL.start(t, {}, "a", "b")
			local peers = { s = s, a = a, b = b }
			local owner
			if case.owner == "the server" then
				owner = s:spawn("Actor", { bAlwaysRelevant = true })
			elseif peers[case.owner] then
				owner = s:controller(peers[case.owner])
			end
			local x = net.spawn(t, s, "Bell", { Owner = owner }, a, b)
			t:run(0.2)
			ring(t, peers, x, part, case.on, case[1])
		end)
	end
end)

for_each({
	{ on = "s", owner = "the listen server's player", { Plain = "s", All = "sa", Server = "s", Client = "s", Remote = "s" } },
	{ on = "s", owner = "nobody", { Plain = "s", All = "sa", Server = "s", Client = "s", Remote = "s" } },
	{ on = "s", owner = "a", { Plain = "s", All = "sa", Server = "s", Client = "a", Remote = "a" } },
	{ on = "a", owner = "the listen server's player", { Plain = "a", All = "a", Server = "", Client = "a", Remote = "" } },
	{ on = "a", owner = "a", { Plain = "a", All = "a", Server = "s", Client = "a", Remote = "s" } },
	{ on = "a", owner = "nobody", { Plain = "a", All = "a", Server = "", Client = "a", Remote = "a" } },
}, function(case)
	scenario("R6.3 listen server: called on " .. case.on .. ", owned by " .. case.owner, function(t)
		local s, a = BELL.start(t, { mode = "listen" }, "a")
		local owners = { a = s:controller(a), ["the listen server's player"] = s:controller() }
		local x = net.spawn(t, s, "Bell", { Owner = owners[case.owner] }, a)
		t:run(0.2)
		ring(t, { s = s, a = a }, x, false, case.on, case[1])
	end)
end)

scenario("R6.3 who comes later hears nothing of calls made before, reliable or not", function(t)
	local s, _, x, ca = BELL.actor(t, "Bell", {}, "a")
	x:AllR()
	x:AllU()
	t:within(1, function() return ca.ran and ca.ran.AllR and ca.ran.AllU end)
	local b = join(t, s, { name = "b" })
	local cb = copies(t, x, b)
	t:run(0.3)
	t:eq(cb.ran, nil)
	x:AllR()
	t:within(1, function() return cb.ran end)
	t:eq(cb.ran, { AllR = 1 })
end)

scenario("R6.3 dropped: logged once a class and function with the reason, counted, no error in the script", function(t)
	t:scripts(BELL.classes .. [[
		local Try = class("Try")
		Try.defaults { bAlwaysRelevant = true }
		function Try:Ring(bell) bell:ServerR() return "went on" end
	]])
	local s, a, b = net.start(t, {}, "a", "b")
	local x, y = s:spawn("Bell", { Owner = s:controller(b) }), s:spawn("Bell")
	local try = s:spawn("Try")
	local cx, cy, ct = copies(t, x, a), copies(t, y, a), copies(t, try, a)
	copies(t, x, b)
	t:run(0.2)
	for _ = 1, 3 do t:eq(ct:Ring(cx), "went on") end
	t:eq(ct:Ring(cy), "went on")
	cx:ServerU()
	t:run(0.3)
	t:eq({ x.ran, y.ran }, { nil, nil })
	local reliable, unreliable = 0, 0
	for _, line in ipairs(a:log()) do
		if line:find("Bell:ServerR", 1, true) then reliable = reliable + 1 end
		if line:find("Bell:ServerU", 1, true) then unreliable = unreliable + 1 end
	end
	t:eq({ reliable, unreliable }, { 1, 1 }, "once a class and function")
	t:eq(t:traffic(a).by_function["Bell.ServerR"].dropped, 4)
	t:eq(t:traffic(a).by_function["Bell.ServerU"].dropped, 1)
end)
