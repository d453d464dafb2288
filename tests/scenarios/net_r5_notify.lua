-- Section 5 of the rules, R5.14 and R5.15: notifies, and what clients change for themselves.

local net = require("shared.net")
local copy, count = net.copy, net.count

-- A writes a story of every notify: its name, the value held before, and what A and B are by then.
local BELL = net.with [[
	local Bell = class("Bell")
	Bell.properties { A = int(0), B = int(0), Quiet = int(0), Loud = int(0), Who = "" }
	Bell.defaults { bAlwaysRelevant = true }
	Bell.replication { { "A", "B", "Who", notify = true }, { "Quiet" }, { "Loud", notify = "always" } }
	function Bell:ReplicatedEvent(name, old)
		self.story = (self.story or "") .. name .. ":" .. tostring(old) .. ">" .. self.A .. "," .. self.B .. " "
	end
]]

scenario("R5.14 a notify says the name and the old value, once, and only of variables that are marked", function(t)
	local _, a, bell, c = BELL.actor(t, "Bell", {}, "a")
	t:run(0.2)
	bell.A = 5
	t:within(1, function() return c.A == 5 end)
	bell.Quiet = 3
	t:within(1, function() return c.Quiet == 3 end)
	bell.A = 6
	t:within(1, function() return c.A == 6 end)
	bell.Who = "x"
	t:within(1, function() return c.Who == "x" end)
	t:run(0.2)
	t:eq(c.story, "A:0>5,0 A:5>6,0 Who:>6,0 ")
	t:eq(bell.story, nil, "none on the server")
	t:eq({ count(t, a, bell, "notified", "A"), count(t, a, bell, "notified", "Quiet") }, { 2, 0 })
end)

scenario("R5.14 notifies run after the whole update was applied", function(t)
	local _, _, bell, c = BELL.actor(t, "Bell", {}, "a")
	t:run(0.2)
	bell.B, bell.A = 2, 1
	t:within(1, function() return c.A == 1 and c.B == 2 end)
	t:run(0.2)
	local story = c.story == "A:0>1,2 B:0>1,2 " or c.story == "B:0>1,2 A:0>1,2 "
	t:ok(story, "both notifies see both new values: " .. tostring(c.story))
end)

scenario("R5.14 no notify for a value that is still the default, not even where it is declared always", function(t)
	local _, _, _, c = BELL.actor(t, "Bell", { A = 0, B = 4, Loud = 0 }, "a")
	t:run(0.4)
	t:eq(c.story, "B:0>0,4 ")
end)

scenario("R5.14 no notify where the client holds the value already, unless it is declared always", function(t)
	local _, _, bell, c = BELL.actor(t, "Bell", {}, "a")
	t:run(0.2)
	c.A, c.Loud = 7, 8
	bell.A, bell.Loud, bell.Quiet = 7, 8, 1
	t:within(1, function() return c.Quiet == 1 end)
	t:run(0.3)
	t:eq(c.story, "Loud:8>7,0 ")
	bell.A = 9
	t:within(1, function() return c.A == 9 end)
	t:run(0.1)
	t:eq(c.story, "Loud:8>7,0 A:7>9,0 ")
end)

scenario("R5.14 the base class forwards to OnRep_Name; who overrides ReplicatedEvent decides himself", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { A = int(0), B = int(0) }
		Bell.defaults { bAlwaysRelevant = true }
		Bell.replication { { "A", "B", notify = true } }
		function Bell:OnRep_A(old) self.heard = { old, self.A } end
		local Deaf = class("Deaf", "Bell")
		function Deaf:ReplicatedEvent(name, old) if name == "B" then Deaf.super.ReplicatedEvent(self, name, old) end end
		function Deaf:OnRep_B(old) self.heardB = old end
	]]
	local s, a = net.start(t, {}, "a")
	local bell, deaf = s:spawn("Bell"), s:spawn("Deaf", { B = 3 })
	local cb, cd = copy(t, a, bell), copy(t, a, deaf)
	t:run(0.2)
	bell.A, bell.B, deaf.A, deaf.B = 1, 2, 3, 4
	t:within(1, function() return cb.A == 1 and cd.A == 3 and cd.B == 4 end)
	t:run(0.1)
	t:eq({ cb.heard, cd.heard, cd.heardB }, { { 0, 1 }, nil, 3 })
	t:eq({ bell.heard, deaf.heardB }, { nil, nil }, "none on the server")
end)

scenario("R5.14 an error in a notify stops that call; the values stay", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { A = int(0), B = int(0) }
		Bell.defaults { bAlwaysRelevant = true }
		Bell.replication { { "A", "B", notify = true } }
		function Bell:OnRep_A(_) error("no bell") end
		function Bell:OnRep_B(_) self.heard = self.A end
	]]
	local _, _, bell, c = net.actor(t, "Bell", {}, "a")
	t:run(0.2)
	t:expect_error("Bell:OnRep_A: scripts:5: no bell %(Bell.*, a%)")
	bell.A, bell.B = 1, 2
	t:within(1, function() return c.A == 1 and c.B == 2 and c.heard == 1 end)
end)

scenario("R5.14 a notify declared always is called once a value that was set once", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { N = int(0), Loud = int(0), Bag = fastarray(struct { K = int(0) }) }
		Bell.defaults { bAlwaysRelevant = true }
		Bell.replication { { "N", notify = true }, { "Loud", "Bag", notify = "always" } }
		function Bell:ReplicatedEvent(name, _) self.story = (self.story or "") .. name .. " " end
	]]
	local _, _, bell, c = net.actor(t, "Bell", {}, "a")
	t:run(0.3)
	bell.Loud = 5
	t:run(0.4)
	t:eq(c.story, "Loud ")
	bell.N = 6
	t:run(0.4)
	t:eq(c.story, "Loud N ")
	c.Loud, bell.Loud = 7, 7
	t:run(0.4)
	t:eq(c.story, "Loud N Loud ")
	bell.Bag:Add { K = 1 }
	t:run(0.4)
	t:eq(c.story, "Loud N Loud Bag ")
end)

scenario("R5.15 what a client changes for itself stays until the next new value comes", function(t)
	local s, a, b = BELL.start(t, {}, "a", "b")
	local bell, ca, cb = net.spawn(t, s, "Bell", { Quiet = 5 }, a, b)
	t:run(0.3)
	ca.Quiet, bell.B = 50, 1
	t:within(1, function() return ca.B == 1 end)
	t:run(0.3)
	t:eq({ ca.Quiet, cb.Quiet, bell.Quiet }, { 50, 5, 5 }, "another variable's update does not touch it")
	bell.Quiet = 6
	t:within(1, function() return ca.Quiet == 6 and cb.Quiet == 6 end)
end)

scenario("R5.15 what a client changes right after a value came stays: the same value once more is not a new one", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { N = int(0), Loud = int(0), At = vector(0, 0, 0), S = struct { A = int(0) }, Arr = array(int(0), 3) }
		Bell.defaults { bAlwaysRelevant = true }
		Bell.replication { { "N", "At", "S", "Arr" } }
	]]
	local _, _, bell, c = net.actor(t, "Bell", {}, "a")
	t:run(0.3)
	bell.N, bell.At, bell.S.A, bell.Arr[2] = 6, vector(6, 0, 0), 6, 6
	t:within(1, function() return c.N == 6 end)
	c.N, c.At, c.S.A, c.Arr[2] = 77, vector(77, 0, 0), 77, 77
	t:run(0.4)
	t:eq({ c.N, c.At, c.S.A, c.Arr[2] }, { 77, vector(77, 0, 0), 77, 77 })
end)
