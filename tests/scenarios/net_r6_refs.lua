-- Section 6 of the rules over the network: references as arguments, R6.9, and overrides, R6.10.

local net = require("shared.net")
local copies, holds = net.copies, net.holds

local POINTER = net.with [[
	local Pointer = class("Pointer")
	Pointer.properties { N = int(0) }
	Pointer.defaults { bAlwaysRelevant = true }
	Pointer.replication { { "N" } }
	function Pointer:Note(kind, who, n)
		self.who = who
		self.notes = (self.notes or "") .. kind .. n .. (who and "+" or "-") .. " "
	end
	function Pointer.client.reliable:ClientShow(who, n) self:Note("show", who, n) end
	function Pointer.client.reliable:ClientWait(who, n) self:Note("wait", who, n) end
	function Pointer.multicast.reliable:AllShow(who, n) self:Note("all", who, n) end
	function Pointer.server.reliable:ServerShow(who, n) self:Note("server", who, n) end
	function Pointer.validate:ServerShow(_, _) return true end
	Pointer.params {
		ClientShow = { ref("Actor"), int(0) }, ClientWait = { ref("Actor", { wait = true }), int(0) },
		AllShow = { ref("Actor"), int(0) }, ServerShow = { ref("Actor"), int(0) },
	}
	local Thing = class("Thing")
	Thing.defaults { bOnlyRelevantToOwner = true }
]]

-- pointer gives a server, a client, its Pointer on both sides, and a Thing nobody sees.
local function pointer(t)
	local s, a, x, c = POINTER.owned(t, "Pointer", {}, "a")
	local thing = s:spawn("Thing")
	t:run(0.2)
	return s, a, x, c, thing
end

scenario("R6.9 a reference crosses as the copy of the other end, in both directions", function(t)
	local s, a, x, c, thing = pointer(t)
	thing.Owner = s:controller(a)
	local d = copies(t, thing, a)
	x:ClientShow(thing, 1)
	t:within(1, function() return c.notes end)
	holds(t, c, { notes = "show1+ ", who = d })
	c:ServerShow(d, 2)
	t:within(1, function() return x.notes end)
	holds(t, x, { notes = "server2+ ", who = thing })
	x:AllShow(x, 3)
	t:within(1, function() return c.notes == "show1+ all3+ " end)
	t:eq(c.who, c)
end)

scenario("R6.9 an unresolved reference is nil: the call runs all the same", function(t)
	local s, a, x, c, thing = pointer(t)
	x:ClientShow(thing, 1)
	t:within(1, function() return c.notes end)
	t:eq(c.notes, "show1- ")
	thing.Owner = s:controller(a)
	copies(t, thing, a)
	t:run(0.3)
	t:eq(c.notes, "show1- ", "it is not called again when the actor comes")
	t:eq(c.who, nil)
end)

scenario("R6.9 a function that waits runs at once with an actor that is there, and with none", function(t)
	local s, a, x, c, thing = pointer(t)
	x:ClientWait(nil, 1)
	t:within(1, function() return c.notes == "wait1- " end)
	thing.Owner = s:controller(a)
	copies(t, thing, a)
	x:ClientWait(thing, 2)
	t:within(1, function() return c.notes == "wait1- wait2+ " end)
end)

scenario("R6.9 what is spawned and shown in one tick resolves by waiting", { seeds = 5 }, function(t)
	t:scripts(POINTER.classes)
	local s, a, x, c = net.owned(t, "Pointer", {}, { name = "a", lag = 0.03, jitter = 0.03, loss = 0.2, reorder = 0.2 })
	for i = 1, 5 do
		x:ClientWait(s:spawn("Thing", { Owner = s:controller(a) }), i)
		t:ticks(1)
	end
	t:within(5, function() return c.notes == "wait1+ wait2+ wait3+ wait4+ wait5+ " end)
end)

scenario("R6.9 a client's own actor means nothing to the server", function(t)
	local _, a, x, c = pointer(t)
	local own = a:spawn("Actor")
	c:ServerShow(own, 1)
	t:within(1, function() return x.notes end)
	t:eq(x.notes, "server1- ")
end)

scenario("R6.9 an actor of the level is known on both sides", function(t)
	local s, a = POINTER.start(t, { level = "steps" }, "a")
	local x, c = net.spawn(t, s, "Pointer", { Owner = s:controller(a) }, a)
	local lift = s:actors("Mover")[1]
	copies(t, lift, a)
	t:run(0.2)
	x:ClientShow(lift, 1)
	c:ServerShow(a:copy(lift), 2)
	t:within(1, function() return c.notes and x.notes end)
	t:eq({ c.who, x.who }, { a:actors("Mover")[1], lift })
end)

local CHILD = net.with [[
	local Bell = class("Bell")
	Bell.defaults { bAlwaysRelevant = true }
	function Bell:Note(what) self.notes = (self.notes or "") .. what .. " " end
	function Bell.server.reliable:ServerRing() self:Note("bell") end
	function Bell.validate:ServerRing() return true end
	function Bell.client.reliable:ClientRing() self:Note("bell") end
	function Bell.multicast.reliable:AllRing() self:Note("bell") end
	Bell.params { ServerRing = {}, ClientRing = {}, AllRing = {} }
	function Bell.simulated:Tick(_) self.ticked = true end

	local Gong = class("Gong", "Bell")
	function Gong:ServerRing() self:Note("gong") end
	function Gong:ClientRing() self:Note("gong") Gong.super.ClientRing(self) end
	function Gong:AllRing() Gong.super.AllRing(self) self:Note("gong") end
	function Gong:Tick(dt) Gong.super.Tick(self, dt) end

	local Chime = class("Chime", "Gong")
	function Chime.simulated:Tick(dt) Chime.super.Tick(self, dt) end
]]

scenario("R6.10 an override is as replicated as what it overrides; the parent's runs where it is called", function(t)
	local _, _, x, c = CHILD.owned(t, "Gong", {}, "a")
	c:ServerRing()
	t:within(1, function() return x.notes == "gong " end)
	t:eq(c.notes, nil)
	x:ClientRing()
	t:within(1, function() return c.notes == "gong bell " end)
	t:eq(x.notes, "gong ")
	x:AllRing()
	t:within(1, function() return c.notes == "gong bell bell gong " end)
	t:eq(x.notes, "gong bell gong ")
end)

scenario("R6.10 an override is as reliable as what it overrides", function(t)
	local _, a, x, c = CHILD.owned(t, "Gong", {}, "a")
	t:run(0.2)
	a:link{ loss = 1 }
	x:ClientRing()
	t:run(0.2)
	t:eq(c.notes, nil)
	a:link{ loss = 0 }
	t:within(3, function() return c.notes == "gong bell " end)
end)

scenario("R6.10 simulated is not inherited: each override says so for itself", function(t)
	local s, a = CHILD.start(t, {}, "a")
	local bell, gong, chime = s:spawn("Bell"), s:spawn("Gong"), s:spawn("Chime")
	copies(t, bell, a)
	copies(t, gong, a)
	copies(t, chime, a)
	t:run(0.3)
	t:eq({ bell.ticked, gong.ticked, chime.ticked }, { true, true, true })
	t:eq({ a:copy(bell).ticked, a:copy(gong).ticked, a:copy(chime).ticked }, { true, nil, true })
end)

scenario("R6.10 a function is found by name in the class of the actor, whichever copy is meant", function(t)
	local s, a = CHILD.start(t, {}, "a")
	local list = {}
	for i, class in ipairs { "Bell", "Gong", "Chime" } do
		list[i] = s:spawn(class, { Owner = s:controller(a) })
		copies(t, list[i], a)
		list[i]:ClientRing()
		a:copy(list[i]):ServerRing()
	end
	t:run(0.5)
	t:eq({ list[1].notes, list[2].notes, list[3].notes }, { "bell ", "gong ", "gong " })
	local notes = {}
	for i, x in ipairs(list) do notes[i] = a:copy(x).notes end
	t:eq(notes, { "bell ", "gong bell ", "gong bell " })
end)
