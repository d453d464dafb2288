-- ArmedActor: an actor with an inventory and a weapon in its hand. It switches weapons, and controls what
-- other players see and hear when it shoots. Pawn descends from it. Weapon implements the weapons themselves,
-- and docs/weapons.md explains both.
local ArmedActor = class("ArmedActor", "Actor")

ArmedActor.properties {
	DefaultInventory = array(classref("Inventory"), 8), -- items it starts with
	Inventory = ref("Inventory"), -- the first item; each item links to the next (Inventory.Inventory)
	Weapon = ref("Weapon"), -- in the hand: authoritative on the server, predicted on the owner's machine
	ServerWeapon = struct { -- the server's weapon, with the number of the last switch it received from the player
		Weapon = ref("Weapon"),
		Switch = int(0, { min = 0, max = 255 }),
	},
	CurrentWeaponAttachmentClass = classref("WeaponAttachment"), -- what everybody sees in the hand
	FlashCount = int(0, { min = 0, max = 255 }), -- incremented with every shot, wraps
	FiringMode = int(0, { min = 0, max = 15 }), -- fire key of the last shot: 0 the first, 1 the second
}

ArmedActor.replication {
	{ "CurrentWeaponAttachmentClass", notify = true },
	{ "Inventory", when = COND_OwnerOnly },
	{ "ServerWeapon", when = COND_OwnerOnly, notify = true },
	{ "FlashCount", when = COND_SkipOwner, notify = true },
	{ "FiringMode", when = COND_SkipOwner }, -- the owner's machine knows it before the server does
}

ArmedActor.params {
	ServerSetCurrentWeapon = { ref("Weapon"), int(0, { min = 0, max = 255 }), int(0, { min = 0 }) },
	MulticastWeaponHit = { vector(0, 0, 0), normal(0, 0, 1) },
}

-- The fire and reload keys call these functions on the machine that decides (see Controller:HandleKeys). Mode
-- 0 is the first fire key and 1 the second.
function ArmedActor:StartFire(mode)
	if self.Weapon then
		self.Weapon:StartFire(mode)
	end
end

-- Stops firing the weapon in the hand. With mode (0 or 1), only if that key started it.
function ArmedActor:StopFire(mode)
	if self.Weapon then
		self.Weapon:StopFire(mode)
	end
end

-- Reloads the weapon in the hand; does nothing without a weapon.
function ArmedActor:StartReload()
	if self.Weapon then
		self.Weapon:StartReload()
	end
end

-- The controller has left, so the fire key counts as released.
function ArmedActor:UnPossessed()
	self:StopFire()
end

-- Switches to a weapon of that group number; if several share the number, to the next of them.
function ArmedActor:SwitchWeapon(number)
	local list = {}
	for _, weapon in ipairs(self:GetWeapons()) do
		if weapon.InventoryGroup == number then
			table.insert(list, weapon)
		end
	end
	self:SetCurrentWeapon(self:After(list, 1) or self.Weapon)
end

-- Switches to the next weapon in the order of numbers, or to the previous one if step is -1.
function ArmedActor:NextWeapon(step)
	local list = self:GetWeapons()
	table.sort(list, function(a, b)
		if a.InventoryGroup ~= b.InventoryGroup then
			return a.InventoryGroup < b.InventoryGroup
		end
		return a:GetClass() < b:GetClass() -- the same on every machine
	end)
	self:SetCurrentWeapon(self:After(list, step or 1) or self.Weapon)
end

-- Returns the element of a list that comes so many steps after the weapon in the hand, wrapping at the end; the
-- first element if the weapon is not in the list.
function ArmedActor:After(list, step)
	for i, weapon in ipairs(list) do
		if weapon == self.Weapon then
			return list[(i + step - 1) % #list + 1]
		end
	end
	return list[1]
end

-- Takes a weapon into the hand; nil for none. The owner's machine does it at once and tells the server.
function ArmedActor:SetCurrentWeapon(weapon)
	if weapon == self.Weapon then
		return
	end
	if not self:HasAuthority() then
		self.switches = ((self.switches or 0) + 1) % 256
		local time = weapon and weapon:GetTime() or 0
		self:ServerSetCurrentWeapon(weapon, self.switches, math.max(0, math.floor(time * 1000)))
	end
	self:ChangeWeapon(weapon)
end

-- Called by the client, runs on the server: the player has switched to another weapon.
function ArmedActor.server.reliable:ServerSetCurrentWeapon(weapon, switch, stamp)
	if weapon and weapon.Owner ~= self then
		weapon = self.Weapon -- not carried any more: the client is corrected to the weapon that is
	end
	self.ServerWeapon.Switch = switch
	self:ChangeWeapon(weapon, stamp / 1000)
end

-- Always true: the function itself checks the owner, because naming a weapon that was just dropped is no
-- offence.
function ArmedActor.validate:ServerSetCurrentWeapon(_, _, _)
	return true
end

-- Switches the weapon in the hand. since is the time of the switch, in the server's seconds; nil means now.
function ArmedActor:ChangeWeapon(weapon, since)
	local old = self.Weapon
	if old ~= weapon then
		local mode = old and old.bWantsToFire and old.FireMode
		if old and not old.bDeleteMe then
			old:OnUnEquip()
		end
		self.Weapon = weapon
		if weapon then
			local after = old and not old.bDeleteMe and old:GetLastShotTime() or 0
			weapon:OnEquip(since and weapon:BoundStamp(math.max(since, after)))
			if mode and weapon:IsFiredHere() then
				weapon:StartFire(mode) -- the fire key is still held
			end
		end
	end
	if self:HasAuthority() then
		self.ServerWeapon.Weapon = weapon
		self.CurrentWeaponAttachmentClass = weapon and weapon.AttachmentClass or nil
		self:OnRep_CurrentWeaponAttachmentClass(nil)
	end
end

-- On the owner's machine: the server's weapon was received. It is ignored until the server has received the
-- player's last switch.
function ArmedActor:OnRep_ServerWeapon(_)
	if self.ServerWeapon.Switch == (self.switches or 0) then
		self:ChangeWeapon(self.ServerWeapon.Weapon)
	end
end

-- Returns all items that it carries, in the order of the chain.
function ArmedActor:GetInventory()
	local list, item = {}, self.Inventory
	while item and #list < 256 do
		table.insert(list, item)
		item = item.Inventory
	end
	return list
end

-- Returns the weapons that it carries.
function ArmedActor:GetWeapons()
	local list = {}
	for _, item in ipairs(self:GetInventory()) do
		if item:IsA("Weapon") then
			table.insert(list, item)
		end
	end
	return list
end

-- Returns the first item of a class that it carries, or nil.
function ArmedActor:FindInventory(class)
	for _, item in ipairs(self:GetInventory()) do
		if item:IsA(class) then
			return item
		end
	end
	return nil
end

-- Returns the carried weapon of exactly that class, or nil. A player's move names the weapon in the hand,
-- because the player switches it before the server knows.
function ArmedActor:FindMoveWeapon(class)
	local weapon = self.Weapon
	if weapon and weapon:GetClass() == class then
		return weapon
	end
	for _, item in ipairs(self:GetInventory()) do
		if item:GetClass() == class then
			return item
		end
	end
	return nil
end

-- On the server: adds an item. An item of the same class may absorb the new one, which is then destroyed.
-- Returns the item that is carried now, or nil if no more can be carried.
function ArmedActor:AddInventory(item)
	local class = item:GetClass()
	for _, have in ipairs(self:GetInventory()) do
		if have == item then
			return item
		elseif have:GetClass() == class then
			local taken = have:TakeOver(item)
			item:Destroy()
			return taken and have or nil
		end
	end
	item:SetOwner(self)
	item.Instigator = self
	item.Inventory = self.Inventory
	self.Inventory = item
	item:GivenTo(self)
	if item:IsA("Weapon") and (not self.Weapon or self:PrefersWeapon(item)) then
		self:ChangeWeapon(item)
	end
	return item
end

-- Whether a new weapon goes into the hand at once. A child class may use a setting of its player.
function ArmedActor:PrefersWeapon(weapon)
	return not self.Weapon:HasAmmo() and weapon:HasAmmo()
end

-- On the server: spawns an item and adds it. Returns the item, or nil.
function ArmedActor:GiveInventory(class)
	local item = self:Spawn(class, { Location = self.Location, Owner = self, Instigator = self })
	return item and self:AddInventory(item)
end

-- On the server: removes an item. The item itself stays, without an owner.
function ArmedActor:DeleteInventory(item)
	local before = nil
	for _, have in ipairs(self:GetInventory()) do
		if have == item then
			if before then
				before.Inventory = item.Inventory
			else
				self.Inventory = item.Inventory
			end
			item.Inventory = nil
			if self.Weapon == item then
				self:ChangeWeapon(nil)
			end
			item:TakenFrom(self)
			item:SetOwner(nil)
			return
		end
		before = have
	end
end

-- On the server, called after the game has given it to a controller: adds the initial items.
function ArmedActor:AddDefaultInventory()
	for i = 1, #self.DefaultInventory do
		local class = self.DefaultInventory[i]
		if class then
			self:GiveInventory(class)
		end
	end
end

-- On the server, called when it has died: drops the weapon in the hand if that weapon has bDropOnDeath, and
-- destroys all other items.
function ArmedActor:DropInventory()
	for _, item in ipairs(self:GetInventory()) do
		local inHand = item == self.Weapon
		if item.bDropOnDeath and inHand then
			item:DropFrom(self.Location, vector(0, 0, 200) + self.Velocity * 0.5)
		else
			self:DeleteInventory(item)
			item:Destroy()
		end
	end
end

-- Called when its weapon has fired: the server counts the shot for all other players, and the shot is shown
-- here.
function ArmedActor:WeaponFired(_, mode)
	if self:HasAuthority() then
		self.FlashCount = (self.FlashCount + 1) % 256
		self.FiringMode = mode
		-- Clients that have the pawn hear the shot from its attachment, in PlayWeaponFire. Other players
		-- within hearing receive a call.
		local shown = self.CurrentWeaponAttachmentClass
		local sound = shown and world:DefaultOf(shown, "FireSound") or ""
		if sound ~= "" then
			self:PlaySound(sound, { bNoRepToRelevant = true })
		end
	end
	self:PlayWeaponFire(mode)
end

-- On other players' machines: the weapon fired.
function ArmedActor.simulated:OnRep_FlashCount(_)
	self:PlayWeaponFire(self.FiringMode)
end

-- Shows a shot on this machine.
function ArmedActor.simulated:PlayWeaponFire(mode)
	if self.attachment then
		self.attachment:PlayFire(mode)
	end
end

-- A shot of its weapon hit something. The owner's machine shows that at once, without the server.
function ArmedActor:WeaponHit(at, normal)
	if self:HasAuthority() then
		self:MulticastWeaponHit(at, normal)
	else
		self:PlayWeaponHit(at, normal)
	end
end

-- The server tells relevant clients that a shot hit something: where, and the normal of the surface. The
-- shooter's own machine ignores it, because it showed the hit when the shot was fired.
function ArmedActor.multicast.unreliable.simulated:MulticastWeaponHit(at, normal)
	if self:IsLocallyControlled() and not self:HasAuthority() then
		return -- already shown when it was fired
	end
	self:PlayWeaponHit(at, normal)
end

-- Shows a hit on this machine, by PlayImpact of the attachment in the hand.
function ArmedActor.simulated:PlayWeaponHit(at, normal)
	if self.attachment then
		self.attachment:PlayImpact(at, normal)
	end
end

-- Spawns the attachment in the hand, on every machine with a screen, from its class alone.
function ArmedActor.simulated:OnRep_CurrentWeaponAttachmentClass(_)
	local old, class = self.attachment, self.CurrentWeaponAttachmentClass
	self.attachment = nil
	if old and not old.bDeleteMe then
		old:Destroy()
	end
	if class then
		self.attachment = self:SpawnEffect(class, self.Location)
		if self.attachment then
			self.attachment:AttachTo(self)
		end
	end
end

-- It was destroyed: destroys its items and its attachment.
function ArmedActor.simulated:Destroyed()
	if self.attachment and not self.attachment.bDeleteMe then
		self.attachment:Destroy()
	end
	if self:HasAuthority() then
		for _, item in ipairs(self:GetInventory()) do
			item:Destroy()
		end
	end
end

return ArmedActor
