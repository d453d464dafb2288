-- ItemPickup: a pickup that contains an item: a weapon, or any other child of Inventory.
local ItemPickup = class("ItemPickup", "Pickup")

ItemPickup.properties {
	ItemClass = classref("Inventory"), -- class of the item
	ItemAmount = int(-1, { min = -1, max = 10000 }), -- amount in the item, such as rounds; -1: as in a new one
}

ItemPickup.looks { color = "#5ad1ff", light = { color = "#5ad1ff" } }

ItemPickup.replication {
	{ "ItemClass", when = COND_InitialOnly }, -- decides how it looks
}

-- Whether a pawn may take it: it holds an item, and the pawn is alive.
function ItemPickup:CanGive(pawn)
	return self.ItemClass ~= nil and pawn.Health > 0
end

-- Spawns ItemClass for a pawn, with ItemAmount. Returns false if the pawn cannot carry more of it.
function ItemPickup:Give(pawn)
	local item = self:Spawn(self.ItemClass, {
		Location = pawn.Location, Owner = pawn, Instigator = pawn,
	})
	if not item then
		return false
	end
	item:SetDroppedAmount(self.ItemAmount)
	if not pawn:AddInventory(item) then
		return false -- it cannot carry more
	end
	pawn:PickedUp(self)
	return true
end

return ItemPickup
