-- Inventory: an item that a pawn carries. Items form a chain: pawn.Inventory is the first item, its Inventory
-- the next. Only the owner receives an item; other players see an attachment of
-- pawn.CurrentWeaponAttachmentClass.
local Inventory = class("Inventory", "Actor")

Inventory.properties {
	Inventory = ref("Inventory"), -- the next of the chain
	ItemName = str("", { max = 32 }), -- what players call it
	bDropOnDeath = false, -- whether it is left behind where its pawn dies
	DroppedPickupClass = classref("DroppedPickup"), -- what it is left behind as
}

Inventory.defaults {
	bHidden = true,
	bOnlyRelevantToOwner = true,
	RemoteRole = ROLE_AutonomousProxy, -- its owner's copy runs all functions, for it predicts
	NetPriority = 1.4,
	NetUpdateFrequency = 30,
	DroppedPickupClass = "DroppedPickup",
}

Inventory.replication {
	{ "Inventory", when = COND_OwnerOnly },
}

-- The pawn that carries it, or nil. On a client it may be nil for a moment: things come before or after
-- their pawn.
function Inventory:GetPawn()
	local owner = self.Owner
	return owner and owner:IsA("Pawn") and owner or nil
end

-- On the server: a pawn carries it from now on.
function Inventory:GivenTo(_) end

-- On the server: its pawn no longer carries it. It is destroyed after this, or given to another pawn.
function Inventory:TakenFrom(_) end

-- A second one of its class would be added: what is in it may be taken over, like the ammunition of a weapon.
-- Returns whether anything was.
function Inventory:TakeOver(_)
	return false
end

-- What a pickup that holds this thing has to keep, besides the class.
function Inventory:GetDroppedAmount()
	return 0
end

-- Restores the result of GetDroppedAmount from when it was dropped; -1 for a new one.
function Inventory:SetDroppedAmount(_) end

-- Moves (R9.9): a weapon whose class has .moves takes part in the moves of its player while it is in the hand,
-- after the components. What the functions are for stands in ActorComponent.

-- A move is made: sets the variables that .moves names as flags and fields.
function Inventory:FillMove(_) end

-- Does what a move requests. It uses the move, these variables, the state and the pawn, and nothing else.
function Inventory:ProcessMove(_) end

-- How fast the pawn may walk or fly in a move, in uu/s, where speed is what others have left of that.
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

-- What the next move depends on besides the variables that .moves names as state: at most 64 bytes.
function Inventory:GetMoveState()
	return ""
end

-- Restores what GetMoveState returned, before moves are performed again or when the server corrects the
-- player.
function Inventory:SetMoveState(_) end

-- Leaves it behind as a pickup at a place, with a push in uu/s. Only the server does. Returns the pickup.
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
