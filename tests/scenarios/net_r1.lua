-- Section 1 of the rules over the network: what a client keeps of a level, and the net modes.

local net = require("shared.net")
local joined, holds = net.joined, net.holds

scenario("R1.4 a client has bStatic actors from its own level, each once", function(t)
	local s = t:server{}
	local starts = s:actors("PlayerStart")
	local a = t:client{ name = "a" }
	joined(t, s, a)
	t:run(0.5)
	t:eq(#a:actors("PlayerStart"), #starts)
	for i, p in ipairs(a:actors("PlayerStart")) do
		holds(t, p, { Name = starts[i].Name, Location = starts[i].Location })
	end
end)

scenario("R1.4 a bNoDelete actor of the level is known by its name and not spawned twice", function(t)
	local s = t:server{ level = "steps" }
	local lift = s:actors("Mover")[1]
	local a = t:client{ name = "a" }
	joined(t, s, a)
	t:within(1, function() return a:copy(lift) end)
	t:run(0.5)
	t:eq({ #a:actors("Mover"), a:copy(lift), a:copy(lift).Name }, { 1, a:actors("Mover")[1], "Lift" })
	t:ok(lift:Is(a:copy(lift)))
	t:eq(a:copy(lift), a:eval("return world:ActorByName('Lift')"))
end)

scenario("R1.4 a bNoDelete actor replicates: variables of the server's arrive on the client's own", function(t)
	local s = t:server{ level = "steps" }
	local lift = s:actors("Mover")[1]
	local a = t:client{ name = "a" }
	joined(t, s, a)
	t:eq(a:copy(lift).DrawScale, 1)
	lift.DrawScale = 2
	t:within(1, function() return a:copy(lift).DrawScale == 2 end)
	holds(t, a:copy(lift), { Role = ROLE_SimulatedProxy, RemoteRole = ROLE_Authority })
	local from = a:copy(lift).Location
	lift:Trigger(nil)
	t:within(2, function() return a:copy(lift).Location.Z > from.Z + 20 end)
	t:near(a:copy(lift).Location, lift.Location, 40)
end)

scenario("R1.4 all other actors of the level are deleted on the client and arrive by replication", function(t)
	local s = t:server{ level = "arena" }
	local gone = s:eval("return world:ActorByName('PickupPrize')")
	local moved = s:eval("return world:ActorByName('PickupCorner1')")
	gone:Destroy()
	for _, p in ipairs(s:actors("Pickup")) do p.bAlwaysRelevant = true end
	moved.Location = moved.Location + vector(0, 0, 40)
	t:run(0.2)
	local a = t:client{ name = "a" }
	joined(t, s, a)
	t:within(1, function() return #a:actors("Pickup") == #s:actors("Pickup") end)
	t:run(0.5)
	t:eq(#a:actors("Pickup"), #s:actors("Pickup"), "each once")
	t:eq(a:eval("return world:ActorByName('PickupPrize')"), nil)
	t:near(a:copy(moved).Location, moved.Location, 1)
	t:eq(a:copy(moved).Role, ROLE_SimulatedProxy)
end)

scenario("R1.4 an actor of the level that is not relevant is not on the client", function(t)
	local s = t:server{ level = "arena" }
	local items = s:actors("Pickup")
	for _, p in ipairs(items) do p.bOnlyRelevantToOwner = true end
	local a = t:client{ name = "a" }
	joined(t, s, a)
	t:run(0.5)
	t:eq(#a:actors("Pickup"), 0)
end)

scenario("R1.4 a client's script cannot end a replicated actor of the level", function(t)
	local s = t:server{ level = "steps" }
	local lift = s:actors("Mover")[1]
	local a = t:client{ name = "a" }
	joined(t, s, a)
	t:within(1, function() return a:copy(lift) end)
	a:copy(lift):Destroy()
	t:run(0.3)
	t:ok(a:copy(lift).alive)
	t:eq(#a:actors("Mover"), 1)
end)

local LAMP = net.with [[
	local Lamp = class("Lamp")
	Lamp.properties { Mode = int(-1), bOn = false, Ticks = int(0), Rang = int(0), Local = int(0) }
	Lamp.defaults { bAlwaysRelevant = true }
	Lamp.replication { { "bOn" } }
	function Lamp.simulated:BeginPlay() self.Mode = world.NetMode end
	function Lamp.simulated:Tick(_) self.Ticks = self.Ticks + 1 end
	function Lamp.server.reliable:ServerSwitch(on) self.bOn = on end
	function Lamp.multicast.reliable:AllRing() self.Rang = self.Rang + 1 end
	Lamp.params { ServerSwitch = { false } }
	function Lamp.validate:ServerSwitch(_) return true end
]]

for_each({
	{ mode = "dedicated", net = NM_DedicatedServer, players = 1 },
	{ mode = "listen", net = NM_ListenServer, players = 2 },
}, function(case)
	scenario("R1.5 one script runs unchanged on server and client: " .. case.mode, function(t)
		local s, a = LAMP.play(t, { mode = case.mode }, "a")
		local lamp = s:spawn("Lamp", { Owner = s:controller(a) })
		t:within(1, function() return a:copy(lamp) end)
		t:eq(s:eval("return world.NetMode"), case.net)
		t:eq(a:eval("return world.NetMode"), NM_Client)
		t:eq({ lamp.Mode, a:copy(lamp).Mode }, { case.net, NM_Client })
		a:copy(lamp):ServerSwitch(true)
		t:within(1, function() return lamp.bOn and a:copy(lamp).bOn end)
		lamp:AllRing()
		t:eq(lamp.Rang, 1)
		t:within(1, function() return a:copy(lamp).Rang == 1 end)
		t:run(0.3)
		t:gt(a:copy(lamp).Ticks, 5)
		t:eq({ #s:actors("PlayerController"), #s:actors("Character") }, { case.players, case.players })
		t:eq(#a:actors("PlayerController"), 1)
	end)
end)

scenario("R1.5 the player of a listen server is seen by clients, and plays beside them", function(t)
	local s, a = net.play(t, { mode = "listen" }, "a")
	t:within(1, function() return a:copy(s:pawn()) end)
	t:ok(s:pawn():IsLocallyControlled())
	t:no(s:pawn(a):IsLocallyControlled())
	t:ok(a:pawn():IsLocallyControlled())
	t:no(a:copy(s:pawn()):IsLocallyControlled())
	t:eq(a:copy(s:controller()), nil)
	local from = a:copy(s:pawn()).Location
	net.hold(t, s, { forward = 1 }, 1)
	t:gt((s:pawn().Location - from):Size(), 200)
	t:near(a:copy(s:pawn()).Location, s:pawn().Location, 60)
end)
