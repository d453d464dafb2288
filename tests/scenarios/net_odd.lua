-- What happens in odd moments: references to what never spoke, ends of what sleeps.

local net = require("shared.net")
local joined = net.joined

local NEAR = vector(600, -1800, 100)

scenario("R5.13 a reference to an actor of the level that sleeps from the beginning arrives", function(t)
	t:scripts [[
		local Lever = class("Lever")
		Lever.properties { Moves = ref("Mover") }
		Lever.replication { { "Moves" } }
	]]
	local s = t:server{ level = "steps" }
	local lift = s:actors("Mover")[1]
	lift.NetDormancy = DORM_Initial
	local a = t:client{ name = "a" }
	joined(t, s, a)
	t:run(0.5)
	local lever = s:spawn("Lever", { bAlwaysRelevant = true })
	lever.Moves = lift
	t:within(1, function() return a:copy(lever) and a:copy(lever).Moves and a:copy(lever).Moves.Name == a:actors("Mover")[1].Name end)
	t:run(1)
	t:eq(#a:actors("Mover"), 1)
end)

scenario("R3.12 what changes its owner and is torn off, or calls, in one tick says nothing to the owner of before", function(t)
	t:scripts [[
		local Chest = class("Chest")
		Chest.properties { Gold = int(0), Heard = int(0) }
		Chest.replication { { "Gold" } }
		function Chest.multicast.reliable:AllHear(n) self.Heard = n end
	]]
	local s, a, b = net.play(t, {}, "a", "b")
	for _, how in ipairs{ "torn off", "called" } do
		local x = s:spawn("Chest", { Location = NEAR, Owner = s:pawn(a), bOnlyRelevantToOwner = true })
		x.Gold = 1
		t:within(1, function() return a:copy(x) and a:copy(x).Gold == 1 end)
		local copy = a:copy(x)
		x.Owner = s:pawn(b)
		x.Gold = 77
		if how == "torn off" then x.bTearOff = true else x:AllHear(5) end
		t:run(1)
		t:ok(not copy.alive or copy.Gold == 1 and copy.Heard == 0, how)
		if how == "called" then t:eq(b:copy(x).Heard, 5) end
	end
end)
