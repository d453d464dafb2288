-- What pawns carry: the chain of things, weapons changed by their player at once (R12.2), what is left of the dead,
-- pickups.

local net = require("shared.net")
local holds = net.holds

local ARMS = net.with [[
	local Gun = class("Gun", "WeaponInstant")
	Gun.defaults {
		InventoryGroup = 2, EquipTime = 0.2, ClipSize = 5, InitialAmmo = 12, MaxAmmo = 20, bDropOnDeath = true,
		FireInterval = 0.1, AttachmentClass = "GunInHand",
	}
	local Tube = class("Tube", "WeaponProjectile")
	Tube.defaults { InventoryGroup = 3, ProjectileClass = "Projectile", AttachmentClass = "TubeInHand", EquipTime = 0.2 }
	local Knife = class("Knife", "WeaponMelee")
	Knife.defaults { InventoryGroup = 1, EquipTime = 0.2 }
	local Club = class("Club", "WeaponMelee")
	Club.defaults { InventoryGroup = 1, EquipTime = 0.2 }
	local Key = class("Key", "Inventory")
	local GunInHand = class("GunInHand", "WeaponAttachment")
	local TubeInHand = class("TubeInHand", "WeaponAttachment")
	local GunPickup = class("GunPickup", "ItemPickup")
	GunPickup.defaults { ItemClass = "Gun", RespawnTime = 1 }

	local Soldier = class("Soldier", "Character")
	Soldier.properties { Taken = int(0) }
	Soldier.defaults { DefaultInventory = { "Gun", "Tube", "Knife", "Club" } }
	function Soldier:PickedUp() self.Taken = self.Taken + 1 end
	local Porter = class("Porter", "Soldier")
	Porter.defaults { DefaultInventory = {} }
	local Duel = class("Duel", "GameInfo")
	Duel.defaults { DefaultPawnClass = "Soldier" }
	local March = class("March", "GameInfo")
	March.properties { bSparse = false }
	March.defaults { DefaultPawnClass = "Porter" }
	function March:ShouldRespawn(item) return not self.bSparse and March.super.ShouldRespawn(self, item) end
]]

local function player(t, link, game)
	local s, a, pawn = ARMS.player(t, { game = game or "Duel" }, link)
	t:run(1)
	return s, a, pawn
end

-- The class of the weapon in a hand, "" for none.
local function hand(pawn) return pawn.Weapon and pawn.Weapon:GetClass() or "" end

scenario("R12.2 a pawn begins with what its class says, the first weapon in its hand, on both ends", function(t)
	local s, a, pawn = player(t)
	t:eq({ hand(pawn), hand(a:pawn()) }, { "Gun", "Gun" })
	holds(t, a:pawn().Weapon, { CurrentState = "Idle", bIsEquipped = true })
	t:eq({ #pawn:GetInventory(), #a:pawn():GetInventory() }, { 4, 4 })
	for _, item in ipairs(pawn:GetInventory()) do holds(t, item, { Owner = pawn, Instigator = pawn }) end
	t:eq(pawn:FindInventory("Tube"):GetClass(), "Tube")
	t:eq({ pawn:FindInventory("WeaponMelee"):IsA("WeaponMelee"), pawn:FindInventory("Key") }, { true, nil })
	t:eq(s:eval("return #world:ActorsOf('Inventory')"), 4)
end)

scenario("R12.2 the player's machine changes weapons at once, the server follows, others see it", function(t)
	local _, a, pawn = player(t, { lag = 0.1 })
	local b = t:client{ name = "b" }
	t:within(5, function() return b:copy(pawn) and b:copy(pawn).CurrentWeaponAttachmentClass end)
	net.hold(t, a, { weapon = 3 }, 0.02)
	a:input{ weapon = 0 }
	t:eq({ hand(a:pawn()), a:pawn().Weapon.CurrentState, hand(pawn) }, { "Tube", "Equipping", "Gun" })
	t:within(0.2, function() return hand(pawn) == "Tube" end)
	t:always(0.5, function() return hand(a:pawn()) == "Tube" end)
	t:eq(b:copy(pawn).Weapon, nil)
	local shown = b:eval [[
		for _, h in ipairs(world:ActorsOf("WeaponAttachment")) do
			if not h.Instigator.Controller then return h:GetClass() end
		end
	]]
	t:eq(shown, "TubeInHand")
	t:no(pawn:FindInventory("Gun").bIsEquipped)
	t:ok(pawn.Weapon.bIsEquipped)
end)

scenario("R12.2 quick changes end with the last, and are never undone on the way", { seeds = 5 }, function(t)
	local _, a, pawn = player(t, { lag = 0.12, jitter = 0.03, loss = 0.05 })
	for _, number in ipairs { 3, 2, 1, 3, 2, 3 } do
		net.hold(t, a, { weapon = number }, 0.05)
		a:input{ weapon = 0 }
		local want = hand(a:pawn())
		t:always(0.03, function() return hand(a:pawn()) == want end)
	end
	t:eq(hand(a:pawn()), "Tube")
	t:always(1, function() return hand(a:pawn()) == "Tube" end)
	t:eq({ hand(pawn), pawn.Weapon.CurrentState .. a:pawn().Weapon.CurrentState }, { "Tube", "IdleIdle" })
end)

scenario("R12.2 one number takes the next of its weapons, NextWeapon goes round, a number without one does nothing", function(t)
	local _, a = player(t)
	local mine = a:pawn()
	mine:SwitchWeapon(1)
	local first = hand(mine)
	mine:SwitchWeapon(1)
	t:ne(hand(mine), first)
	mine:SwitchWeapon(1)
	t:eq(hand(mine), first)
	mine:SwitchWeapon(7)
	t:eq(hand(mine), first)
	local round = {}
	for i = 1, 5 do
		mine:NextWeapon()
		round[i] = hand(mine)
	end
	t:eq(round[1], round[5])
	t:eq(table.concat(round, " "):match("Gun Tube"), "Gun Tube", "in order of numbers")
	mine:NextWeapon(-1)
	t:eq(hand(mine), round[4])
	t:run(1)
	t:eq(hand(a:pawn()), round[4])
end)

scenario("R12.2 with the key held the next weapon fires when it is ready", function(t)
	local _, a, pawn = player(t, { lag = 0.05 })
	net.hold(t, a, { fire = true }, 0.25)
	net.hold(t, a, { weapon = 3 }, 0.5)
	net.hold(t, a, { fire = false }, 0.5)
	local gun, tube = pawn:FindInventory("Gun"), pawn:FindInventory("Tube")
	t:gt(gun.Rounds.Shots, 1)
	t:gt(tube.Rounds.Shots, 0)
	t:eq({ gun.Rounds.Refused + tube.Rounds.Refused, gun.CurrentState }, { 0, "Idle" })
end)

scenario("R12.2 a thing is given, found, taken and gone, and its player hears of it", function(t)
	local s, a, pawn = player(t, {}, "March")
	t:eq(hand(pawn), "")
	local key = pawn:GiveInventory("Key")
	local gun = pawn:GiveInventory("Gun")
	t:eq(hand(pawn), "Gun", "the first weapon goes into the hand")
	t:within(1, function() return #a:pawn():GetInventory() == 2 and hand(a:pawn()) == "Gun" end)
	local knife = pawn:GiveInventory("Knife")
	t:eq(hand(pawn), "Gun", "others do not")
	t:eq(pawn:AddInventory(gun), gun, "what it has it has")
	t:eq(#pawn:GetInventory(), 3)
	pawn:DeleteInventory(gun)
	t:eq({ hand(pawn), gun.Owner, #pawn:GetInventory() }, { "", nil, 2 })
	t:within(1, function() return #a:pawn():GetInventory() == 2 and hand(a:pawn()) == "" end)
	t:within(1, function() return not a:copy(gun) end)
	pawn:DeleteInventory(key)
	t:eq(pawn:GetInventory()[1], knife)
	pawn:Destroy()
	t:no(knife.alive, "what a pawn carries goes with it")
	t:ok(gun.alive)
	t:eq(#s:log(), 0, table.concat(s:log(), "; "))
end)

scenario("R12.2 a second weapon of a kind is ammunition, up to what there is room for", function(t)
	local s, _, pawn = player(t, {}, "March")
	local gun = pawn:GiveInventory("Gun")
	t:eq({ gun.Rounds.Clip + gun.Rounds.Spare, pawn:GiveInventory("Gun") }, { 12, gun })
	t:eq(gun.Rounds.Clip + gun.Rounds.Spare, 20)
	t:eq(pawn:GiveInventory("Gun"), nil, "it has all it can have")
	t:eq(#s:actors("Gun"), 1)
end)

scenario("R12.2 who dies leaves his weapon behind, with the rounds that are in it", function(t)
	local s, a, pawn = player(t)
	net.press(t, a, "fire", 0.25)
	t:run(0.5)
	local left = pawn.Weapon.Rounds.Clip + pawn.Weapon.Rounds.Spare
	t:lt(left, 12)
	local place = pawn.Location
	pawn:TakeDamage(1000, nil, pawn.Location, vector(), "test")
	t:run(0.1)
	t:eq(#s:actors("Inventory"), 0)
	local pickups = s:actors("DroppedPickup")
	t:eq(#pickups, 1, "the one in the hand")
	t:eq(pickups[1].ItemAmount, left)
	t:within(1, function() return a:copy(pickups[1]) end)
	t:eq(a:copy(pickups[1]).ItemClass, pickups[1].ItemClass)
	t:run(1.5)
	t:near((pickups[1].Location - place):Size2D(), 0, 100)
	t:near(pickups[1].Location.Z, 30, 3, "it lies on the floor")
	local finder = s:spawn("Porter", { Location = pickups[1].Location + vector(0, 0, 60) })
	t:run(0.3)
	t:eq({ hand(finder), finder.Weapon.Rounds.Clip + finder.Weapon.Rounds.Spare }, { "Gun", left })
	t:eq({ #s:actors("DroppedPickup"), finder.Taken }, { 0, 1 })
end)

scenario("R12.2 what nobody takes is gone after a while", function(t)
	local s, _, pawn = player(t)
	pawn:TakeDamage(1000, nil, pawn.Location, vector(), "test")
	t:run(15)
	t:eq(#s:actors("DroppedPickup"), 1)
	t:run(6)
	t:eq(#s:actors("DroppedPickup"), 0)
end)

scenario("R8.7 a pickup gives its thing, comes back if the game says so, and is left by who has no room", function(t)
	local s, _, pawn = player(t, {}, "March")
	local pickup = s:spawn("GunPickup", { Location = pawn.Location })
	t:run(0.2)
	t:eq(hand(pawn), "Gun")
	t:no(pickup.bAvailable)
	t:run(1.2)
	t:eq(pawn.Weapon.Rounds.Clip + pawn.Weapon.Rounds.Spare, 20, "it came back and was taken for its rounds")
	t:run(1.5)
	t:ok(pickup.bAvailable, "the third nobody has room for")
	s:eval("world.Game.bSparse = true")
	pawn.Weapon:SetAmmo(1)
	pawn:SetLocation(pawn.Location + vector(300, 0, 0))
	t:run(0.2)
	pawn:SetLocation(pickup.Location)
	t:run(0.2)
	t:no(pickup.alive)
end)
