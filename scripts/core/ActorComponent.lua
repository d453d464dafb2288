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

return ActorComponent
