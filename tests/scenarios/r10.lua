-- Section 10 of the rules: bodies and simulated motion; what one peer shows of R10.4 and R10.5.

scenario("R10.4 pawns keep updating their place, projectiles do not", function(t)
	local s = t:server{}
	t:ok(s:spawn("Character").bUpdateSimulatedPosition)
	t:no(s:spawn("Projectile", { Location = vector(0, 0, 500) }).bUpdateSimulatedPosition)
	t:no(s:spawn("Actor").bUpdateSimulatedPosition)
end)

scenario("R10.5 pawns have gravity where they are simulated", function(t)
	local s = t:server{}
	t:ok(s:spawn("Character").bSimulateGravity)
	t:no(s:spawn("Character").bSimGravityDisabled)
end)

scenario("R10.5 the authority falls by itself and gets Landed", function(t)
	t:scripts [[
		local Stone = class("Stone", "Character")
		Stone.properties { Lands = int(0), Normal = vector(0, 0, 0) }
		function Stone:Landed(normal)
			self.Lands = self.Lands + 1
			self.Normal = normal
		end
	]]
	local s = t:server{}
	local stone = s:spawn("Stone", { Location = vector(0, 0, 400), Physics = PHYS_Falling })
	t:within(2, function() return stone.Lands == 1 end)
	t:near(stone.Location.Z, 88, 1)
	t:eq(stone.Physics, PHYS_Walking)
	t:near(stone.Normal, vector(0, 0, 1), 0.01)
	t:run(1)
	t:eq(stone.Lands, 1)
end)

scenario("R10.4 without Physics nothing moves", function(t)
	local s = t:server{}
	local a = s:spawn("Actor", { Location = vector(0, 0, 500), Velocity = vector(100, 0, 0) })
	t:run(1)
	t:eq(a.Location, vector(0, 0, 500))
end)
