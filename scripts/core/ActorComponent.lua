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

-- Moves (R9.9). A class with .moves takes part in the moves of a player whose pawn has the component. These
-- functions then run as those of Pawn do, after them and in the order in which the pawn declares its
-- components: on the player's machine, where a move may be done over, and on the server. See docs/movement.md.

-- A move is made: sets the variables that .moves names as flags and fields.
function ActorComponent:FillMove(_) end

-- Does what a move requests. It uses the move, these variables, the state and the pawn, and nothing else.
function ActorComponent:ProcessMove(_) end

-- How fast the pawn may walk or fly in a move, in uu/s, where speed is what others have left of that.
function ActorComponent:ModifyMoveSpeed(_, speed)
	return speed
end

-- Whether two moves that request the same, and were not sent yet, may be performed as one.
function ActorComponent:CanCombineMoves(_, _)
	return true
end

-- Whether the server must not miss a move, so that it is also sent again with the next ones. move is the one
-- in question, next the one after it.
function ActorComponent:IsImportantMove(_, _)
	return false
end

-- What the next move depends on besides the variables that .moves names as state: at most 64 bytes.
function ActorComponent:GetMoveState()
	return ""
end

-- Restores what GetMoveState returned, before moves are performed again or when the server corrects the
-- player.
function ActorComponent:SetMoveState(_) end

return ActorComponent
