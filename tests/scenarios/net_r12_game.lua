-- R12.9: the sample game, ingredient by ingredient, on the server and on its clients.

local net = require("shared.net")
local holds = net.holds

-- joined waits until every client plays.
local function joined(t, s, ...)
	for _, c in ipairs({ ... }) do
		t:within(5, function() return s:pawn(c) and c:pawn() and c:pawn().Weapon end)
	end
end

-- duel is a match of two on flat ground: a looks at b from so far away.
local function duel(t, far, link)
	local s = t:server{ game = "DeathMatch" }
	link = link or {}
	local a = t:client{ name = "a", lag = link.lag, jitter = link.jitter, loss = link.loss }
	local b = t:client{ name = "b", lag = link.lag }
	joined(t, s, a, b)
	t:run(0.5)
	s:pawn(a):SetLocation(vector(0, 0, 88))
	s:pawn(b):SetLocation(vector(far, 0, 88))
	net.hold(t, a, { yaw = 0, pitch = 0 }, 1.5)
	return s, a, b
end

-- arm puts a weapon into a client's hand, and waits until they have it there.
local function arm(t, s, a, class)
	local weapon = s:pawn(a):FindInventory(class) or s:pawn(a):GiveInventory(class)
	t:within(2, function() return a:copy(weapon) end)
	a:call(a:pawn(), "SwitchWeapon", weapon.InventoryGroup)
	t:within(3, function()
		return s:pawn(a).Weapon == weapon and weapon.bIsEquipped and a:copy(weapon).bIsEquipped
	end)
	return weapon
end

local function state(s, c) return s:controller(c).PlayerReplicationInfo end

for_each({
	{ class = "Rifle", far = 900 },
	{ class = "Shotgun", far = 300 },
	{ class = "RocketLauncher", far = 700 },
	{ class = "GrenadeLauncher", far = 600, pitch = 1500 },
	{ class = "Cutlass", far = 90 },
}, function(case)
	scenario("R12.9 a kill with the " .. case.class .. " scores, on the server and on the clients", function(t)
		local s, a, b = duel(t, case.far, { lag = 0.05 })
		arm(t, s, a, case.class)
		s:pawn(b).Health = 30
		a:input{ fire = true, pitch = case.pitch or 0 }
		t:within(8, function() return state(s, b).Deaths == 1 end)
		a:input{ fire = false }
		t:eq(state(s, a).Score, 1)
		t:within(1, function() return a:copy(state(s, a)).Score == 1 and b:copy(state(s, b)).Deaths == 1 end)
		t:eq(b:copy(state(s, a)).Score, 1)
		t:within(5, function() return s:pawn(b) and b:pawn() and s:pawn(b).Health == 100 end)
	end)
end)

scenario("R12.9 pickups are taken, come back, and clients see both", function(t)
	local s, a = net.armed(t, { level = "arena", game = "DeathMatch" }, { name = "a", lag = 0.05 })
	local places = {}
	for _, p in ipairs(s:actors("Pickup")) do
		p.bAlwaysRelevant, p.RespawnTime = true, 2
		places[p.Name] = p
	end
	local pawn = s:pawn(a)
	local function take(name)
		local pickup = places[name]
		pawn:SetLocation(pickup.Location + vector(0, 0, 48))
		t:within(1, function() return not pickup.bAvailable end)
		t:within(1, function() return a:copy(pickup) and not a:copy(pickup).bAvailable end)
		pawn:SetLocation(vector(0, -1000, 88))
		return pickup
	end
	local function back(pickup)
		t:within(3, function() return pickup.bAvailable end)
		t:within(1, function() return a:copy(pickup).bAvailable end)
	end
	pawn.Health = 50
	local health = take("PickupBridge1")
	t:eq(pawn.Health, 75)
	back(health)
	local armour = take("PickupAlcove1")
	t:eq(pawn.Armour, 50)
	t:within(1, function() return a:pawn().Armour == 50 end)
	back(armour)
	local weapon = take("PickupPrize")
	local launcher = pawn:FindInventory("RocketLauncher")
	t:eq(launcher.Rounds.Clip, 6)
	back(weapon)
	local ammo = take("PickupHall1")
	t:eq(launcher.Rounds.Clip, 10)
	back(ammo)
end)

scenario("R12.9 ammunition is for who has the weapon and room for more, health for who is hurt", function(t)
	local s, a = net.armed(t, { level = "arena", game = "DeathMatch" }, "a")
	local pawn = s:pawn(a)
	local ammo = s:eval("return world:ActorByName('PickupHall1')")
	local health = s:eval("return world:ActorByName('PickupBridge1')")
	local function visit(pickup)
		local away = pawn.Location
		pawn:SetLocation(pickup.Location + vector(0, 0, 48))
		t:run(0.5)
		local left = pickup.bAvailable
		pawn:SetLocation(away)
		return left
	end
	t:ok(visit(ammo), "who does not have the weapon leaves it")
	local class = ammo.WeaponClass
	t:ok(pawn:GiveInventory(class), "the weapon is given")
	local gun = pawn:FindInventory(class)
	local function rounds() return gun:GetAmmo() + gun:GetSpareAmmo() end
	gun.Rounds.Clip, gun.Rounds.Spare = 1, 0
	t:no(visit(ammo), "who has the weapon takes it")
	t:eq(rounds(), 1 + ammo.Amount)
	t:within(1, function() return a:pawn():FindInventory(class):GetAmmo() + a:pawn():FindInventory(class):GetSpareAmmo() == 1 + ammo.Amount end)
	t:within(ammo.RespawnTime + 1, function() return ammo.bAvailable end)
	gun:GiveAmmo(10000)
	local full = rounds()
	t:ok(visit(ammo), "who has no room for more leaves it")
	t:eq(rounds(), full)
	gun.Rounds.Clip = gun.Rounds.Clip - 1
	t:no(visit(ammo), "one round short, it is taken")
	t:eq(rounds(), full, "and no more of it than there is room for")
	t:ok(visit(health), "who is not hurt leaves health")
	pawn.Health = 60
	t:no(visit(health))
	t:eq(pawn.Health, math.min(100, 60 + health.Amount))
end)

scenario("R12.9 armour takes half of the damage until it is used up", function(t)
	local s, a, b = duel(t, 500)
	local pawn = s:pawn(b)
	pawn.Armour = 20
	pawn:TakeDamage(30, s:pawn(a), pawn.Location, vector(), "rifle")
	holds(t, pawn, { Health = 85, Armour = 5 })
	pawn:TakeDamage(30, s:pawn(a), pawn.Location, vector(), "rifle")
	holds(t, pawn, { Health = 60, Armour = 0 })
	t:within(1, function() return b:pawn().Health == 60 and b:pawn().Armour == 0 end)
	t:eq(a:copy(pawn).Armour, 0)
end)

scenario("R12.9 how strong an enemy's armour is, nobody is told", function(t)
	local s, a, b = duel(t, 500)
	s:pawn(b).Armour = 77
	t:within(1, function() return b:pawn().Armour == 77 end)
	t:run(0.5)
	t:eq(a:copy(s:pawn(b)).Armour, 0)
end)

scenario("R12.9 a buggy stands where the level says, is driven, and others see it go", { budget = 90 }, function(t)
	local s, a, b = net.armed(t, { level = "arena", game = "DeathMatch" }, { name = "a", lag = 0.05 }, { name = "b", lag = 0.05 })
	t:run(2)
	local buggy
	for _, vehicle in ipairs(s:actors("Buggy")) do
		buggy = (vehicle.Location - vector(1150, 420, 60)):Size() < 100 and vehicle or buggy
	end
	t:ok(buggy, "a buggy by its factory")
	s:pawn(a):SetLocation(buggy.Location + vector(0, -150, 60))
	s:pawn(b):SetLocation(vector(1150, 0, 88))
	t:run(1)
	a:input{ use = true }
	t:within(2, function() return buggy.bDriving and a:pawn() and a:pawn():IsA("Buggy") end)
	a:input{ use = false, forward = 1 }
	local from = buggy.Location
	t:within(5, function() return (buggy.Location - from):Size() > 300 end)
	t:within(1, function() return (b:copy(buggy).Location - from):Size() > 250 end)
	t:eq(b:copy(buggy).AmbientSound, "sounds/engine.toml")
	a:input{ forward = 0, jump = true } -- the hand brake
	t:within(8, function() return buggy.Velocity:Size() < 20 end)
	net.hold(t, a, { jump = false }, 1)
	t:lt((a:copy(buggy).Location - buggy.Location):Size(), 30)
	t:lt((b:copy(buggy).Location - buggy.Location):Size(), 30)
	a:input{ use = true }
	t:within(2, function() return a:pawn() and a:pawn():IsA("ShooterPawn") and not buggy.bDriving end)
	a:input{ use = false }
	t:within(1, function() return b:copy(buggy).AmbientSound == "" end)
end)

for_each({ { name = "with a blow" }, { name = "with the blow that comes as the blade does", held = true } }, function(case)
	scenario("R12.9 who ends a buggy " .. case.name .. " may go up with it: the weapon minds", function(t)
		local s = t:server{ level = "flat", game = "DeathMatch", mode = "standalone" }
		t:run(1)
		local pawn = s:pawn()
		pawn:SetLocation(vector(0, 0, 88))
		local buggy = s:spawn("Buggy", { Location = vector(190, 0, 60) })
		t:run(1)
		buggy.Health, pawn.Health = 1, 5
		if case.held then
			s:input{ fire = true, yaw = 16384, pitch = 0 } -- the rifle first, aside
			t:run(0.3)
			s:input{ yaw = 0, pitch = 65536 - 8000, weapon = 1 }
		else
			net.hold(t, s, { yaw = 0, pitch = 65536 - 8000, weapon = 1 }, 1)
			s:input{ fire = true }
		end
		t:within(2, function() return s:controller().PlayerReplicationInfo.Deaths == 1 end)
		t:ok(not buggy.alive)
	end)
end)

scenario("R12.9 a blast that ends its maker hurts the others all the same", function(t)
	local s, a, b = duel(t, 150)
	s:pawn(a).Health = 1
	local rocket = s:spawn("Rocket", {
		Location = vector(60, 30, 88), Instigator = s:pawn(a), Owner = s:pawn(a), Damage = 50,
	})
	rocket:Explode(rocket.Location, vector(0, 0, 1))
	t:eq(state(s, a).Deaths, 1)
	t:lt(s:pawn(b).Health, 100)
	t:eq(state(s, a).Score, -1)
end)

scenario("R12.9 a score wins the match, and nobody is hurt once the match is over", function(t)
	local s, a, b = net.armed(t, { level = "arena", game = "DeathMatch", options = "?goalscore=1" }, "a", "b")
	local victim = s:pawn(b)
	victim:TakeDamage(500, s:pawn(a), victim.Location, vector(), "rocket")
	t:eq(s:eval("return world.GameState.MatchState"), "WaitingPostMatch")
	t:within(1, function() return b:eval("return world.GameState and world.GameState.MatchState") == "WaitingPostMatch" end)
	t:eq(state(s, a).Score, 1)
	s:pawn(a):TakeDamage(500, nil, vector(), vector(), "rocket")
	t:eq(s:pawn(a).Health, 100)
end)

scenario("R9.9 a grenade is seen at once by who throws it, and the server's goes on from there", { seeds = 5 }, function(t)
	local s, a = duel(t, 6000, { lag = 0.075, jitter = 0.01, loss = 0.02 })
	arm(t, s, a, "GrenadeLauncher")
	a:input{ fire = true, pitch = 1500 }
	t:ticks(3)
	a:input{ fire = false }
	t:eq({ #a:actors("Grenade"), #s:actors("Grenade") }, { 1, 0 })
	local first = a:actors("Grenade")[1]
	t:eq(first.Role, ROLE_Authority) -- its own
	local last, gaps, copies = first.Location, 0, 0
	for _ = 1, 90 do
		t:ticks(1)
		local here = a:actors("Grenade")
		t:eq(#here, 1, "grenades on the screen")
		copies = copies + (here[1].Role == ROLE_SimulatedProxy and 1 or 0)
		gaps = math.max(gaps, (here[1].Location - last):Size())
		last = here[1].Location
	end
	t:ge(copies, 60)
	t:lt(gaps, 90, "uu from one tick to the next; it would be 150 without")
	local grenade = s:actors("Grenade")[1]
	t:near(a:copy(grenade).Location, grenade.Location + grenade.Velocity * -0.075, 40)
end)

scenario("R9.9 a throw that the server refuses is taken back on the screen, and so is the round", function(t)
	local s, a = duel(t, 6000, { lag = 0.15 })
	local launcher = arm(t, s, a, "GrenadeLauncher")
	t:eq(a:copy(launcher):GetAmmo(), 6)
	a:input{ fire = true, pitch = 1500 }
	t:ticks(3)
	a:input{ fire = false }
	s:pawn(a):SetLocation(vector(-3000, 0, 88)) -- where it is now, no such shot can come from
	t:eq({ #a:actors("Grenade"), a:copy(launcher):GetAmmo() }, { 1, 5 })
	t:within(1.5, function() return #a:actors("Grenade") == 0 end)
	t:eq(#s:actors("Grenade"), 0)
	t:within(1, function() return a:copy(launcher):GetAmmo() == 6 end)
end)

scenario("R9.9 others see a thrown grenade once, and the same explosion ends it for all", function(t)
	local s, a, b = duel(t, 3000, { lag = 0.075 })
	arm(t, s, a, "GrenadeLauncher")
	a:input{ fire = true, pitch = 1500 }
	t:ticks(3)
	a:input{ fire = false }
	t:within(1, function() return #b:actors("Grenade") == 1 end)
	t:within(4, function() return #b:actors("Explosion") == 1 end)
	t:within(1, function() return #a:actors("Grenade") == 0 and #b:actors("Grenade") == 0 end)
end)

scenario("R9.9 a dash happens at once on its player's machine and alike on the server", { seeds = 5 }, function(t)
	local s, a = net.armed(t, { game = "DeathMatch" }, { name = "a", lag = 0.075, jitter = 0.015, loss = 0.02 })
	t:run(1)
	local before = #a:corrections()
	for _ = 1, 5 do
		a:input{ forward = 1, altfire = true }
		t:ticks(2)
		t:gt(a:pawn().Velocity:Size2D(), 800, "at once")
		t:lt(s:pawn(a).Velocity:Size2D(), 500, "the server does not know yet")
		a:input{ altfire = false }
		t:within(1, function() return s:pawn(a).Velocity:Size2D() > 800 end)
		t:run(2.5)
	end
	net.hold(t, a, { forward = 0 }, 2)
	t:eq(#a:corrections(), before)
	t:near(a:pawn().Location, s:pawn(a).Location, 1)
end)

scenario("R9.9 a dash that is not due yet is none, neither here nor there", function(t)
	local s, a = net.armed(t, { game = "DeathMatch" }, { name = "a", lag = 0.075 })
	t:run(1)
	local function press()
		a:input{ altfire = true }
		t:ticks(2)
		a:input{ altfire = false }
		t:ticks(2)
	end
	a:input{ forward = 1 }
	press()
	t:gt(a:pawn().Velocity:Size2D(), 800)
	t:run(1)
	press()
	t:lt(a:pawn().Velocity:Size2D(), 500, "one second later")
	t:run(1)
	press()
	t:gt(a:pawn().Velocity:Size2D(), 800, "two and a half")
	t:run(2)
	-- A machine that cheats about when it was last: the server's rules hold.
	press()
	t:run(0.5)
	local before = #a:corrections()
	a:pawn().Dash.Wait = 0
	press()
	t:gt(a:pawn().Velocity:Size2D(), 800, "it says so itself")
	local fastest = 0
	for _ = 1, 30 do
		t:ticks(1)
		fastest = math.max(fastest, s:pawn(a).Velocity:Size2D())
	end
	t:lt(fastest, 500, "the server does not")
	t:gt(#a:corrections(), before)
	t:run(2)
	t:near(a:pawn().Location, s:pawn(a).Location, 50)
end)

scenario("R9.10 a stroke with the cutlass lunges 120 uu, at once and without a correction", { seeds = 5 }, function(t)
	local s, a = duel(t, 3000, { lag = 0.075, loss = 0.02, jitter = 0.01 })
	arm(t, s, a, "Cutlass")
	t:run(1)
	local before, from = #a:corrections(), s:pawn(a).Location
	for stroke = 1, 3 do
		a:input{ fire = true }
		t:ticks(3)
		a:input{ fire = false }
		t:ticks(15)
		t:gt(a:pawn().Location.X - from.X, 120 * (stroke - 1) + 40, "at once")
		t:run(1.2)
		t:near(s:pawn(a).Location.X - from.X, 120 * stroke, 2)
	end
	t:eq(#a:corrections(), before)
	-- In real time a packet more or less decides which moves are combined; within MaxPositionError nobody is corrected.
	t:near(a:pawn().Location, s:pawn(a).Location, t:transport() == "sim" and 0.1 or 1.7)
end)

scenario("R9.9 nobody else's dash is guessed: others see it when the server says so", function(t)
	local s, a, b = duel(t, 1500, { lag = 0.05 })
	a:input{ forward = 0, strafe = 1, altfire = true }
	t:within(1, function() return b:copy(s:pawn(a)).Velocity:Size2D() > 700 end)
	t:eq(b:copy(s:pawn(a)).Dash.Wait, 0)
end)

for_each({
	{ name = "nothing but an amount", args = function() return 200 end },
	{ name = "no kind", args = function(killer) return 200, killer, vector(), vector() end },
	{ name = "a kind without words of its own", args = function(killer) return 200, killer, vector(), vector(), "100% acid" end },
	{ name = "a kind that is no text", args = function() return 200, nil, vector(), vector(), 7 end },
}, function(case)
	scenario("R12.9 damage with " .. case.name .. " kills, and the match goes on", function(t)
		local s, a, b = duel(t, 600)
		for _ = 1, 4 do -- three faults would quarantine a class
			t:within(10, function() return s:pawn(b) end)
			local pawn = s:pawn(b)
			pawn:TakeDamage(case.args(s:pawn(a)))
			t:no(pawn.alive)
			t:run(0.5)
		end
		t:eq(state(s, b).Deaths, 4)
		t:within(10, function() return s:pawn(b) and b:pawn() end)
		t:eq(s:eval("return world.GameState.MatchState"), "InProgress")
	end)
end)
