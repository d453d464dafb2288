-- How copies begin, end and change hands (R2.2, R3, R5.1, R5.16 to R5.20) where one packet of it is lost.

local net = require("shared.net")
local joined = net.joined

local NEAR = vector(600, -1800, 100) -- in sight of a, who stands at (0, -2000), and of b, at (0, -1600)

local CHEST = net.with [[
	local Lock = class("Lock", "ActorComponent")
	Lock.properties { Pins = int(0), Mine = int(0) }
	Lock.replication { { "Pins" }, { "Mine", when = COND_OwnerOnly } }

	local Chest = class("Chest")
	Chest.properties { N = int(0), Text = str("", { max = 300 }), Arr = array(int(0), 5), Mine = int(0), To = ref("Actor"), Wish = int(0, { min = 0, max = 99 }) }
	Chest.components { Lock = "Lock" }
	Chest.defaults { RemoteRole = ROLE_AutonomousProxy }
	Chest.replication {
		{ "N", notify = true }, { "Text", "Arr", "To" }, { "Mine", when = COND_OwnerOnly },
		{ "Wish", when = function(self) return self.Role < ROLE_Authority end },
	}
	function Chest.simulated:PostNetBeginPlay() self.began = self.N .. self.Text .. self.Arr[5] .. ":" .. self.Lock.Pins end
	function Chest:OnRep_N(old) self.story = (self.story or "") .. old .. ">" .. self.N .. (self.began and "late" or "") .. " " end
	function Chest:TornOff() self.torn = (self.torn or "") .. self.N end

	local Tank = class("Tank", "Character")
	Tank.properties { Drives = int(0), Watches = int(0), Mine = int(0) }
	Tank.replication {
		{ "Drives", when = COND_AutonomousOnly, notify = true }, { "Watches", when = COND_SimulatedOnly, notify = true }, { "Mine", when = COND_OwnerOnly },
	}
	function Tank:OnRep_Drives() self.roles = (self.roles or "") .. "D" .. self.Role .. " " end
	function Tank:OnRep_Watches() self.roles = (self.roles or "") .. "W" .. self.Role .. " " end
]]

local function players(t, config, ...)
	local s = CHEST.server(t, { config = config })
	local list = {}
	for i, name in ipairs { ... } do list[i] = t:client { name = name, lag = 0.03 } end
	joined(t, s, unpack(list))
	t:run(0.3)
	return s, unpack(list)
end

-- lose loses what crosses in one direction during a net update and a half, some ticks from now.
local function lose(t, way, at, ...)
	t:ticks(at)
	for _, c in ipairs { ... } do c:link { [way] = 1 } end
	t:ticks(3)
	for _, c in ipairs { ... } do c:link { loss = 0 } end
end

-- count is how often a client's trace tells an event of an actor.
local function count(t, c, x, event)
	local n = 0
	for _, e in ipairs(t:trace(c)) do
		if e.actor == x and e.event == event then n = n + 1 end
	end
	return n
end

for_each({ "loss_down", "loss_up" }, function(way)
	scenario("R5.1 R5.22 a copy begins once and with all its values, whichever packet of its opening is lost: " .. way, { transport = "sim" }, function(t)
		local s, a = players(t, nil, "a")
		for at = 0, 9 do
			local x = s:spawn("Chest", { Location = NEAR, N = 5, Text = ("t"):rep(200) })
			x.Arr[5], x.Lock.Pins = 7, 8
			lose(t, way, at, a)
			local c = t:within(1.5, function() return a:copy(x) and a:copy(x).began and a:copy(x) end, "lost at " .. at)
			t:eq({ c.began, c.story }, { "5" .. ("t"):rep(200) .. "7:8", "0>5 " })
			x.N = 6
			t:within(1, function() return c.N == 6 end)
			t:eq(count(t, a, x, "opened"), 1)
		end
	end)

	scenario("R5.17 R5.22 a temporary actor has its initial values, and no later ones, whichever packet is lost: " .. way, { transport = "sim" }, function(t)
		local s, a = players(t, nil, "a")
		for at = 0, 9 do
			local x = s:spawn("Chest", { Location = NEAR, N = 5, Text = "first", bNetTemporary = true })
			x.Lock.Pins = 8
			lose(t, way, at, a)
			local c = t:within(1.5, function() return a:copy(x) end, "lost at " .. at)
			t:within(1.5, function() return count(t, a, x, "closed") == 1 end)
			t:eq(c.began, "5first0:8")
			x.N, x.Lock.Pins, x.Text = 9, 9, "later"
			x:Destroy()
			t:run(0.3)
			t:ok(c.alive)
			t:eq({ c.N, c.Lock.Pins, c.Text }, { 5, 8, "first" })
		end
	end)

	scenario("R5.18 R5.22 what is torn off keeps its last values and is told so once, whichever packet is lost: " .. way, { transport = "sim" }, function(t)
		local s, a, b = players(t, nil, "a", "b")
		for at = 0, 9 do
			local x = s:spawn("Chest", { Location = NEAR, N = 1, Owner = s:controller(a) })
			local ca, cb = t:within(2, function() return a:copy(x) end), t:within(2, function() return b:copy(x) end)
			t:within(1, function() return ca.N == 1 and cb.N == 1 end)
			x.N, x.Lock.Pins, x.Mine = 2 + at, 3, 4
			x.bTearOff = true
			if at % 3 == 0 then x:Destroy() end
			lose(t, way, at, a, b)
			t:within(1.5, function() return ca.torn and cb.torn end, "lost at " .. at)
			t:run(0.2)
			t:eq({ ca.torn, cb.torn, ca.Role, cb.Role }, { tostring(2 + at), tostring(2 + at), ROLE_Authority, ROLE_Authority })
			t:eq({ ca.Lock.Pins, cb.Lock.Pins, ca.Mine, cb.Mine }, { 3, 3, 4, 0 })
		end
	end)

	scenario("R2.2 R5.7 a tank changes hands: each driver has what drivers know, with their role, whichever packet is lost: " .. way, { transport = "sim" }, function(t)
		local s, a, b = players(t, nil, "a", "b")
		local x = s:spawn("Tank", { Location = vector(600, -1800, 88) })
		local ca, cb = t:within(2, function() return a:copy(x) end), t:within(2, function() return b:copy(x) end)
		local walks = { [a] = s:pawn(a), [b] = s:pawn(b) }
		for at = 0, 9 do
			local to, from, new, old = a, b, ca, cb
			if at % 2 == 1 then to, from, new, old = b, a, cb, ca end
			s:controller(from):Possess(walks[from])
			s:controller(to):Possess(x)
			x.Drives, x.Watches, x.Mine = 10 + at, 50 + at, 90 + at
			lose(t, way, at, a, b)
			t:within(1.5, function()
				return new.Role == ROLE_AutonomousProxy and old.Role == ROLE_SimulatedProxy and new.Drives == 10 + at and old.Watches == 50 + at
					and new.Mine == 90 + at and to:pawn() == new
			end, "lost at " .. at)
			t:run(0.2)
			t:ok(old.Drives ~= 10 + at and new.Watches ~= 50 + at and old.Mine ~= 90 + at, "nobody has what is the other's")
		end
		for _, c in ipairs { ca, cb } do
			for what, role in c.roles:gmatch("(%u)(%d)") do
				t:eq(tonumber(role), what == "D" and ROLE_AutonomousProxy or ROLE_SimulatedProxy, "a notify sees the role that goes with its value")
			end
		end
	end)

	scenario("R5.16 R5.22 what an owner sends upwards is right in the end, whichever packet is lost: " .. way, { transport = "sim" }, function(t)
		local s, a = players(t, nil, "a")
		local x = s:spawn("Chest", { Location = NEAR, Owner = s:controller(a) })
		local c = t:within(2, function() return a:copy(x) end)
		for at = 0, 9 do
			c.Wish = at * 2 + 1
			t:ticks(1)
			c.Wish = at * 2 + 2
			lose(t, way, at, a)
			t:within(1, function() return x.Wish == at * 2 + 2 end, "lost at " .. at)
		end
		c.Wish = 0
		lose(t, way, 0, a)
		t:within(1, function() return x.Wish == 0 end, "its default, too")
	end)
end)

scenario("R5.19 R5.22 an actor that is looked at only when something of it was set has its value after a loss", { seeds = 5 }, function(t)
	local s, a = players(t, nil, "a")
	local x = s:spawn("Chest", { Location = NEAR, bOnlyDirtyReplication = true, bSkipActorPropertyReplication = true })
	local c = t:within(2, function() return a:copy(x) end)
	t:run(1)
	for n = 1, 10 do
		x.N, x.Arr[n % 5 + 1] = n, n
		x.Location = NEAR + vector(n, 0, 0)
		lose(t, n % 2 == 0 and "loss_up" or "loss_down", n % 4, a)
		t:within(1, function() return c.N == n and c.Arr[n % 5 + 1] == n end)
	end
	t:eq(c.Location, NEAR, "its place is skipped")
end)

scenario("R5.8 R5.16 an upward value that a later one overtook is not taken", { seeds = 5 }, function(t)
	local s, a = players(t, nil, "a")
	local x = s:spawn("Chest", { Location = NEAR, Owner = s:controller(a) })
	local c = t:within(2, function() return a:copy(x) end)
	t:run(0.3)
	for n = 1, 20 do
		a:link { lag = 0.2, reorder = 1 } -- this one is overtaken by those that follow
		c.Wish = n
		t:ticks(2)
		a:link { lag = 0.03, reorder = 0 }
		c.Wish = 50 + n
		t:run(0.6)
		t:eq(x.Wish, 50 + n)
	end
end)

scenario("R5.9 R5.22 of a class with a hundred variables each that is lost comes again", { transport = "sim" }, function(t)
	local types, names = {}, {}
	for i = 1, 100 do types[i], names[i] = "V" .. i .. " = int(0)", '"V' .. i .. '"' end
	t:scripts('local Wide = class("Wide")\nWide.properties { ' .. table.concat(types, ", ") .. " }\nWide.replication { { "
		.. table.concat(names, ", ") .. " } }")
	local s, a = players(t, nil, "a")
	local x = s:spawn("Wide", { Location = NEAR })
	local c = t:within(2, function() return a:copy(x) end)
	t:run(0.5)
	for n = 1, 10 do
		a:link { loss_down = 1 }
		for i = n, 100, 7 do x["V" .. i] = n end
		t:ticks(6) -- it and its repetition
		a:link { loss = 0 }
		t:within(1, function()
			for i = n, 100, 7 do
				if c["V" .. i] ~= n then return false end
			end
			return true
		end, "round " .. n)
	end
end)
