-- ItemPickup: a pickup that contains an item: a weapon, or any other child of Inventory.
local ItemPickup = class("ItemPickup", "Pickup")

ItemPickup.properties {
	ItemClass = classref("Inventory"), -- what it gives
	ItemAmount = int(-1, { min = -1, max = 10000 }), -- of what is in that, rounds of a weapon; -1: as a new one
}

ItemPickup.looks { color = "#5ad1ff", light = { color = "#5ad1ff" } }

ItemPickup.replication {
	{ "ItemClass", when = COND_InitialOnly }, -- for what it looks like
}

-- Whether a pawn may take it: it holds something, and the pawn is alive.
function ItemPickup:CanGive(pawn)
	return self.ItemClass ~= nil and pawn.Health > 0
end

-- Spawns ItemClass for a pawn, with ItemAmount. Returns false where the pawn can have no more of that.
function ItemPickup:Give(pawn)
	local item = self:Spawn(self.ItemClass, {
		Location = pawn.Location, Owner = pawn, Instigator = pawn,
	})
	if not item then
		return false
	end
	item:SetDroppedAmount(self.ItemAmount)
	if not pawn:AddInventory(item) then
		return false -- they can have no more of that
	end
	pawn:PickedUp(self)
	return true
end

return ItemPickup
