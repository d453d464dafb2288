-- R12.1 and R12.2: weapons. How many rounds a player sees is in net_r12_ammo.lua, carrying in
-- net_r12_inventory.lua, projectiles in net_r12_projectile.lua, cheats in net_r12_cheats.lua.

local net = require("shared.net")
local holds = net.holds

-- A gun that counts what happens to it and writes its states down, and a target that counts hits.
local ARMS = net.with [[
	local Gun = class("Gun", "WeaponInstant")
	Gun.properties {
		States = str("", { max = 1000 }), Illegal = str("", { max = 200 }), Reloadings = int(0), Equippings = int(0),
		Bursts = int(0), Ends = int(0), Fired = int(0), Shown = int(0),
	}
	Gun.defaults {
		Damage = 7, FireInterval = 0.1, ClipSize = 5, InitialAmmo = 12, MaxAmmo = 20, ReloadTime = 0.5,
		EquipTime = 0.2, InventoryGroup = 2, AttachmentClass = "GunInHand",
	}
	local legal = {
		Idle = { Firing = true, Reloading = true, Equipping = true }, Firing = { Idle = true, Reloading = true },
		Reloading = { Idle = true }, Equipping = { Idle = true },
	}
	function Gun:SetWeaponState(state)
		local before = self.CurrentState
		if state ~= before then
			self.States = (self.States .. " " .. state):sub(-900)
			if state == "Reloading" then self.Reloadings = self.Reloadings + 1 end
			if state == "Equipping" then self.Equippings = self.Equippings + 1 end
			if not legal[before][state] then self.Illegal = before .. " to " .. state end
		end
		Gun.super.SetWeaponState(self, state)
	end
	function Gun:OnBurstStarted() self.Bursts = self.Bursts + 1; Gun.super.OnBurstStarted(self) end
	function Gun:OnBurstFinished() self.Ends = self.Ends + 1; Gun.super.OnBurstFinished(self) end
	function Gun:FireWeapon(shot) self.Fired = self.Fired + 1; Gun.super.FireWeapon(self, shot) end
	function Gun:ShowFiring() self.Shown = self.Shown + 1; Gun.super.ShowFiring(self) end

	local Pistol = class("Pistol", "Gun")
	Pistol.defaults { bAutomatic = false, InventoryGroup = 1, NumFireModes = 2, FireInterval = 0.05 }

	local GunInHand = class("GunInHand", "WeaponAttachment")
	GunInHand.properties { Flashes = int(0), Impacts = int(0), Mode = int(-1), At = vector(0, 0, 0) }
	function GunInHand:PlayFire(mode)
		self.Flashes, self.Mode = self.Flashes + 1, mode
		GunInHand.super.PlayFire(self, mode)
	end
	function GunInHand:PlayImpact(at, normal)
		self.Impacts, self.At = self.Impacts + 1, at
		GunInHand.super.PlayImpact(self, at, normal)
	end

	local Soldier = class("Soldier", "Character")
	Soldier.properties { Hits = int(0), Hurt = float(0) }
	Soldier.defaults { DefaultInventory = { "Gun" } }
	function Soldier:TakeDamage(amount) self.Hits, self.Hurt = self.Hits + 1, self.Hurt + amount end
	local Sergeant = class("Sergeant", "Soldier")
	Sergeant.defaults { DefaultInventory = { "Pistol" } }

	local Duel = class("Duel", "GameInfo")
	Duel.defaults { DefaultPawnClass = "Soldier" }
	local PistolDuel = class("PistolDuel", "Duel")
	PistolDuel.defaults { DefaultPawnClass = "Sergeant" }
]]

-- A server with a client a, whose soldier looks along +X at one that stands before them.
local function duel(t, link, game)
	local s, a, pawn = ARMS.player(t, { game = game or "Duel" }, link)
	t:within(5, function() return a:pawn().Weapon end)
	local target = s:spawn("Soldier", { Location = pawn.Location + vector(600, 0, 0) })
	a:input{ yaw = 0, pitch = 65300 } -- at the chest
	t:run(1.5)
	return s, a, pawn.Weapon, target, pawn
end

-- The soldier of a bot at the server, with the same before them.
local function bot(t, mode)
	local s = ARMS.server(t, { game = "Duel", mode = mode })
	local pawn = s:spawn("Soldier", { Location = vector(0, 5000, 88.1) })
	pawn:AddDefaultInventory()
	local mind = s:spawn("AIController")
	mind:Possess(pawn)
	mind.ViewRotation = rotator(65300, 0, 0)
	local target = s:spawn("Soldier", { Location = vector(600, 5000, 88.1) })
	t:run(0.5)
	return s, pawn.Weapon, target, pawn
end

-- 1 The state machine

scenario("R12.1 a weapon is equipped, idle, fires, is loaded and fires on", function(t)
	local _, gun, _, pawn = bot(t)
	holds(t, gun, { States = " Equipping Idle", bIsEquipped = true })
	pawn:StartFire(0)
	t:eq(gun.CurrentState, "Firing")
	t:run(0.35)
	t:eq(gun.Fired, 4)
	t:run(0.1)
	t:eq(gun.CurrentState, "Reloading", "the clip of five is empty")
	t:ok(gun.bPendingReload)
	t:run(0.2)
	t:eq(gun.Fired, 5, "no shot in the meantime")
	t:run(0.4)
	t:eq(gun.CurrentState, "Firing", "the key is still held")
	t:run(2)
	t:eq(gun.Fired, 12)
	t:eq(gun.CurrentState, "Idle", "twelve rounds are gone")
	t:ok(gun.bWantsToFire, "though it is still wished for")
	pawn:StopFire(0)
	t:eq(gun.Illegal, "")
end)

scenario("R12.1 the state follows from the wishes, exactly", function(t)
	local s, gun = bot(t)
	-- What DetermineWeaponState makes of bIsEquipped, bPendingReload, bPendingEquip, bWantsToFire, the rounds in the clip
	-- and the state before.
	for _, c in ipairs {
		{ "Idle", true, false, false, false, 5, "Idle" },
		{ "Idle", true, false, false, true, 5, "Firing" },
		{ "Idle", true, false, false, true, 0, "Idle" },
		{ "Firing", true, false, false, false, 5, "Idle" },
		{ "Firing", true, false, false, true, 3, "Firing" },
		{ "Firing", true, false, false, true, 0, "Idle" },
		{ "Idle", true, true, false, false, 4, "Reloading" },
		{ "Firing", true, true, false, true, 4, "Reloading" },
		{ "Idle", true, true, false, true, 5, "Idle" }, -- the clip is full: as it was
		{ "Firing", true, true, false, true, 5, "Firing" }, -- likewise
		{ "Reloading", true, true, false, true, 4, "Reloading" },
		{ "Reloading", true, false, false, true, 4, "Idle" }, -- the way to firing leads over Idle
		{ "Equipping", true, false, false, true, 4, "Idle" },
		{ "Idle", false, false, true, true, 5, "Equipping" },
		{ "Idle", false, true, false, true, 4, "Idle" },
		{ "Firing", false, false, false, true, 5, "Idle" },
		{ "Idle", false, false, false, false, 5, "Idle" },
	} do
		s:eval(string.format([[
			local gun = world:ActorsOf("Gun")[1]
			gun.CurrentState, gun.bIsEquipped, gun.bPendingReload, gun.bPendingEquip = %q, %s, %s, %s
			gun.bWantsToFire, gun.Rounds.Clip, gun.Rounds.Spare, gun.nextFire = %s, %d, 5, world.TimeSeconds + 9
			gun:DetermineWeaponState()
		]], c[1], tostring(c[2]), tostring(c[3]), tostring(c[4]), tostring(c[5]), c[6]))
		t:eq(gun.CurrentState, c[7], table.concat({ c[1], tostring(c[2]), tostring(c[3]), tostring(c[4]), tostring(c[5]), c[6] }, " "))
	end
end)

scenario("R12.1 bursts begin and end once, and the timer fires at FireInterval", function(t)
	local _, gun, _, pawn = bot(t)
	pawn:StartFire(0)
	pawn:StartFire(0)
	t:eq(gun.Fired, 1, "the first shot comes at once")
	t:eq(gun.Bursts, 1)
	t:run(0.23)
	t:eq(gun.Fired, 3)
	pawn:StopFire(0)
	holds(t, gun, { CurrentState = "Idle", Ends = 1 })
	t:run(0.5)
	t:eq(gun.Fired, 3)
	-- Pressing the key again does not fire faster.
	for _ = 1, 6 do
		pawn:StartFire(0)
		pawn:StopFire(0)
	end
	t:eq(gun.Fired, 4)
end)

for_each({ { 20, 10 }, { 60, 20 }, { 144, 12 } }, function(rate)
	scenario("R12.1 the rate of fire does not depend on the rate of ticks: " .. rate[1], function(t)
		t:scripts(ARMS.classes .. [[
			local Fast = class("Fast", "Gun")
			Fast.defaults { FireInterval = 0.07, ClipSize = 0, InitialAmmo = 1000, MaxAmmo = 1000 }
		]])
		local s = t:server{ game = "Duel", tick = rate[1], net = rate[2] }
		local pawn = s:spawn("Soldier", { Location = vector(0, 5000, 88.1) })
		local gun = pawn:GiveInventory("Fast")
		t:run(0.5)
		pawn:StartFire(0)
		t:run(7)
		t:near(gun.Fired, 101, 1)
	end)
end)

scenario("R12.1 loading by hand, broken off, of a full clip and with nothing spare", function(t)
	local _, gun, _, pawn = bot(t)
	pawn:StartReload()
	t:eq(gun.CurrentState, "Idle", "the clip is full")
	pawn:StartFire(0)
	pawn:StopFire(0)
	pawn:StartReload()
	t:eq(gun.CurrentState, "Reloading")
	pawn:StartFire(0)
	t:eq(gun.Fired, 1, "firing waits")
	gun:StopReload()
	t:eq(gun.CurrentState, "Firing")
	t:eq(gun.Rounds.Clip, 4, "nothing was loaded")
	t:run(0.15)
	t:eq(gun.Rounds.Clip, 3)
	pawn:StopFire(0)
	pawn:StartReload()
	t:run(0.55)
	holds(t, gun.Rounds, { Clip = 5, Spare = 5 })
	t:run(0.1)
	gun.Rounds.Spare = 0
	pawn:StartFire(0)
	pawn:StopFire(0)
	pawn:StartReload()
	t:eq(gun.CurrentState, "Idle", "nothing is spare")
	t:eq(gun:GiveAmmo(100), 16, "up to MaxAmmo")
	pawn:StartReload()
	t:run(0.55)
	t:eq({ gun.Rounds.Clip, gun.Illegal }, { 5, "" })
end)

scenario("R12.1 put away it does nothing, taken out again it needs its time", function(t)
	local _, gun, _, pawn = bot(t)
	pawn:StartFire(0)
	t:run(0.12)
	t:eq(gun.Fired, 2)
	pawn:SetCurrentWeapon(nil)
	holds(t, gun, { CurrentState = "Idle", bIsEquipped = false, bWantsToFire = false })
	t:run(0.5)
	t:eq(gun.Fired, 2)
	pawn:SetCurrentWeapon(gun)
	t:eq(gun.CurrentState, "Equipping")
	pawn:StartFire(0)
	t:run(0.1)
	t:eq(gun.Fired, 2)
	t:run(0.15)
	t:eq(gun.Fired, 3)
	pawn:SetCurrentWeapon(nil)
	pawn:SetCurrentWeapon(gun)
	pawn:SetCurrentWeapon(nil) -- before it was ready
	t:run(0.5)
	holds(t, gun, { CurrentState = "Idle", bIsEquipped = false, Illegal = "" })
end)

scenario("R12.1 one press is one shot where the weapon is not automatic, and the second key fires too where it may", function(t)
	local _, a, gun, _, pawn = duel(t, {}, "PistolDuel")
	net.hold(t, a, { fire = true }, 0.5)
	t:eq(gun.Fired, 1)
	net.hold(t, a, { fire = false }, 0.1)
	net.hold(t, a, { altfire = true }, 0.2)
	t:eq({ gun.Fired, pawn.FiringMode, gun.Illegal, gun.Rounds.Refused }, { 2, 1, "", 0 })
end)

-- Random wishes on one peer's weapon, by numbers that can be had again; returns how many.
local RANDOM = [[
	local pawn = world:ActorsOf("Soldier")[1]
	local gun, roll = pawn.roll and pawn.gun, pawn.roll
	if not gun then
		roll = require("lib.randomstream")(%d)
		gun = pawn.Weapon
		pawn.roll, pawn.gun = roll, gun
	end
	for _ = 1, 5 do
		local n = roll()
		if n < 0.2 then pawn:StartFire(0)
		elseif n < 0.3 then pawn:StartFire(1)
		elseif n < 0.45 then pawn:StopFire(0)
		elseif n < 0.5 then gun:StopFire()
		elseif n < 0.65 then pawn:StartReload()
		elseif n < 0.67 then gun:StopReload()
		elseif n < 0.69 then pawn:SetCurrentWeapon(nil)
		elseif n < 0.80 then pawn:SetCurrentWeapon(gun)
		elseif n < 0.84 then gun:OnEquip()
		elseif n < 0.85 then gun:OnUnEquip()
		elseif n < 0.92 then gun:HandleFiring()
		elseif gun:HasAuthority() then gun:GiveAmmo(3)
		else gun:DetermineWeaponState() end
	end
	return math.floor(roll() * roll() * 12)
]]

scenario("R12.1 over 10 000 random wishes the state takes legal ways only, on the server", { seeds = 2, long = true }, function(t)
	local s, gun = bot(t)
	for _ = 1, 2000 do t:ticks(s:eval(string.format(RANDOM, t:seed())) + 1) end
	t:eq(gun.Illegal, "")
	for _, count in ipairs { "Bursts", "Reloadings", "Equippings", "Fired" } do t:gt(gun[count], 30, count) end
	t:eq(gun.Bursts - gun.Ends, gun.CurrentState == "Firing" and 1 or 0)
end)

scenario("R12.1 over 5 000 random wishes the state takes legal ways only, on the owner and its server", { seeds = 2, budget = 300, long = true }, function(t)
	local _, a, gun = duel(t, { lag = 0.06, jitter = 0.02, loss = 0.03 })
	local mine = a:pawn().Weapon
	for i = 1, 1000 do
		t:ticks(a:eval(string.format(RANDOM, t:seed())) + 1)
		if i % 40 == 0 then gun:GiveAmmo(3) end
	end
	mine:StopFire() -- or a shot may be on its way
	t:run(2)
	t:eq({ mine.Illegal, gun.Illegal }, { "", "" })
	for _, count in ipairs { "Bursts", "Reloadings", "Equippings", "Fired" } do t:gt(mine[count], 30, count) end
	t:eq(mine:GetAmmo(), gun.Rounds.Clip, "and both agree in the end")
	t:eq({ mine:GetSpareAmmo(), mine.Fired }, { gun.Rounds.Spare, gun.Fired + gun.Rounds.Refused })
end)

scenario("R12.3 a reload that the server refuses before it is over on the owner is not shown for good", function(t)
	local _, a, gun = duel(t, { lag = 0.05 })
	local mine = a:pawn().Weapon
	net.hold(t, a, { fire = true }, 0.15)
	net.hold(t, a, { fire = false }, 0.3)
	mine:StartReload()
	gun:OnUnEquip() -- so it is refused when it comes
	t:run(1)
	t:eq({ mine:GetAmmo(), mine:GetSpareAmmo() }, { gun.Rounds.Clip, gun.Rounds.Spare })
end)

-- 2 Firing over the network

scenario("R12.2 the owner shows a shot at once, the server decides, others see it", function(t)
	local s, a, gun, target, pawn = duel(t, { lag = 0.1 })
	local b = t:client{ name = "b", lag = 0.05 }
	t:within(8, function() return b:copy(pawn) and b:copy(pawn).CurrentWeaponAttachmentClass ~= nil end)
	t:run(0.5)
	local mine = a:pawn().Weapon
	local hand = function(peer)
		for _, h in ipairs(peer:actors("GunInHand")) do
			if h.Instigator == peer:copy(pawn) then return h end
		end
	end
	t:eq(#s:actors("GunInHand"), 0, "the server makes nothing to look at")
	local base = { hand(a).Flashes, hand(b).Flashes }
	net.press(t, a, "fire", 0.02)
	t:ge(mine.Fired, 1)
	t:eq(hand(a).Flashes - base[1], mine.Fired, "at once")
	t:ge(hand(a).Impacts, 1)
	t:eq(target.Hits, 0, "and nothing is decided yet")
	t:eq(hand(b).Flashes, base[2])
	t:within(0.15, function() return gun.Fired == mine.Fired end)
	t:eq(target.Hits, gun.Fired)
	t:near(target.Hurt, 7 * gun.Fired, 0.01)
	t:within(0.15, function() return hand(b).Flashes - base[2] >= 1 and hand(b).Impacts >= 1 end)
	t:near(hand(b).At.X, target.Location.X - 14, 2, "where it hit")
	t:eq(b:copy(pawn).FlashCount, pawn.FlashCount)
	t:run(0.3)
	t:eq(hand(a).Impacts, mine.Fired, "the owner is not shown it twice")
	t:eq(hand(a).Flashes - base[1], mine.Fired)
end)

scenario("R12.2 the server's state follows ServerStartFire and ServerStopFire", function(t)
	local _, a, gun, _, pawn = duel(t, { lag = 0.1 })
	gun:GiveAmmo(5)
	a:input{ fire = true }
	t:within(0.2, function() return gun.CurrentState == "Firing" end)
	t:ok(gun.bWantsToFire)
	t:eq(pawn.FiringMode, 0)
	a:input{ fire = false }
	t:within(0.2, function() return gun.CurrentState ~= "Firing" end)
	t:no(gun.bWantsToFire)
end)

scenario("R12.2 the owner does not fire what its own rounds and timing do not allow", function(t)
	local s, a, gun = duel(t, { lag = 0.1 })
	local mine = a:pawn().Weapon
	net.hold(t, a, { fire = true }, 0.45)
	holds(t, mine, { Fired = 5, CurrentState = "Reloading" })
	t:run(0.3)
	t:eq(mine.Fired, 5)
	net.hold(t, a, { fire = false }, 0.5)
	t:eq({ gun.Fired, gun.Rounds.Refused }, { 5, 0 })
	local before = t:traffic(a).by_function["Gun.ServerFire"].received
	a:controller().Pawn.Weapon:HandleFiring() -- not firing
	t:run(0.3)
	t:eq(gun.Fired, 5)
	t:eq(t:traffic(a).by_function["Gun.ServerFire"].received, before)
	t:eq(s:controller(a):GetRefusedClaims(), 0)
end)

scenario("R12.2 a burst, a reload and a burst go through under lag, jitter and loss with nothing refused", { seeds = 5 }, function(t)
	local s, a, gun = duel(t, { lag = 0.1, jitter = 0.03, loss = 0.03, dup = 0.05, reorder = 0.05 })
	gun:GiveAmmo(8)
	local mine = a:pawn().Weapon
	for _ = 1, 4 do
		net.press(t, a, "fire", 1.13)
		t:run(0.22)
	end
	t:run(1)
	t:eq({ gun.Fired, mine.Fired }, { 20, 20 })
	t:eq(gun.Rounds.Refused, 0, table.concat(s:log(), "\n"))
	t:eq(gun.Illegal .. mine.Illegal, "")
end)

scenario("R12.2 two modes may have intervals of their own", { seeds = 3 }, function(t)
	t:scripts(ARMS.classes .. [[
		local Double = class("Double", "Gun")
		Double.defaults { NumFireModes = 2, ClipSize = 0, InitialAmmo = 100, MaxAmmo = 100 }
		function Double:GetFireInterval(mode) return mode == 1 and 0.5 or 0.1 end
		local Doubler = class("Doubler", "Soldier")
		Doubler.defaults { DefaultInventory = { "Double" } }
		local Doubles = class("Doubles", "Duel")
		Doubles.defaults { DefaultPawnClass = "Doubler" }
	]])
	local s, a = net.armed(t, { game = "Doubles" }, { name = "a", lag = 0.06, jitter = 0.02, loss = 0.02 })
	t:run(1)
	local gun, mine = s:pawn(a).Weapon, a:pawn().Weapon
	for _ = 1, 4 do
		net.hold(t, a, { fire = true }, 0.55)
		net.hold(t, a, { fire = false, altfire = true }, 1.2)
		a:input{ altfire = false }
	end
	t:run(1)
	t:eq(gun.Rounds.Refused, 0, gun.States)
	t:eq(gun.Fired, mine.Fired)
	t:near(gun.Fired, 26, 4)
	t:eq(gun.Illegal .. mine.Illegal, "")
end)

scenario("R12.2 weapons are relevant to their owner alone, and attachments are nobody's actor", function(t)
	local s, a, gun, _, pawn = duel(t)
	local b = t:client{ name = "b" }
	t:within(5, function() return b:copy(pawn) and b:copy(pawn).CurrentWeaponAttachmentClass ~= nil end)
	t:run(1)
	t:ok(a:copy(gun))
	t:eq({ a:copy(gun).Role, b:copy(gun) }, { ROLE_AutonomousProxy, nil })
	gun.bHidden = false -- even if there were something to see
	t:run(1)
	t:eq({ b:copy(gun), b:copy(pawn).Weapon }, { nil, nil })
	t:eq(t:traffic(b).by_class.GunInHand, nil, "no byte of an attachment")
	local own = b:actors("GunInHand")
	t:eq(#own, 2, "its own soldier's and the other's, both made here")
	t:eq(own[1].Role, ROLE_Authority)
	s:pawn(a):Destroy()
	t:within(1, function() return #b:actors("GunInHand") == 1 end)
end)

scenario("R12.2 spread is the same on both ends, and no client chooses it", function(t)
	t:scripts [[
		local Scatter = class("Scatter", "WeaponInstant")
		Scatter.properties { Sum = float(0) }
		Scatter.defaults { PelletsPerShot = 8, Spread = 0.05, FireInterval = 0.1, ClipSize = 0, InitialAmmo = 500, MaxAmmo = 500 }
		function Scatter:ProcessHit(shot, hit, direction)
			self.Sum = self.Sum + shot.Number * (direction.Y + 3 * direction.Z)
			Scatter.super.ProcessHit(self, shot, hit, direction)
		end
		local Rigged = class("Rigged", "Character")
		Rigged.defaults { DefaultInventory = { "Scatter" } }
	]]
	local s, a = net.armed(t, { pawn = "Rigged", level = "wall" }, { name = "a", lag = 0.05 })
	s:pawn(a):SetLocation(vector(0, 0, 88.1)) -- before the wall
	t:run(1.5)
	net.press(t, a, "fire", 2)
	t:run(0.5)
	local gun, mine = s:pawn(a).Weapon, a:pawn().Weapon
	t:ne(gun.Sum, 0)
	t:near(gun.Sum, mine.Sum, 1e-3)
end)

for_each({ "listen", "standalone" }, function(mode)
	scenario("R12.2 R11.3 a player at the server's machine hits at once: " .. mode, function(t)
		local s = ARMS.server(t, { game = "Duel", mode = mode })
		t:run(0.5)
		local pawn = s:pawn()
		local target = s:spawn("Soldier", { Location = pawn.Location + vector(600, 0, 0) })
		net.hold(t, s, { yaw = 0, pitch = 65300 }, 0.5)
		s:input{ fire = true }
		t:ticks(1)
		t:eq({ target.Hits, pawn.Weapon.Rounds.Clip }, { 1, 4 })
		local hand = s:actors("GunInHand")[1]
		holds(t, hand, { Flashes = 1, Impacts = 1 })
		t:run(2)
		holds(t, pawn.Weapon, { Fired = target.Hits, Illegal = "" })
	end)
end)

scenario("R12.2 who lets go of a pawn lets go of the trigger", function(t)
	local s, a, gun, _, pawn = duel(t)
	net.hold(t, a, { fire = true }, 0.2)
	local n = gun.Fired
	t:gt(n, 0)
	s:controller(a):UnPossess()
	t:run(1)
	t:le(gun.Fired, n + 1)
	t:eq({ gun.CurrentState, pawn.Weapon }, { "Idle", gun })
end)

scenario("R11.3 a blade meets who is near, as the attacker saw him, and each once a stroke", function(t)
	t:scripts(ARMS.classes .. [[
		local Knife = class("Knife", "WeaponMelee")
		local Ruffian = class("Ruffian", "Soldier")
		Ruffian.defaults { DefaultInventory = { "Knife" } }
		local Alley = class("Alley", "Duel")
		Alley.defaults { DefaultPawnClass = "Ruffian" }
	]])
	local s, a = net.armed(t, { game = "Alley" }, { name = "a", lag = 0.08 })
	local pawn = s:pawn(a)
	local near = s:spawn("Soldier", { Location = pawn.Location + vector(80, 0, 0) })
	local far = s:spawn("Soldier", { Location = pawn.Location + vector(200, 0, 0) })
	net.hold(t, a, { yaw = 0, pitch = 64000 }, 2)
	a:input{ fire = true }
	t:ticks(3)
	a:input{ fire = false }
	near:SetLocation(pawn.Location + vector(80, 500, 0)) -- they are gone when the stroke arrives, but not when it was seen
	t:run(0.5)
	holds(t, near, { Hits = 1, Hurt = 50 })
	t:eq(far.Hits, 0)
	net.press(t, a, "fire", 1.1)
	t:run(0.5)
	t:eq(near.Hits, 1, "he is away")
	t:eq(pawn.Weapon.Rounds.Refused, 0)
	t:eq(pawn.Weapon.Rounds.Shots, 4, "a blade needs no rounds")
end)
