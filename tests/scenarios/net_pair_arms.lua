-- What the base classes show (R12) where it meets ownership, relevancy, late players and the one packet that is lost.

local net = require("shared.net")

local ARMS = net.with [[
	local Gun = class("Gun", "WeaponInstant")
	Gun.properties { Fired = int(0), Shown = int(-1), Rises = int(0) }
	Gun.defaults { FireInterval = 0.1, ClipSize = 12, InitialAmmo = 40, MaxAmmo = 400, ReloadTime = 0.05, EquipTime = 0.1, Damage = 1 }
	function Gun:FireWeapon(shot) self.Fired = self.Fired + 1; Gun.super.FireWeapon(self, shot) end
	function Gun:ShotRefused(why) self.why = why; Gun.super.ShotRefused(self, why) end
	local Soldier = class("Soldier", "Character")
	Soldier.defaults { DefaultInventory = { "Gun" }, CorpseLifeSpan = 30, HealthMax = 1000, Health = 1000 }
	Soldier.properties { Target = ref("Actor") }
	Soldier.replication { { "Target" } }
	function Soldier.simulated:PlayDying()
		self.dying = (self.dying or 0) + 1
		Soldier.super.PlayDying(self)
	end
	function Soldier.simulated:PlayWeaponFire(mode)
		self.flashes = (self.flashes or 0) + 1
		Soldier.super.PlayWeaponFire(self, mode)
	end
	local Unarmed = class("Unarmed", "Soldier")
	Unarmed.defaults { DefaultInventory = {} }

	local Duel = class("Duel", "GameInfo")
	Duel.defaults { DefaultPawnClass = "Soldier" }
	local Walk = class("Walk", "GameInfo")
	Walk.defaults { DefaultPawnClass = "Unarmed" }
]]

-- field makes a server and clients with these lines, each with a soldier.
local function field(t, game, ...)
	local s, list = ARMS.server(t, { game = game, config = { relevant_timeout = 2 } }), {}
	for i, options in ipairs { ... } do list[i] = t:client(options) end
	t:within(8, function()
		for _, c in ipairs(list) do
			if not s:pawn(c) or not c:pawn() or game == "Duel" and not c:pawn().Weapon then return false end
		end
		return true
	end)
	t:run(1)
	return s, unpack(list)
end

scenario("R12.3 R5.22 a shot that overtakes the reload before it takes its round from the new clip", { seeds = 5 }, function(t)
	local s, a = field(t, "Duel", { name = "a", lag = 0.05 })
	local gun, mine = s:pawn(a).Weapon, a:pawn().Weapon
	for n = 1, 4 do
		local total = gun.Rounds.Clip + gun.Rounds.Spare
		net.press(t, a, "fire", 0.25)
		t:run(0.5)
		t:eq(mine:GetAmmo(), 9)
		a:link { loss_up = 1 } -- what says that it is being loaded
		a:input { reload = true }
		t:ticks(2)
		a:input { reload = false }
		a:link { loss = 0 }
		t:within(0.2, function() return mine:GetAmmo() == 12 end)
		net.press(t, a, "fire", 0.02)
		t:always(0.8, function() return mine:GetAmmo() == 11 end, "round " .. n)
		t:eq({ gun.Rounds.Clip, gun.Rounds.Spare, gun.Rounds.Refused }, { 11, total - 4 - 11, 0 })
		net.press(t, a, "reload", 0.1)
		t:within(0.5, function() return gun.Rounds.Clip == 12 end)
		t:run(0.3)
	end
end)

for_each({ "loss_down", "loss_up" }, function(way)
	scenario("R12.2 R5.22 every shot counts once and is seen, whichever packet is lost: " .. way, { transport = "sim" }, function(t)
		local s, a, b = field(t, "Duel", { name = "a", lag = 0.04 }, { name = "b", lag = 0.04 })
		local pawn = s:pawn(a)
		local gun, mine = pawn.Weapon, a:pawn().Weapon
		gun.MaxAmmo, gun.Rounds.Clip = 1000, 500
		t:within(1, function() return mine:GetAmmo() == 500 and b:copy(pawn) end)
		for at = 0, 11 do
			local fired, shown = mine.Fired, b:copy(pawn).flashes or 0
			a:input { fire = true }
			t:ticks(at)
			a:link { [way] = 1 }
			b:link { [way] = 1 }
			t:ticks(3)
			a:link { loss = 0 }
			b:link { loss = 0 }
			t:ticks(15 - at)
			a:input { fire = false }
			t:within(1, function() return gun.Fired == mine.Fired end, "lost at " .. at)
			t:eq(mine.Fired - fired, 3)
			t:run(0.3)
			t:gt(b:copy(pawn).flashes, shown)
			t:eq(b:copy(pawn).FlashCount, pawn.FlashCount)
			t:eq({ gun.Rounds.Clip, mine:GetAmmo(), gun.Rounds.Refused }, { 500 - gun.Fired, 500 - gun.Fired, 0 })
		end
	end)

	scenario("R12.5 R5.18 the dead leave one body on each machine, and references to them are nil, whichever packet is lost: " .. way, { transport = "sim" },
		function(t)
			local s, a, b = field(t, "Walk", { name = "a", lag = 0.03 }, { name = "b", lag = 0.03 })
			for at = 0, 9 do
				local pawn = s:spawn("Unarmed", { Location = vector(600, -1800, 88) })
				s:pawn(a).Target = pawn
				t:within(2, function() return a:copy(pawn) and b:copy(pawn) and a:pawn().Target == a:copy(pawn) end)
				local ca, cb = a:copy(pawn), b:copy(pawn)
				pawn:TakeDamage(5000, nil, vector(), vector(100, 0, 0), "test")
				t:ticks(at)
				for _, c in ipairs { a, b } do c:link { [way] = 1 } end
				t:ticks(3)
				for _, c in ipairs { a, b } do c:link { loss = 0 } end
				t:within(1.5, function() return ca.dying and cb.dying end, "lost at " .. at)
				t:within(1, function() return a:pawn().Target == nil and s:pawn(a).Target == nil end)
				t:run(0.2)
				t:eq({ ca.dying, cb.dying, ca.Role, cb.Role, ca.Health, cb.Health }, { 1, 1, ROLE_Authority, ROLE_Authority, -1000, -1000 })
			end
		end)

	scenario("R12.8 R5.12 chunks break on every machine as on the server, each piece once, whichever packet is lost: " .. way, { transport = "sim" }, function(t)
		t:scripts [[
			local Pot = class("Pot", "Destructible")
			Pot.defaults { bStartAsleep = true, bAlwaysRelevant = true, BreakShare = 1, bSimulatePhysics = false, ChunksX = 4 }
		]]
		local s, a, b = field(t, "Walk", { name = "a", lag = 0.03 }, { name = "b", lag = 0.03 })
		local function broken(pot)
			local out = ""
			for i = 1, 16 do out = out .. (pot.Chunks[i] == "Broken" and "x" or "-") end
			return out
		end
		local pieces = 0
		local pot = s:spawn("Pot", { Location = vector(600, -1800, 30.1) })
		t:within(2, function() return a:copy(pot) and b:copy(pot) end)
		for at = 0, 9 do
			local before = broken(pot)
			pot:TakeDamage(20, nil, pot.Location + vector(at * 8 - 40, at % 2 * 60 - 30, at % 3 * 30 - 30), vector(), "shot")
			t:ticks(at)
			for _, c in ipairs { a, b } do c:link { [way] = 1 } end
			t:ticks(3)
			for _, c in ipairs { a, b } do c:link { loss = 0 } end
			local now = broken(pot)
			for i = 1, 16 do pieces = pieces + (now:sub(i, i) ~= before:sub(i, i) and 1 or 0) end
			t:within(1.5, function() return broken(a:copy(pot)) == now and broken(b:copy(pot)) == now end, "lost at " .. at)
			for _, c in ipairs { a, b } do
				local of = {}
				for _, chunk in ipairs(c:actors("DestructibleChunk")) do
					t:no(of[chunk.Index], "thrown once")
					of[chunk.Index] = true
				end
			end
		end
		t:gt(pieces, 3)
	end)
end)

scenario("R12.3 R3.4 a gun that comes back shows the rounds that it has, not those that its owner of before had fired", { seeds = 5 }, function(t)
	local s, a, b = field(t, "Duel", { name = "a", lag = 0.04, loss = 0.1 }, { name = "b", lag = 0.04, loss = 0.1 })
	local gun = s:pawn(a).Weapon
	s:pawn(b):DeleteInventory(s:pawn(b).Weapon)
	t:run(0.5)
	local hands, spent = { [0] = a, b }, 0
	for n = 1, 4 do
		local from, to = hands[(n + 1) % 2], hands[n % 2]
		net.press(t, from, "fire", 0.15)
		t:run(0.7)
		spent = spent + 2
		t:eq(gun.Fired, spent)
		s:pawn(from):DeleteInventory(gun)
		s:pawn(to):AddInventory(gun)
		t:within(2, function() return to:pawn().Weapon and to:pawn().Weapon == to:copy(gun) and to:pawn().Weapon.bIsEquipped end)
		t:within(1, function() return to:pawn().Weapon:GetAmmo() == 12 - spent end)
	end
end)

scenario("R12.9 R3.7 a pickup that was taken is hidden from all and comes back, to who saw it and to who comes late, whatever is lost", { seeds = 5 }, function(t)
	local s, a, b = field(t, "Walk", { name = "a", lag = 0.04, loss = 0.2 }, { name = "b", lag = 0.04, loss = 0.2 })
	local x = s:spawn("Pickup", { Location = vector(600, -1800, 40), RespawnTime = 4, Amount = 25 })
	t:within(2, function() return a:copy(x) and b:copy(x) end)
	for n = 1, 2 do
		local from = n == 1 and a or b
		s:pawn(from).Health = 50
		s:pawn(from).Location = x.Location + vector(0, 0, 48)
		t:within(1, function() return not x.bAvailable end)
		t:eq(s:pawn(from).Health, 75)
		s:pawn(from).Location = vector(0, n * -400 - 400, 88)
		for _, c in ipairs { a, b } do
			t:within(2, function() return not c:copy(x) or c:copy(x).bHidden and not c:copy(x).bAvailable end)
		end
		local late = t:client { name = "late " .. n, loss = 0.2 }
		t:within(3, function() return x.bAvailable or late:pawn() and late:copy(s:pawn(a)) end)
		t:ok(x.bAvailable or not late:copy(x) or late:copy(x).bHidden)
		t:within(6, function() return x.bAvailable end)
		for _, c in ipairs { a, b, late } do
			t:within(3, function() return c:copy(x) and not c:copy(x).bHidden and c:copy(x).bAvailable end)
		end
	end
end)
