-- R12.4: projectiles. Most are told of once and fly by themselves on each machine; those that are steered, and those
-- that may kill with one hit, end when the server says so.

local net = require("shared.net")
local holds = net.holds

local ARMS = net.with [[
	local Flash = class("Flash", "Actor")
	Flash.defaults { RemoteRole = ROLE_None, LifeSpan = 5 }
	local Bolt = class("Bolt", "Projectile")
	Bolt.properties { Walls = int(0), Touches = int(0) }
	Bolt.defaults { Speed = 1000, ExplosionClass = "Flash", Damage = 30 }
	function Bolt.simulated:HitWall(normal, wall) self.Walls = self.Walls + 1; Bolt.super.HitWall(self, normal, wall) end
	function Bolt.simulated:Touch(other) self.Touches = self.Touches + 1; Bolt.super.Touch(self, other) end
	local Slug = class("Slug", "Bolt")
	Slug.defaults { Damage = 100 } -- kills with one hit
	local Seeker = class("Seeker", "Bolt")
	Seeker.defaults { bUpdateSimulatedPosition = true, Speed = 400 }
	function Seeker:Tick(_)
		if self:HasAuthority() then self.Velocity = self.Velocity + vector(0, 400 * world.DeltaSeconds, 0) end
	end

	local Tube = class("Tube", "WeaponProjectile")
	Tube.defaults { ProjectileClass = "Bolt", FireInterval = 0.5, EquipTime = 0.1, InitialAmmo = 10, MaxAmmo = 10 }
	local Gunner = class("Gunner", "Character")
	Gunner.properties { Hits = int(0), Hurt = float(0), By = ref("Pawn"), Kind = "" }
	Gunner.defaults { DefaultInventory = { "Tube" } }
	function Gunner:TakeDamage(amount, by, _, _, kind)
		self.Hits, self.Hurt, self.By, self.Kind = self.Hits + 1, self.Hurt + amount, by, kind
	end
]]

local function duel(t, level, lag)
	local s = ARMS.server(t, { pawn = "Gunner", level = level or "flat" })
	local a, b = t:client{ name = "a", lag = lag or 0.05 }, t:client{ name = "b", lag = 0.03 }
	t:within(8, function()
		return s:pawn(a) and a:pawn() and a:pawn().Weapon and s:pawn(b) and b:pawn() and b:copy(s:pawn(a))
	end)
	t:run(1)
	return s, a, b, s:pawn(a)
end

-- Where the flashes are that one peer shows.
local function flashes(peer)
	local list = {}
	for i, f in ipairs(peer:actors("Flash")) do list[i] = f.Location end
	return list
end

scenario("R12.4 a bolt is told of once, flies by itself, and bursts on each machine where it met the wall", function(t)
	local s, a, b, pawn = duel(t, "wall")
	pawn:SetLocation(vector(-400, 0, 88.1))
	t:run(0.5)
	local bolt = s:spawn("Bolt", { Location = vector(-300, 300, 200), Instigator = pawn, Owner = pawn })
	t:ok(bolt.bNetTemporary)
	t:within(0.3, function() return a:copy(bolt) and b:copy(bolt) end)
	t:eq(a:copy(bolt).Instigator, a:pawn(), "who fired it is known")
	t:run(0.15) -- until all that is acknowledged
	local told = t:traffic(b).by_class.Bolt.bytes
	local copy = b:copy(bolt)
	t:run(0.2)
	t:eq(t:traffic(b).by_class.Bolt.bytes, told, "not a byte more")
	t:near(copy.Location.X, bolt.Location.X, 80)
	t:eq(#flashes(b), 0)
	t:run(0.7)
	t:no(bolt.alive)
	t:no(copy.alive, "its client ends it")
	for _, peer in ipairs { a, b } do
		t:eq(#flashes(peer), 1)
		t:near(flashes(peer)[1], vector(496, 300, 200), 3)
	end
	t:eq(#flashes(s), 0, "the server has no eyes")
	t:eq(#a:log() + #b:log(), 0, table.concat(b:log(), "; "))
end)

scenario("R12.4 only the server does harm, and never to who fired it", function(t)
	local s, a, b, pawn = duel(t)
	pawn:SetLocation(vector(0, 3000, 88.1))
	local target = s:spawn("Gunner", { Location = vector(500, 3000, 88.1) })
	t:run(1)
	local bolt = s:spawn("Bolt", { Location = vector(0, 3000, 100), Instigator = pawn, Owner = pawn })
	t:run(0.15)
	t:ok(bolt.alive, "it begins inside of him")
	t:ok(a:copy(bolt).alive)
	t:run(1)
	t:no(bolt.alive)
	holds(t, target, { Hits = 1, Hurt = 30, By = pawn, Kind = "projectile" })
	t:eq(pawn.Hits, 0)
	for _, peer in ipairs { a, b } do
		t:eq(#flashes(peer), 1)
		t:near(flashes(peer)[1].X, 500 - 34 - 4, 20)
		t:eq(peer:copy(target).Hits, 0)
	end
end)

scenario("R12.4 one that kills with one hit is no temporary: no copy shows a hit that there was not", function(t)
	local s, _, b, pawn = duel(t)
	pawn:SetLocation(vector(0, 3000, 88.1))
	local target = s:spawn("Gunner", { Location = vector(600, 3000, 88.1) })
	t:within(2, function() return b:copy(target) end)
	t:run(0.5)
	local slug = s:spawn("Slug", { Location = vector(100, 3000, 100), Instigator = pawn, Owner = pawn })
	t:no(slug.bNetTemporary)
	t:within(0.3, function() return b:copy(slug) end)
	target:SetLocation(vector(600, 3300, 88.1))
	local ghost = b:spawn("Gunner", { Location = vector(300, 3000, 88.1) }) -- nobody but this client knows of them
	t:within(1, function() return slug.Location.X > 600 end)
	t:eq(#flashes(b), 0)
	t:ok(b:copy(slug))
	ghost:Destroy()
	s:spawn("Gunner", { Location = vector(1200, 3000, 88.1) })
	t:within(2, function() return not slug.alive end)
	t:within(0.3, function() return #flashes(b) == 1 end)
	t:near(flashes(b)[1].X, 1200 - 38, 20)
	t:eq(target.Hits, 0)
	t:eq(#b:log(), 0, table.concat(b:log(), "; "))
end)

scenario("R12.4 one that is steered keeps being told of, and ends as the server says", function(t)
	local s, _, b, pawn = duel(t)
	pawn:SetLocation(vector(0, 3000, 88.1))
	t:run(0.5)
	local seeker = s:spawn("Seeker", { Location = vector(100, 3000, 500), Instigator = pawn, Owner = pawn })
	t:no(seeker.bNetTemporary)
	t:run(2)
	t:gt(seeker.Location.Y, 3600, "it has turned")
	t:near(b:copy(seeker).Location, seeker.Location, 80)
	seeker:Explode(seeker.Location, vector(0, 0, 1))
	t:within(0.2, function() return #flashes(b) == 1 and not b:copy(seeker) end)
	t:near(flashes(b)[1], vector(900, 3800, 500), 100)
end)

scenario("R12.4 a weapon's projectile is the server's: its owner fires, and it flies for all", function(t)
	local s, a, b, pawn = duel(t, "flat", 0.1)
	pawn:SetLocation(vector(-1000, 3000, 88.1))
	net.hold(t, a, { yaw = 0, pitch = 0 }, 1)
	net.press(t, a, "fire", 0.05)
	t:eq(#a:actors("Bolt"), 0, "nothing is made up here")
	t:eq(a:pawn().Weapon:GetAmmo(), 9)
	t:within(0.2, function() return #s:actors("Bolt") == 1 end)
	local bolt = s:actors("Bolt")[1]
	t:eq(bolt.Instigator, pawn)
	t:near(bolt.Velocity, vector(1000, 0, 0), 1)
	t:within(0.3, function() return #a:actors("Bolt") == 1 and #b:actors("Bolt") == 1 end)
	t:near(b:actors("Bolt")[1].Velocity, vector(1000, 0, 0), 1)
	holds(t, pawn.Weapon.Rounds, { Clip = 9, Refused = 0 })
end)

scenario("R12.4 nobody shoots through a wall that the muzzle reaches into", function(t)
	local s, a, _, pawn = duel(t, "wall")
	pawn:SetLocation(vector(460, 0, 88.1))
	s:eval("for _, w in ipairs(world:ActorsOf('Tube')) do w.MuzzleForward = 100 end")
	net.hold(t, a, { yaw = 0, pitch = 0 }, 1)
	net.press(t, a, "fire", 0.3)
	t:run(0.5)
	t:eq({ pawn.Weapon.Rounds.Shots, #s:actors("Bolt"), #flashes(a) }, { 1, 0, 1 })
	t:lt(flashes(a)[1].X, 501, "on this side")
end)

scenario("R12.4 a grenade that its own blast destroys goes off without a fault", function(t)
	t:scripts [[
		local Trap = class("Trap", "Pawn")
		function Trap:TakeDamage(...)
			for _, grenade in ipairs(self:ActorsOf("Grenade")) do grenade:Destroy() end
		end
	]]
	local s = t:server{ level = "flat", game = "DeathMatch" }
	s:spawn("Trap", { Location = vector(100, 0, 100) })
	local grenade = s:spawn("Grenade", { Location = vector(0, 0, 100) })
	grenade:Explode()
	t:eq(#s:actors("Grenade"), 0)
end)
