-- R12.3: ammunition as its owner sees it: the server's number less the shots on their way.

local net = require("shared.net")
local holds = net.holds

-- A gun whose owner's machine writes down whenever the rounds it shows go up, and why that may be.
local ARMS = net.with [[
	local Gun = class("Gun", "WeaponInstant")
	Gun.properties { Shown = int(-1), Rises = int(0), Unexplained = int(0), Loaded = int(0), Given = int(0), Back = int(0) }
	Gun.defaults {
		FireInterval = 0.08, ClipSize = 12, InitialAmmo = 30, MaxAmmo = 400, ReloadTime = 0.4, EquipTime = 0.1,
	}
	-- On the owner's machine, whenever something may have changed what is shown: in every tick.
	function Gun:Tick(_)
		if self:HasAuthority() or self.CurrentState == "Equipping" then return end
		local now, rounds, before = self:GetAmmo(), self.Rounds, self.Shown
		if now > before and before >= 0 then
			self.Rises = self.Rises + 1
			local reason = self.Loaded > 0 or rounds.Refused ~= self.Back
			if not reason then self.Unexplained = self.Unexplained + 1 end
		end
		self.Shown, self.Loaded, self.Back = now, 0, rounds.Refused
	end
	function Gun:OnReloadFinished()
		if self.bPendingReload then self.Loaded = 1 end
		Gun.super.OnReloadFinished(self)
	end

	local Soldier = class("Soldier", "Character")
	Soldier.defaults { DefaultInventory = { "Gun" } }
]]

local function player(t, link)
	local s, a = ARMS.player(t, { pawn = "Soldier" }, link)
	t:within(5, function() return a:pawn().Weapon end)
	t:run(2)
	return s, a, s:pawn(a).Weapon, a:pawn().Weapon
end

for_each({
	{ lag = 0.1 }, { lag = 0.1, jitter = 0.03, loss = 0.05, dup = 0.05, reorder = 0.05 },
	{ lag = 0.25, jitter = 0.05, loss = 0.02 },
}, function(link)
	local name = string.format("R12.3 at %g ms and %g %% loss what the owner is shown rises by a reload alone",
		link.lag * 2000, (link.loss or 0) * 100)
	scenario(name, { seeds = 5 }, function(t)
		local s, a, gun, mine = player(t, link)
		gun:GiveAmmo(200)
		for i = 1, 8 do
			a:input{ fire = true }
			t:always(0.9 + i * 0.07, function() return mine.Unexplained == 0 and mine:GetAmmo() >= 0 end)
			a:input{ fire = false, reload = i % 3 == 0 }
			t:always(0.2, function() return mine.Unexplained == 0 end)
			a:input{ reload = false }
		end
		t:run(2)
		t:gt(mine.Rises, 3, "it was loaded now and then")
		t:eq(gun.Rounds.Refused, 0, table.concat(s:log(), "; "))
		t:eq({ mine:GetAmmo(), mine:GetSpareAmmo() }, { gun.Rounds.Clip, gun.Rounds.Spare })
	end)
end)

scenario("R12.3 what is shown is less the shots on their way, at once", function(t)
	local _, a, gun, mine = player(t, { lag = 0.1 })
	t:eq(mine:GetAmmo(), 12)
	net.press(t, a, "fire", 0.11) -- two shots
	t:eq(mine:GetAmmo(), 10)
	t:eq(mine.Rounds.Clip, 12, "the server has not heard of them")
	t:always(0.4, function() return mine:GetAmmo() == 10 end)
	t:eq({ gun.Rounds.Clip, mine.Rounds.Clip }, { 10, 10 })
end)

scenario("R12.3 a reload is shown when it is over here, and fired from, before the server says so", function(t)
	local _, a, gun, mine = player(t, { lag = 0.2 })
	a:input{ fire = true }
	t:within(2, function() return mine:GetAmmo() == 0 end)
	a:input{ fire = false }
	t:within(0.5, function() return mine:GetAmmo() == 12 end)
	t:eq(mine:GetSpareAmmo(), 6)
	t:eq(gun.Rounds.Spare, 18, "the server is still at it")
	net.press(t, a, "fire", 0.1)
	t:eq(mine:GetAmmo(), 10)
	t:always(1, function() return mine:GetAmmo() == 10 and mine:GetSpareAmmo() == 6 end)
	holds(t, gun.Rounds, { Clip = 10, Spare = 6, Refused = 0 })
end)

scenario("R12.3 a refused shot gives the round back", function(t)
	local s, a, gun, mine = player(t, { lag = 0.1 })
	net.press(t, a, "fire", 0.02)
	t:eq(mine:GetAmmo(), 11)
	s:pawn(a).Weapon.bIsEquipped = false -- before the shot arrives
	t:within(0.5, function() return mine.Rounds.Refused == 1 end)
	t:eq(mine:GetAmmo(), 12)
	holds(t, gun.Rounds, { Clip = 12, Shots = 1 })
end)

scenario("R12.3 what is picked up is shown when the server says so, shots under way or not", function(t)
	local _, a, gun, mine = player(t, { lag = 0.1 })
	net.hold(t, a, { fire = true }, 0.3)
	gun:GiveAmmo(50)
	local before = mine:GetSpareAmmo()
	t:within(0.3, function() return mine:GetSpareAmmo() == before + 50 end)
	net.hold(t, a, { fire = false }, 1)
	t:eq({ mine:GetAmmo(), mine:GetSpareAmmo() }, { gun.Rounds.Clip, gun.Rounds.Spare })
end)

scenario("R12.3 with an empty gun rounds that are picked up are loaded at once", function(t)
	local _, a, gun, mine = player(t, { lag = 0.05 })
	gun:SetAmmo(3)
	t:run(0.3)
	net.hold(t, a, { fire = true }, 0.5)
	t:eq({ mine:GetAmmo(), gun.Rounds.Clip }, { 0, 0 })
	gun:GiveAmmo(5)
	t:within(1.5, function() return gun.Rounds.Shots == 8 end)
	t:run(0.2)
	t:eq({ mine:GetAmmo() + mine:GetSpareAmmo(), gun.Rounds.Refused }, { 0, 0 })
end)

scenario("R12.3 a reload that is broken off by another weapon loads nothing, on either end", function(t)
	local s, a, gun, mine = player(t, { lag = 0.1 })
	net.press(t, a, "fire", 0.3)
	t:run(0.4)
	net.hold(t, a, { reload = true }, 0.1)
	t:eq(mine.CurrentState, "Reloading")
	local clip = mine:GetAmmo()
	a:pawn():SetCurrentWeapon(nil)
	t:run(1)
	t:eq({ mine:GetAmmo(), gun.Rounds.Clip, gun.CurrentState .. mine.CurrentState }, { clip, clip, "IdleIdle" })
	t:eq(s:pawn(a).Weapon, nil)
	a:input{ reload = false }
	a:pawn():SetCurrentWeapon(mine)
	t:run(0.5)
	a:input{ reload = true }
	t:within(1, function() return mine:GetAmmo() == 12 end)
	t:within(1, function() return gun.Rounds.Clip == 12 end)
end)

scenario("R12.3 nobody else is told of rounds", function(t)
	local s, a, gun = player(t, {})
	local b = t:client{ name = "b" }
	t:within(5, function() return b:copy(s:pawn(a)) end)
	net.hold(t, a, { fire = true }, 1)
	t:eq(b:copy(gun), nil)
	t:gt(t:traffic(a).by_property["Gun.Rounds"].count, 3)
	local of = t:traffic(b).by_property["Gun.Rounds"]
	t:le(of and of.count or 0, 1, "but for its own at the start")
end)
