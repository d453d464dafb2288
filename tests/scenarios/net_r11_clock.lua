-- R11.1: the server's time on a client, by questions and answers that are filtered against jitter.

local net = require("shared.net")
local holds = net.holds

-- A server with one client who is in.
local function player(t, link)
	local s = t:server{}
	local options = { name = "a" }
	for k, v in pairs(link) do options[k] = v end
	local a = t:client(options)
	t:within(8, function() return a:controller() ~= nil end)
	return s, a
end

-- How far the client's idea of the server's time is off, in seconds. Both worlds have ticked to the same moment.
local function wrong(s, a) return a:controller():GetServerTime() - s:eval("return world.TimeSeconds") end

-- To the millisecond only on a virtual clock: in real time two worlds tick at moments of their own, and each clock stands
-- still in between.
for_each({
	{ lag = 0.075, jitter = 0.03, loss = 0.02 }, { lag = 0.15, jitter = 0.03, loss = 0.02 },
	{ lag = 0.025, jitter = 0, loss = 0 }, { lag = 0.075, jitter = 0.015, loss = 0.1, dup = 0.1, reorder = 0.1 },
}, function(link)
	local name = string.format("R11.1 the clock is right within 10 ms at %g ± %g ms each way and %g %% loss",
		link.lag * 1000, link.jitter * 1000, link.loss * 100)
	scenario(name, { seeds = 5, transport = "sim" }, function(t)
		local s, a = player(t, link)
		t:run(3)
		local worst = 0
		for _ = 1, 300 do
			t:run(0.1)
			t:near(wrong(s, a), 0, 0.01)
			worst = math.max(worst, math.abs(wrong(s, a)))
		end
		log(string.format("%s: at worst %.1f ms", name, worst * 1000)) -- a figure of docs/performance.md
	end)
end)

scenario("R11.1 the clock is right within half a second of joining, but for jitter", { transport = "sim" }, function(t)
	local s, a = player(t, { lag = 0.075 })
	t:run(0.5)
	for _ = 1, 60 do
		t:run(0.05)
		t:near(wrong(s, a), 0, 0.002)
	end
end)

scenario("R11.1 the clock follows a machine whose clock runs somewhat fast", { transport = "sim" }, function(t)
	local s, a = player(t, { lag = 0.05, timescale = 1.00005 })
	t:run(3)
	for _ = 1, 100 do
		t:run(1)
		t:near(wrong(s, a), 0, 0.01)
	end
end)

for_each({ "standalone", "listen" }, function(mode)
	scenario("R11.1 ReceivedPlayer comes once to each player's own machine: " .. mode, function(t)
		t:scripts [[
			local Guest = class("Guest", "PlayerController")
			Guest.properties { Received = int(0), bEarly = false }
			function Guest:ReceivedPlayer()
				self.Received = self.Received + 1
				self.bEarly = self.Pawn == nil and self:IsLocalPlayer()
				Guest.super.ReceivedPlayer(self)
			end
			local Inn = class("Inn", "GameInfo")
			Inn.defaults { PlayerControllerClass = "Guest" }
		]]
		local s = t:server{ mode = mode, game = "Inn" }
		t:run(0.5)
		t:eq({ s:controller().Received, s:controller().bEarly }, { 1, true })
		t:ok(s:pawn())
		t:near(s:controller():GetServerTime(), s:eval("return world.TimeSeconds"), 1e-6)
		if mode == "listen" then
			local a = t:client{ name = "a" }
			t:within(5, function() return a:controller() and a:pawn() end)
			t:eq(a:controller().Received, 1)
			t:eq({ s:controller(a).Received, s:controller().Received }, { 0, 1 })
		end
	end)
end)

scenario("R11.1 the client asks some times in a row first, then every TimeSyncFrequency", function(t)
	t:scripts [[
		local Asker = class("Asker", "PlayerController")
		Asker.properties { Received = int(0), Told = int(0), Stamp = int(0), Stranger = false }
		function Asker:ReceivedPlayer()
			self.Received = self.Received + 1
			Asker.super.ReceivedPlayer(self)
		end
		function Asker:ClientReportServerTime(stamp, server)
			self.Told = self.Told + 1
			local age = world.TimeSeconds * 1000 - stamp
			self.Stranger = self.Stranger or age < 0 or age > 1000
			Asker.super.ClientReportServerTime(self, stamp, server)
		end
		local Office = class("Office", "GameInfo")
		Office.defaults { PlayerControllerClass = "Asker" }
	]]
	local s, a = net.start(t, { game = "Office" }, { name = "a", lag = 0.05 })
	local pc = a:controller()
	t:eq(pc.Received, 1)
	t:eq(s:controller(a).Received, 0, "the server's controller has come nowhere")
	t:eq(pc.Told, 0, "and the answer takes a round trip")
	t:run(2)
	local first = pc.TimeSyncBurst
	holds(t, pc, { Told = first, TimeSyncFrequency = 5 })
	t:run(15)
	t:eq(pc.Told, first + 3, "then one every five seconds")
	t:no(pc.Stranger, "each with the client's own stamp")
	pc.TimeSyncFrequency = 1
	t:run(5 + 4)
	t:ge(pc.Told, first + 3 + 4)
end)

scenario("R11.1 on the server the time is the server's", function(t)
	local s = t:server{ mode = "listen" }
	t:run(1)
	t:eq(s:controller():GetServerTime(), s:eval("return world.TimeSeconds"))
	t:eq(s:controller():GetRoundTrip(), 0, "nothing is on the way to who sits here")
end)

scenario("R11.1 both ends know the round trip by themselves", { seeds = 3 }, function(t)
	local s, a = player(t, { lag = 0.075, jitter = 0.01 })
	t:run(6)
	-- Two ways, and on average a tick's wait at either end.
	t:near(s:controller(a):GetRoundTrip(), 0.175, 0.04)
	t:near(a:controller():GetRoundTrip(), 0.175, 0.04)
end)
