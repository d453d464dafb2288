-- R12.10: of what hangs together one replicates; the rest each client makes of it.

local net = require("shared.net")

local TRAIN = net.with [[
	local Wagon = class("Wagon", "Actor")
	Wagon.properties { Load = int(3) }
	Wagon.replication { { "Load" } }
	local Train = class("Train", "ActorGroup")
	Train.defaults { MemberClass = "Wagon", Spacing = 200, bAlwaysRelevant = true, Physics = PHYS_Projectile }
]]

local function stage(t, ...) return TRAIN.play(t, { level = "flat" }, ...) end

-- Bytes of the train alone, with so many wagons, over some seconds of travel.
local function journey(t, s, a, count)
	local before = t:traffic(a).by_class.Train
	local train = s:spawn("Train", { Location = vector(0, 1000, 300), Velocity = vector(300, 0, 0), MemberCount = count })
	t:run(3)
	local cost = t:traffic(a).by_class.Train.bytes - (before and before.bytes or 0)
	train:Destroy()
	t:run(0.5)
	return cost
end

scenario("R12.10 wagons are made by each client from the one train, and go with it", { seeds = 3 }, function(t)
	local s, a = stage(t, { name = "a", preset = "broadband" })
	local train = s:spawn("Train", { Location = vector(0, 1000, 300), Velocity = vector(300, 0, 0), MemberCount = 5 })
	t:within(2, function() return #a:actors("Wagon") == 5 end)
	t:eq(#s:actors("Wagon"), 0, "the server has none")
	t:run(1)
	local copy = a:copy(train)
	for i, wagon in ipairs(a:actors("Wagon")) do
		t:near(wagon.Location, copy.Location - vector(200 * i, 0, 0), 0.01)
		t:eq({ wagon.Role, s:copy(wagon) }, { ROLE_Authority, nil })
	end
	t:gt(copy.Location.X, 200)
	train.MemberCount = 2
	t:within(1, function() return #a:actors("Wagon") == 2 end)
	train.MemberCount = 4
	t:within(1, function() return #a:actors("Wagon") == 4 end)
	local late = t:client { name = "late" }
	t:within(3, function() return #late:actors("Wagon") == 4 end)
	train:Destroy()
	t:within(1, function() return #a:actors("Wagon") == 0 and #late:actors("Wagon") == 0 end)
end)

scenario("R12.10 bytes are those of the one: twenty wagons cost what two do", function(t)
	local s, a = stage(t, { name = "a" })
	local few = journey(t, s, a, 2)
	local many = journey(t, s, a, 20)
	t:eq(t:traffic(a).by_class.Wagon, nil)
	t:gt(few, 0)
	t:near(many, few, 12) -- places are not the same to the byte
end)

for_each({ "listen", "standalone" }, function(mode)
	scenario("R12.10 the player at the " .. mode .. " machine sees the wagons, too", function(t)
		local s = TRAIN.server(t, { level = "flat", mode = mode })
		t:run(0.2)
		local train = s:spawn("Train", { Location = vector(0, 1000, 300), MemberCount = 3 })
		t:run(0.2)
		t:eq(#s:actors("Wagon"), 3)
		t:near(s:actors("Wagon")[3].Location, vector(-600, 1000, 300), 0.01)
		train:Destroy()
		t:run(0.1)
		t:eq(#s:actors("Wagon"), 0)
	end)
end)

scenario("R12.10 an attachment is derived from its pawn: nothing of it crosses", function(t)
	t:scripts [[
		local Hat = class("Hat", "Actor")
		local Wearer = class("Wearer", "Character")
		Wearer.properties { HatClass = classref("Hat") }
		Wearer.defaults { bAlwaysRelevant = true }
		Wearer.replication { { "HatClass", notify = true } }
		function Wearer.simulated:OnRep_HatClass(_)
			if self.hat and not self.hat.bDeleteMe then self.hat:Destroy() end
			self.hat = self.HatClass and self:SpawnEffect(self.HatClass, self.Location + vector(0, 0, 100))
			if self.hat then self.hat:SetBase(self, true) end
		end
	]]
	local s = t:server { level = "flat" }
	local a = t:client { name = "a" }
	local x = s:spawn("Wearer", { Location = vector(0, 0, 88.5) })
	t:within(3, function() return a:copy(x) end)
	x.HatClass = "Hat"
	t:within(1, function() return #a:actors("Hat") == 1 end)
	x.Location = vector(500, 0, 88.5)
	t:run(0.5)
	t:near(a:actors("Hat")[1].Location, a:copy(x).Location + vector(0, 0, 100), 1)
	t:eq({ #s:actors("Hat"), t:traffic(a).by_class.Hat }, { 0, nil })
	x.HatClass = nil
	t:within(1, function() return #a:actors("Hat") == 0 end)
end)
