-- ActorComponent: a part of an actor with variables and functions of its own, so that several classes can
-- share it. A class names its components in Class.components, and reaches them as self.<name>; a
-- component reaches its actor by GetOwner(). It replicates through its actor.
local ActorComponent = class("ActorComponent")

-- A client received a variable that is declared with notify: see Actor.
function ActorComponent.simulated:ReplicatedEvent(name, old)
	local handler = self["OnRep_" .. name]
	if handler then
		handler(self, old)
	end
end

-- Moves (R9.9). A component whose class declares .moves takes part in the moves of a player whose pawn has
-- the component. The functions below then run after those of Pawn, in the order in which the pawn declares
-- its components: on the player's machine, where a move may be performed again, and on the server. See
-- docs/movement.md.

-- Called when a move is created: sets the variables that .moves lists as flags and fields.
function ActorComponent:FillMove(_) end

-- Performs what a move requests. It may use only the move, these variables, the state and the pawn.
function ActorComponent:ProcessMove(_) end

-- Returns the maximum speed of the pawn in a move, in uu/s; speed is the limit so far, after the pawn and
-- earlier parts.
function ActorComponent:ModifyMoveSpeed(_, speed)
	return speed
end

-- Whether two moves that request the same thing, and were not sent yet, may be performed as one.
function ActorComponent:CanCombineMoves(_, _)
	return true
end

-- Whether the server must not miss a move, so that it is sent again with the next ones. The arguments are the
-- move in question and the next one.
function ActorComponent:IsImportantMove(_, _)
	return false
end

-- Returns what the next move depends on besides the variables that .moves lists as state: at most 64 bytes.
function ActorComponent:GetMoveState()
	return ""
end

-- Restores what GetMoveState returned, before moves are performed again or when the server corrects the
-- player.
function ActorComponent:SetMoveState(_) end

return ActorComponent
