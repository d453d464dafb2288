-- The levels made for scenarios (docs/scenarios.md) and the physics modes, walked and flown through.

local net = require("shared.net")
local holds = net.holds

-- walker is a standalone server whose player stands at a place and walks along +x for some seconds; it gives the pawn.
local function walker(t, level, at, seconds)
	local s = t:server{ level = level, mode = "standalone" }
	s:pawn():SetLocation(at)
	net.hold(t, s, { forward = 1 }, seconds)
	return s:pawn(), s
end

scenario("levels flat: a floor with its top at 0, and PlayerStarts at x = 0 every 400 uu", function(t)
	local s = t:server{}
	local starts = s:actors("PlayerStart")
	t:eq(#starts, 11)
	for i, start in ipairs(starts) do
		holds(t, start.Location, { X = 0, Y = -2000 + 400 * (i - 1) })
		t:eq(start.Rotation.Yaw, 0)
	end
	local hit = starts[1]:Trace(vector(15900, -15900, 500), vector(15900, -15900, -500))
	t:near(hit.Location, vector(15900, -15900, 0), 0.5)
	t:near(hit.Normal, vector(0, 0, 1), 1e-6)
	t:eq(starts[1]:Trace(vector(0, 0, 5), vector(15000, 0, 5)), nil, "nothing else is solid")
end)

scenario("levels flat: who walks off its edge falls out of the world and dies", function(t)
	local pawn, s = walker(t, "flat", vector(15900, 0, 88.5), 0.1)
	t:within(10, function() return not pawn.alive end)
	t:eq(s:pawn(), nil)
	t:run(1)
	t:eq(#s:log(), 0)
end)

scenario("levels wall: solid from x 500 to 520, y -2000 to 2000, z 0 to 1000", function(t)
	local pawn = walker(t, "wall", vector(0, 0, 88.5), 3)
	t:near(pawn.Location, vector(466, 0, 88.5), 1)
	local clear = function(a, b) return pawn:FastTrace(b, a) end
	t:no(clear(vector(400, 1990, 500), vector(600, 1990, 500)))
	t:ok(clear(vector(400, 2010, 500), vector(600, 2010, 500)))
	t:no(clear(vector(400, 0, 990), vector(600, 0, 990)))
	t:ok(clear(vector(400, 0, 1010), vector(600, 0, 1010)))
	t:near(pawn:Trace(vector(600, 0, 500), vector(400, 0, 500)).Location.X, 520, 0.5)
end)

for_each({ ["stairs of 16 uu are"] = -1600, ["a ramp of 30 degrees is"] = -800 }, function(y, what)
	scenario("levels steps: " .. what .. " walked up", function(t)
		local pawn = walker(t, "steps", vector(300, y, 88.5), 0)
		t:within(4, function() return pawn.Location.Z > 256 + 87 end)
		t:near(pawn.Location.Z, 256 + 88, 2)
		t:eq(pawn.Physics, PHYS_Walking)
	end)
end)

scenario("levels steps: a ramp of 60 degrees is not", function(t)
	local pawn = walker(t, "steps", vector(300, 0, 88.5), 4)
	t:lt(pawn.Location.Z, 140)
end)

scenario("levels steps: a ledge of 40 uu stops who walks, and is jumped on", function(t)
	local pawn, s = walker(t, "steps", vector(300, 800, 88.5), 3)
	t:lt(pawn.Location.Z, 95)
	local stopped = pawn.Location.X
	net.hold(t, s, { jump = true }, 1.5)
	t:gt(pawn.Location.X, stopped + 100)
	t:near(pawn.Location.Z, 40 + 88, 2)
end)

scenario("levels steps: the lift carries who steps on it", function(t)
	local s = t:server{ level = "steps", mode = "standalone" }
	local lift = s:actors("Mover")[1]
	t:eq(lift.Name, "Lift")
	local pawn, from = s:pawn(), lift.Location
	pawn:SetLocation(from + vector(0, 0, 150))
	t:within(3, function() return pawn.Base == lift end)
	t:within(4, function() return lift.Location.Z > from.Z + 250 end)
	t:near(pawn.Location.Z - lift.Location.Z, 8 + 88, 3)
	t:near(pawn.Location.X, from.X, 1)
	t:within(8, function() return lift.Location.Z < from.Z + 1 end)
	t:near(pawn.Location.Z, 16 + 88, 2)
	t:eq(#s:log(), 0)
end)

scenario("physics: a projectile hurts the pawn it hits, and not who fired it", function(t)
	t:scripts [[
		local Shot = class("Shot", "Projectile")
		Shot.defaults { Speed = 3000, Damage = 30 }
	]]
	local s = t:server{}
	local a = s:spawn("Character", { Location = vector(0, 0, 88.5) })
	local b = s:spawn("Character", { Location = vector(600, 0, 88.5) })
	t:run(0.1)
	local shot = s:spawn("Shot", { Location = a.Location + vector(20, 0, 30), Instigator = a, Owner = a })
	t:run(0.5)
	t:no(shot.alive)
	t:eq({ a.Health, b.Health }, { 100, 70 })
end)

scenario("physics: gravity of the world, and of a pawn of its own", function(t)
	t:scripts [[
		local Feather = class("Feather", "Character")
		Feather.defaults { GravityScale = 0.5 }
	]]
	local s = t:server{}
	local stone = s:spawn("Character", { Location = vector(0, 0, 5000), Physics = PHYS_Falling })
	local feather = s:spawn("Feather", { Location = vector(200, 0, 5000), Physics = PHYS_Falling })
	t:run(1)
	t:near(stone.Velocity.Z, -980, 1)
	t:near(feather.Velocity.Z, -490, 1)
end)

scenario("physics: a pickup is taken by who needs it and comes back", function(t)
	local s = t:server{ mode = "standalone" }
	local pickup = s:spawn("Pickup", { Location = vector(0, 0, 60), RespawnTime = 2 })
	local pawn = s:pawn()
	pawn:SetLocation(vector(-300, 0, 88.5))
	net.hold(t, s, { forward = 1 }, 1.5)
	t:ok(pickup.bAvailable, "nobody needed it")
	pawn.Health = 50
	pawn:SetLocation(vector(-300, 0, 88.5))
	t:within(2, function() return pawn.Health == 75 end)
	t:no(pickup.bAvailable)
	t:run(2.5)
	t:ok(pickup.bAvailable)
end)

scenario("physics: a trigger calls what listens to its event", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { Rang = int(0), By = ref("Actor") }
		function Bell:Trigger(other) self.Rang, self.By = self.Rang + 1, other end
	]]
	local s = t:server{ mode = "standalone" }
	local bell = s:spawn("Bell", { Tag = "gong" })
	s:spawn("Trigger", { Location = vector(0, 0, 88), Event = "gong" })
	s:pawn():SetLocation(vector(-400, 0, 88.5))
	net.hold(t, s, { forward = 1 }, 2)
	holds(t, bell, { Rang = 1, By = s:pawn() })
end)
