-- R12.2 and R11.3: what a client may not do, whatever it sends. Its calls are made here as another program might make
-- them.

local net = require("shared.net")
local holds = net.holds

local ARMS = net.with [[
	local Gun = class("Gun", "WeaponInstant")
	Gun.properties { Fired = int(0), Why = str("", { max = 200 }) }
	Gun.defaults {
		Damage = 10, FireInterval = 0.2, ClipSize = 5, InitialAmmo = 10, MaxAmmo = 10, EquipTime = 0.3, ReloadTime = 1,
		InventoryGroup = 1,
	}
	function Gun:FireWeapon(shot) self.Fired = self.Fired + 1; Gun.super.FireWeapon(self, shot) end
	function Gun:ShotRefused(why) self.Why = why; Gun.super.ShotRefused(self, why) end
	local Tube = class("Tube", "WeaponProjectile")
	Tube.defaults { InventoryGroup = 2, ProjectileClass = "Projectile" }
	local Soldier = class("Soldier", "Character")
	Soldier.properties { Hits = int(0) }
	Soldier.defaults { DefaultInventory = { "Gun", "Tube" } }
	function Soldier:TakeDamage() self.Hits = self.Hits + 1 end
	local Duel = class("Duel", "GameInfo")
	Duel.defaults { DefaultPawnClass = "Soldier" }

	-- What a cheat's program does with the shots of its gun.
	local Cheat = class("Cheat", "PlayerController")
	local Crime = class("Crime", "Duel")
	Crime.defaults { PlayerControllerClass = "Cheat" }
	function Cheat:Shoot(changes)
		self.gun = self.gun or self.Pawn.Weapon
		self.number = (self.number or 0) + 1
		local now = self:GetServerTime() * 1000
		local eyes = self.Pawn:GetViewLocation()
		local shot = {
			Number = self.number, Mode = 0, Stamp = math.floor(now), Seen = math.floor(now - self:GetViewDelay() * 1000),
			Start = eyes, Pitch = 65300, Yaw = 0, Reach = 2000, First = changes.First,
		}
		for name, value in pairs(changes) do
			if type(value) == "number" and (name == "Stamp" or name == "Seen") then
				shot[name] = math.max(0, math.floor(shot[name] + value))
			else
				shot[name] = value or nil
			end
		end
		self.gun:ServerFire(shot)
	end
]]

-- A server with a cheat a, whose soldier looks along +X at one that stands before them.
local function duel(t, lag, level)
	local s, a = ARMS.armed(t, { game = "Crime", level = level or "flat" }, { name = "a", lag = lag or 0.05 })
	local pawn = s:pawn(a)
	local target = s:spawn("Soldier", { Location = pawn.Location + vector(600, 0, 0) })
	t:within(2, function() return a:copy(target) end)
	t:run(2)
	local pc = a:controller()
	local function shoot(changes)
		changes = changes or {}
		if changes.First == nil then changes.First = a:copy(target) end
		pc:Shoot(changes)
	end
	return s, a, pawn.Weapon, target, shoot, pawn
end

scenario("R12.2 an honest shot by hand hits", function(t)
	local _, _, gun, target, shoot = duel(t)
	shoot()
	t:run(0.3)
	t:eq(target.Hits, 1)
	holds(t, gun.Rounds, { Refused = 0, Clip = 4 })
end)

scenario("R11.3 a claim older than the shooter's latency and the tolerance hits nothing, is counted and told", function(t)
	local s, a, gun, target, shoot = duel(t)
	local pc = s:controller(a)
	for i, case in ipairs { { -20, true }, { -100, false }, { -300, false }, { -100000, false } } do
		t:run(0.3)
		local before, told = target.Hits, pc:GetRefusedClaims()
		shoot{ Seen = case[1] }
		t:run(0.3)
		t:eq(target.Hits - before, case[2] and 1 or 0, "claim " .. i)
		t:eq(pc:GetRefusedClaims() - told, case[2] and 0 or 1)
	end
	t:eq(gun.Rounds.Clip, 1, "the rounds are gone all the same")
	t:match(table.concat(s:log(), "\n"), "older than his latency explains")
	t:match(table.concat(s:log(), "\n"), 'called by "a"[ ,)]')
end)

scenario("R11.3 a claim is held against the latency that the server measures, whatever the client does with its own", function(t)
	local s, a, _, target, shoot = duel(t, 0.12)
	shoot{ Seen = -40 }
	t:run(0.6)
	t:eq(target.Hits, 1)
	shoot{ Seen = -250 }
	t:run(0.6)
	t:eq({ target.Hits, s:controller(a):GetRefusedClaims() }, { 1, 1 })
	shoot{ Seen = 5000 } -- the future is as good as now
	t:run(0.6)
	t:eq(target.Hits, 2)
end)

scenario("R12.2 fire faster than the interval is refused, and patience gains nothing", function(t)
	local _, a, gun, _, shoot = duel(t)
	gun.Rounds.Clip, gun.MaxAmmo = 1000, 1000
	local first = gun.Fired
	for _ = 1, 60 do -- one in each tick for a second
		shoot{ First = false }
		t:ticks(1)
	end
	t:run(0.5)
	t:le(gun.Fired - first, 6)
	t:ge(gun.Fired - first, 5)
	t:eq(gun.Why, "it comes too soon after the last")
	-- With stamps that are spaced as they should be but too dense for the time that goes by: 5 % fast.
	t:run(3)
	first = gun.Fired
	local start = a:controller():GetServerTime()
	for i = 1, 100 do
		t:run(0.19)
		local now = a:controller():GetServerTime()
		shoot{ First = false, Stamp = (start + i * 0.2 - now) * 1000 }
	end
	t:run(1)
	t:le(gun.Fired - first, 97, "of 100 in 19 s")
	t:match(gun.Why, "future")
	-- Saved up: none for ten seconds, then as many as would have been.
	t:run(10)
	first = gun.Fired
	for i = 1, 50 do shoot{ First = false, Stamp = -10000 + i * 200 } end
	t:run(1)
	t:le(gun.Fired - first, 6, "what lag may have delayed, no more")
end)

scenario("R12.2 the tolerance of 0.01 s is one of clocks, not of every shot", function(t)
	local _, a, gun, _, shoot = duel(t)
	gun.Rounds.Clip = 1000
	local first = gun.Fired
	local start = a:controller():GetServerTime()
	for i = 1, 100 do
		t:run(0.193)
		shoot{ First = false, Stamp = (start + i * 0.193 - a:controller():GetServerTime()) * 1000 }
	end
	t:run(0.5)
	t:le(gun.Fired - first, 97, "not more than the 19.3 s have room for, though each came 7 ms early")
end)

-- Each case: how many seconds a second shot comes before it is due, and whether it counts.
for_each({ { 0.1 }, { 0.2 }, { 0.7 } }, function(case)
	scenario("R12.2 a shot may come 0.01 s before its interval of " .. case[1] .. " s is over, and no more", function(t)
		local _, a, gun, _, shoot = duel(t)
		local interval = case[1]
		gun.Rounds.Clip, gun.MaxAmmo, gun.FireInterval = 1000, 1000, interval
		for _, early in ipairs { { -0.005, true }, { 0, true }, { 0.004, true }, { 0.008, true }, { 0.013, false }, { 0.03, false }, { 0.06, false }, { 0.095, false } } do
			t:run(1)
			local before, first = gun.Fired, a:controller():GetServerTime()
			shoot{ First = false }
			t:run(interval)
			t:eq(gun.Fired, before + 1, "the first one")
			gun.Why = ""
			shoot{ First = false, Stamp = (first + interval - early[1] - a:controller():GetServerTime()) * 1000 }
			t:run(0.3)
			t:eq(gun.Fired - before, early[2] and 2 or 1, early[1] .. " s early")
			t:eq(gun.Why, early[2] and "" or "it comes too soon after the last")
		end
	end)
end)

scenario("R12.2 there is no shot without a round, none while it is loaded, none before it is ready", function(t)
	local _, a, gun, target, shoot, pawn = duel(t)
	gun:SetAmmo(2)
	t:run(0.3)
	for _ = 1, 5 do
		shoot()
		t:run(0.25)
	end
	t:eq({ target.Hits, gun.Rounds.Clip, gun.Why, gun.Rounds.Refused }, { 2, 0, "there is no round left", 3 })
	gun:GiveAmmo(8)
	a:controller().Pawn.Weapon:ServerStartReload(1, math.floor(a:controller():GetServerTime() * 1000))
	t:run(0.3)
	shoot()
	t:run(0.3)
	t:eq({ gun.Why, target.Hits }, { "the weapon is not ready", 2 })
	t:run(1)
	pawn:SetCurrentWeapon(nil)
	shoot()
	t:run(0.3)
	t:eq(gun.Why, "the weapon is not in the hand")
	pawn:SetCurrentWeapon(gun)
	shoot()
	t:run(0.1)
	t:eq({ gun.Why, target.Hits }, { "the weapon is not ready", 2 })
end)

scenario("R12.2 a reload takes its time, whenever it is said to have begun", function(t)
	local _, a, gun, _, shoot = duel(t)
	for _ = 1, 5 do
		shoot{ First = false }
		t:run(0.25)
	end
	t:eq(gun.Rounds.Clip, 0)
	local mine = a:controller().Pawn.Weapon
	local last = a:controller():GetServerTime()
	mine:ServerStartReload(1, 0) -- "long ago"
	t:run(0.3)
	shoot{ Reload = 1, First = false, Stamp = 90 }
	t:run(0.2)
	t:eq(gun.Rounds.Clip, 0, "not before the last shot")
	t:within(1, function() return gun.Rounds.Clip == 5 end)
	t:ge(a:controller():GetServerTime() - last, 0.6)
end)

scenario("R12.2 numbers cannot be used twice, and none far ahead", function(t)
	local _, _, gun, target, shoot = duel(t)
	shoot()
	t:run(0.3)
	shoot{ Number = 1 }
	t:run(0.3)
	t:eq(target.Hits, 1)
	shoot{ Number = 5000 }
	t:run(0.3)
	t:eq(target.Hits, 1)
	t:eq(gun.Rounds.Shots, 1, "they are not even judged")
	shoot{ Number = 2 }
	t:run(0.3)
	t:eq(target.Hits, 2)
end)

scenario("R12.2 a shot begins where its pawn is, on its side of the walls", function(t)
	local s, _, gun, target, shoot, pawn = duel(t, 0.05, "wall")
	pawn:SetLocation(vector(460, 0, 88.1))
	target:SetLocation(vector(700, 0, 88.1))
	t:run(1)
	shoot()
	t:run(0.3)
	t:eq(target.Hits, 0, "the wall is in between")
	shoot{ Start = vector(530, 0, 152) }
	t:run(0.3)
	t:eq(target.Hits, 0)
	t:match(gun.Why, "uu from the eyes")
	pawn:SetLocation(vector(465, 0, 88.1))
	t:run(0.3)
	shoot{ Start = vector(522, 0, 152) }
	t:run(0.3)
	t:eq({ target.Hits, gun.Why, #s:actors("Soldier") }, { 0, "it begins behind a wall", 2 })
end)

scenario("R11.3 a target that was not in the line is not hit, wherever it is claimed to be", function(t)
	local s, a, gun, target, shoot = duel(t)
	local other = s:spawn("Soldier", { Location = target.Location + vector(0, 500, 0) })
	t:within(1, function() return a:copy(other) end)
	t:run(0.5)
	shoot{ First = a:copy(other) }
	t:run(0.3)
	t:eq(other.Hits, 0)
	t:eq(target.Hits, 0, "only who is named is rewound")
	shoot{ Yaw = 16384 }
	t:run(0.3)
	t:eq(target.Hits, 0)
	shoot{ First = a:pawn(), Second = a:copy(target) }
	t:run(0.3)
	t:eq(target.Hits, 1)
	t:eq(s:pawn(a).Hits, 0, "nobody shoots himself")
	shoot{ Reach = 65535, First = a:copy(target) }
	t:run(0.3)
	t:eq({ target.Hits, gun.Rounds.Refused }, { 2, 0 })
end)

scenario("R12.2 the dead do not fire, and who is gone is no target", function(t)
	local _, a, gun, target, shoot, pawn = duel(t)
	local copy = a:copy(target)
	pawn.Health = 0
	shoot{ First = copy }
	t:run(0.3)
	t:eq(gun.Why, "its pawn is dead")
	pawn.Health = 100
	target:Destroy()
	shoot{ First = copy } -- its client has not heard
	t:run(0.5)
	t:eq({ gun.Fired, gun.Rounds.Refused }, { 1, 1 })
end)

scenario("R12.2 the weapons of others and things that are no weapon of his are not his to use", function(t)
	local s, a, gun, target, _, pawn = duel(t)
	local b = t:client{ name = "b", lag = 0.05 }
	t:within(5, function() return s:pawn(b) and b:copy(pawn) and b:pawn() and b:pawn().Weapon end)
	t:run(0.5)
	t:eq(b:copy(gun), nil, "he does not even know it")
	s:eval("for _, w in ipairs(world:ActorsOf('Gun')) do w.bOnlyRelevantToOwner = false w.bAlwaysRelevant = true end")
	t:within(1, function() return b:copy(gun) end)
	local offences = #s:log()
	b:eval [[
		for _, gun in ipairs(world:ActorsOf("Gun")) do
			if gun ~= world:ActorsOf("PlayerController")[1].Pawn.Weapon then
				gun:ServerStartFire(0)
				gun:ServerFire{ Number = 1, Reach = 2000 }
				gun:ServerStartReload(1, 0)
			end
		end
	]]
	t:run(0.5)
	holds(t, gun, { Fired = 0, bWantsToFire = false })
	t:eq(gun.Rounds.Shots, 0)
	t:ge(#s:log(), offences)
	-- A weapon in the hand that belongs to somebody else.
	b:pawn():ServerSetCurrentWeapon(b:copy(gun), 1, 0)
	t:run(0.5)
	t:eq(s:pawn(b).Weapon:GetClass(), "Gun")
	t:ne(s:pawn(b).Weapon, gun)
	t:eq({ pawn.Weapon, target.Hits, a:pawn().Weapon }, { gun, 0, a:copy(gun) })
end)

scenario("R6.7 calls that make no sense do not run", function(t)
	local s, a = duel(t)
	a:controller().Pawn.Weapon:ServerStartReload(1, 0)
	t:run(0.2)
	t:eq(a.error, nil)
	local mine = a:controller().Pawn:FindInventory("Tube")
	mine:ServerStartReload(1, 0) -- a weapon that is never loaded
	t:run(0.5)
	t:match(table.concat(s:log(), "\n"), "ServerStartReload")
	t:ok(a.error, "it closes the connection")
end)

scenario("R6.7 nobody looks back over his head", function(t)
	local s, a, _, target, shoot = duel(t)
	shoot{ Pitch = 30000 }
	t:run(0.5)
	t:eq(target.Hits, 0)
	t:ok(a.error)
	t:match(table.concat(s:log(), "\n"), "ServerFire")
end)

scenario("R12.2 a flood of shots is cheap to refuse and starves nobody", function(t)
	local s, a, gun = duel(t)
	local b = t:client{ name = "b" }
	t:within(5, function() return b:pawn() and b:pawn().Weapon end)
	t:expect_error("Gun:ServerFire: .*the scripts of this client have used up their 300 calls a second")
	for _ = 1, 20 do
		for _ = 1, 30 do a:controller():Shoot{} end
		t:ticks(3)
	end
	t:run(1)
	t:le(gun.Fired, 5)
	t:le(#s:log(), 30, "lines about it are few")
	net.hold(t, b, { fire = true }, 0.5)
	t:gt(s:pawn(b).Weapon.Fired, 1)
end)
