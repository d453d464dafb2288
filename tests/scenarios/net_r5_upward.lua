-- Section 5 of the rules, R5.16: variables that go from a client to the server.

local net = require("shared.net")
local bytes, copy, join = net.bytes, net.copy, net.join

-- Wish goes from the player to the server; Order comes down; Both is no rule's.
local UP = net.with [[
	local Hero = class("Hero", "Character")
	Hero.properties { Wish = int(0, { min = -10, max = 1000 }), Ready = false, Aim = vector(0, 0, 0), Title = "", Order = int(0), Both = int(0), Arr = array(int(0), 4) }
	Hero.defaults { bAlwaysRelevant = true }
	Hero.replication {
		{ "Wish", "Aim", "Arr", notify = true, when = function(self) return self.Role < ROLE_Authority end },
		{ "Title", when = function(self) return self.Role < ROLE_Authority and self.Ready end },
		{ "Order" },
	}
	function Hero:ReplicatedEvent(name, _) self.story = (self.story or "") .. name .. " " end
	local HeroGame = class("HeroGame", "GameInfo")
	HeroGame.defaults { DefaultPawnClass = "Hero" }
]]

scenario("R5.16 what a player sets goes to the server, and from there to nobody", function(t)
	local _, _, _, pawn, ca, cb = UP.pawn(t, { game = "HeroGame" }, "a", "b")
	t:within(1, function() return ca.Role == ROLE_AutonomousProxy end)
	ca.Wish, ca.Aim, ca.Both = 7, vector(10.5, 0, -3), 3
	ca.Arr[2] = 5
	t:within(1, function() return pawn.Wish == 7 and pawn.Aim == vector(11, 0, -3) and pawn.Arr[2] == 5 end)
	t:run(0.3)
	t:eq(pawn.Both, 0)
	t:eq({ cb.Wish, cb.Aim, cb.Arr[2] }, { 0, vector(0, 0, 0), 0 })
	ca.Wish = 8
	t:within(1, function() return pawn.Wish == 8 end)
	ca.Wish = 0
	t:within(1, function() return pawn.Wish == 0 end)
	t:eq(pawn.story, nil, "no notify on the server (R5.14)")
end)

scenario("R5.16 such a rule sends nothing down", function(t)
	local s, a, _, pawn, ca, cb = UP.pawn(t, { game = "HeroGame" }, "a", "b")
	t:run(0.2)
	pawn.Wish, pawn.Order = 9, 1
	t:within(1, function() return ca.Order == 1 and cb.Order == 1 end)
	t:run(0.3)
	t:eq({ ca.Wish, cb.Wish }, { 0, 0 })
	t:eq(bytes(t, a, "Hero.Wish"), 0)
	local late = join(t, s, { name = "late" })
	local cl = copy(t, late, pawn)
	t:run(0.3)
	t:eq({ cl.Wish, cl.Order }, { 0, 1 })
end)

scenario("R5.16 all others are only sent downwards: what a client sets stays with it", function(t)
	local _, _, _, pawn, ca, cb = UP.pawn(t, { game = "HeroGame" }, "a", "b")
	t:within(1, function() return ca.Role == ROLE_AutonomousProxy end)
	ca.Order = 5
	t:run(0.5)
	t:eq({ ca.Order, pawn.Order, cb.Order }, { 5, 0, 0 })
end)

scenario("R5.16 only the owner's proxy sends: another client's is not heard", function(t)
	local s, a, _, pawn, ca, cb = UP.pawn(t, { game = "HeroGame" }, "a", "b")
	t:run(0.2)
	cb.Wish = 5
	t:run(0.5)
	t:eq({ pawn.Wish, ca.Wish, cb.Wish }, { 0, 0, 5 })
	local free, cf = net.spawn(t, s, "Hero", { Location = vector(300, 300, 100) }, a)
	cf.Wish = 6
	t:run(0.5)
	t:eq(free.Wish, 0, "nobody owns it")
end)

scenario("R5.16 a player's controller sends up, a simulated proxy that belongs to the player does not", function(t)
	t:scripts [[
		local Mind = class("Mind", "PlayerController")
		Mind.properties { Wish = int(0) }
		Mind.replication { { "Wish", when = function(self) return self.Role < ROLE_Authority end } }
		local MindGame = class("MindGame", "GameInfo")
		MindGame.defaults { PlayerControllerClass = "Mind" }
		local Chest = class("Chest")
		Chest.properties { Wish = int(0) }
		Chest.defaults { bAlwaysRelevant = true }
		Chest.replication { { "Wish", when = function(self) return self.Role < ROLE_Authority end } }
	]]
	local s, a = net.start(t, { game = "MindGame" }, "a")
	local chest, c = net.spawn(t, s, "Chest", { Owner = s:controller(a) }, a)
	t:eq(c.Role, ROLE_SimulatedProxy)
	c.Wish, a:controller().Wish = 4, 5
	t:within(1, function() return s:controller(a).Wish == 5 end)
	t:run(0.3)
	t:eq(chest.Wish, 0)
end)

scenario("R5.16 it follows the possession: the old player's sets are not taken any more, the new one's are", function(t)
	local s, a, b, pawn, ca, cb = UP.pawn(t, { game = "HeroGame" }, "a", "b")
	t:within(1, function() return ca.Role == ROLE_AutonomousProxy end)
	ca.Wish = 1
	t:within(1, function() return pawn.Wish == 1 end)
	s:controller(a):UnPossess()
	s:controller(b):UnPossess()
	s:controller(b):Possess(pawn)
	t:within(1, function() return ca.Role == ROLE_SimulatedProxy and cb.Role == ROLE_AutonomousProxy end)
	ca.Wish = 2
	t:run(0.4)
	t:eq(pawn.Wish, 1)
	cb.Wish = 3
	t:within(1, function() return pawn.Wish == 3 end)
end)

scenario("R5.16 what is under way when the possession ends is not taken, and no reason to go", function(t)
	local s, a, pawn, c = UP.pawn(t, { game = "HeroGame" }, { name = "a", lag = 0.15 })
	t:within(1, function() return c.Role == ROLE_AutonomousProxy end)
	c.Wish = 1
	t:within(1, function() return pawn.Wish == 1 end)
	s:controller(a):UnPossess()
	c.Wish = 2
	t:ticks(2)
	t:eq(c.Role, ROLE_AutonomousProxy, "the client does not know yet")
	t:run(0.8)
	t:eq({ pawn.Wish, c.Role, a.error }, { 1, ROLE_SimulatedProxy, nil })
	t:ok(s:controller(a).alive)
end)

scenario("R5.16 the rest of the condition is asked on the client", function(t)
	local _, _, pawn, c = UP.pawn(t, { game = "HeroGame" }, "a")
	t:within(1, function() return c.Role == ROLE_AutonomousProxy end)
	c.Title = "Ann"
	t:run(0.4)
	t:eq(pawn.Title, "")
	c.Ready = true
	t:within(1, function() return pawn.Title == "Ann" end)
	c.Ready, c.Title = false, "Bob"
	t:run(0.4)
	t:eq({ pawn.Title, pawn.Ready }, { "Ann", false })
end)

for_each({
	{ "self.bNetInitial", false }, { "self.bNetDirty", false }, { "self.bNetOwner", false },
	{ "not self.bNetInitial", true }, { "not self.bNetDirty", true }, { "not self.bNetOwner", true },
}, function(case)
	scenario("R5.16 on clients these are false: " .. case[1], function(t)
		t:scripts([[
			local Hero = class("Hero", "Character")
			Hero.properties { Wish = int(0), Plain = int(0) }
			Hero.defaults { bAlwaysRelevant = true }
			Hero.replication {
				{ "Wish", when = function(self) return self.Role < ROLE_Authority and ]] .. case[1] .. [[ end },
				{ "Plain", when = function(self) return self.Role < ROLE_Authority end },
			}
		]])
		local _, _, pawn, c = net.pawn(t, { pawn = "Hero" }, "a")
		t:within(1, function() return c.Role == ROLE_AutonomousProxy end)
		c.Wish, c.Plain = 5, 6
		t:within(1, function() return pawn.Plain == 6 end)
		t:run(0.3)
		t:eq(pawn.Wish, case[2] and 5 or 0)
	end)
end)

scenario("R5.16 a validator judges what comes", function(t)
	t:scripts [[
		local Judge = class("Judge", "Character")
		Judge.properties { Wish = int(0), Aim = vector(0, 0, 0), Calm = int(0) }
		Judge.defaults { bAlwaysRelevant = true }
		Judge.replication { { "Wish", "Aim", "Calm", when = function(self) return self.Role < ROLE_Authority end } }
		function Judge.validate:Wish(value) return value <= 100 and value > self.Calm end
		function Judge.validate:Aim(value) return value.Z == 0 end
	]]
	local _, a, pawn, c = net.pawn(t, { pawn = "Judge" }, "a")
	t:within(1, function() return c.Role == ROLE_AutonomousProxy end)
	c.Wish, c.Aim = 100, vector(5, 6, 0)
	t:within(1, function() return pawn.Wish == 100 and pawn.Aim == vector(5, 6, 0) end)
	c.Wish, c.Aim, c.Calm = 101, vector(5, 6, 7), 3
	t:within(1, function() return pawn.Calm == 3 end)
	t:run(0.3)
	t:eq({ pawn.Wish, pawn.Aim }, { 100, vector(5, 6, 0) })
	c.Wish = 50
	t:within(1, function() return pawn.Wish == 50 end)
	t:eq(a.error, nil)
end)

scenario("R5.16 a value out of range is refused on the client already", function(t)
	local _, _, pawn, c = UP.pawn(t, { game = "HeroGame" }, "a")
	t:within(1, function() return c.Role == ROLE_AutonomousProxy end)
	t:expect_error("Wish.*%-10.*1000.*a%)")
	c.Wish = 1001
	t:run(0.3)
	t:eq({ c.Wish, pawn.Wish }, { 0, 0 })
	c.Wish = 1000
	t:within(1, function() return pawn.Wish == 1000 end)
	c.Wish = -10
	t:within(1, function() return pawn.Wish == -10 end)
end)

for_each({
	"self.Role < ROLE_Authority or self.bNetOwner", "self.Role <= ROLE_Authority", "self.Role > ROLE_None",
	"self.Role < ROLE_Authority or self.Role == ROLE_Authority", "self.Role ~= ROLE_SimulatedProxy",
}, function(expression)
	scenario("R5.16 a rule that could hold on both sides does not load: " .. expression, function(t)
		t:scripts([[
			local A = class("A")
			A.properties { V = int(0) }
			A.replication { { "V", when = function(self) return ]] .. expression .. [[ end } }
		]])
		t:error(function() t:server{} end, "scripts:3:%d+: error: ")
	end)
end)

scenario("R5.16 R5.23 what goes up goes on going up after a reload", { seeds = 3 }, function(t)
	local function up(more, names)
		return [[
			local Hero = class("Hero", "Character")
			Hero.properties { ]] .. more .. [[ Wish = int(0) }
			Hero.defaults { bAlwaysRelevant = true }
			Hero.replication { { ]] .. names .. [[ "Wish", when = function(self) return self.Role < ROLE_Authority end } }
			local HeroGame = class("HeroGame", "GameInfo")
			HeroGame.defaults { DefaultPawnClass = "Hero" }
		]]
	end
	t:scripts(up("", ""))
	local _, _, pawn, c = net.pawn(t, { game = "HeroGame" }, { name = "a", lag = 0.03, loss = 0.1 })
	t:within(2, function() return c.Role == ROLE_AutonomousProxy end)
	c.Wish = 1
	t:within(2, function() return pawn.Wish == 1 end)
	c.Wish = 2
	t:ticks(1)
	t:reload(up("Ask = int(0),", '"Ask",'))
	t:within(2, function() return pawn.Wish == 2 end)
	t:within(2, function() return c.Ask == 0 end)
	c.Ask, c.Wish = 5, 6
	t:within(2, function() return pawn.Ask == 5 and pawn.Wish == 6 end)
end)
