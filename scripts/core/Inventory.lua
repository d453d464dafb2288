-- Inventory: an item that a pawn carries. Items form a chain: pawn.Inventory is the first item, its Inventory
-- the next. Only the owner receives an item; other players see an attachment of
-- pawn.CurrentWeaponAttachmentClass.
local Inventory = class("Inventory", "Actor")

Inventory.properties {
	Inventory = ref("Inventory"), -- the next item of the chain
	ItemName = str("", { max = 32 }), -- the name that players see
	bDropOnDeath = false, -- whether it is dropped when its pawn dies
	DroppedPickupClass = classref("DroppedPickup"), -- class of the pickup that holds it after a drop
}

Inventory.defaults {
	bHidden = true,
	bOnlyRelevantToOwner = true,
	RemoteRole = ROLE_AutonomousProxy, -- the owner's copy predicts and therefore runs all functions
	NetPriority = 1.4,
	NetUpdateFrequency = 30,
	DroppedPickupClass = "DroppedPickup",
}

Inventory.replication {
	{ "Inventory", when = COND_OwnerOnly },
}

-- Returns the pawn that carries it, or nil. On a client it may be nil for a moment, because items arrive
-- before or after their pawn.
function Inventory:GetPawn()
	local owner = self.Owner
	return owner and owner:IsA("Pawn") and owner or nil
end

-- On the server: a pawn has received the item.
function Inventory:GivenTo(_) end

-- On the server: its pawn no longer carries it. It is destroyed after this, or given to another pawn.
function Inventory:TakenFrom(_) end

-- A second item of its class would be added: this one may absorb its contents, such as ammunition. Returns
-- whether it did.
function Inventory:TakeOver(_)
	return false
end

-- Returns what a pickup of this item has to keep, besides the class.
function Inventory:GetDroppedAmount()
	return 0
end

-- Restores the result of GetDroppedAmount from when it was dropped; -1 for a new one.
function Inventory:SetDroppedAmount(_) end

-- Moves (R9.9): a weapon whose class has .moves takes part in the moves of its player while it is in the
-- hand, after the components. ActorComponent explains what the functions are for.

-- Called when a move is created: sets the variables that .moves lists as flags and fields.
function Inventory:FillMove(_) end

-- Performs what a move requests. It may use only the move, these variables, the state and the pawn.
function Inventory:ProcessMove(_) end

-- Returns the maximum speed of the pawn in a move, in uu/s; speed is the limit so far, after the pawn and
-- earlier parts.
function Inventory:ModifyMoveSpeed(_, speed)
	return speed
end

-- Whether two moves that were not sent yet may be performed as one.
function Inventory:CanCombineMoves(_, _)
	return true
end

-- Whether the server must not miss a move, so that it is also sent again with the next ones.
function Inventory:IsImportantMove(_, _)
	return false
end

-- Returns what the next move depends on besides the variables that .moves lists as state: at most 64 bytes.
function Inventory:GetMoveState()
	return ""
end

-- Restores what GetMoveState returned, before moves are performed again or when the server corrects the
-- player.
function Inventory:SetMoveState(_) end

-- On the server: drops the item as a pickup at a location, with an impulse in uu/s. Returns the pickup.
function Inventory:DropFrom(at, push)
	local pawn = self:GetPawn()
	if pawn then
		pawn:DeleteInventory(self)
	end
	local pickup = self.DroppedPickupClass and self:Spawn(self.DroppedPickupClass, {
		Location = at,
		ItemClass = self:GetClass(),
		ItemAmount = self:GetDroppedAmount(),
		Velocity = push,
	})
	self:Destroy()
	return pickup
end

return Inventory
