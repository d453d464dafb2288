-- Actor: everything that exists in a level. The engine itself keeps most of an actor's state: location,
-- velocity, owner, roles (see docs/lua-api.md). This file declares when those variables replicate, and calls
-- the notify handler of a replicated variable.
--
-- Every engine event exists on Actor, so Class.super.Event(self, ...) always works. Events that no class
-- defines cost nothing.
local Actor = class("Actor")

Actor.replication {
	-- Location and movement: replicated initially, and later while the class wants updates. The pawn that a
	-- player's own machine moves is left out, because the server's older state would pull it back.
	{
		"Location", "Rotation", "Velocity", "Physics", "TeleportCount",
		when = function(self)
			return (self.RemoteRole == ROLE_SimulatedProxy
					or self.RemoteRole == ROLE_AutonomousProxy and self.bReplicateMovementToOwner)
				and not self.bSkipActorPropertyReplication
				and (self.bNetInitial or self.bUpdateSimulatedPosition)
		end,
	},
	-- The other engine variables, whenever they change. RelativeLocation is the location of an attached
	-- actor.
	{
		"Base", "bAttached", "RelativeLocation", "RelativeRotation",
		"bHidden", "bTearOff", "Owner", "AmbientSound", "DrawScale",
		when = function(self) return not self.bSkipActorPropertyReplication end,
	},
	-- The pawn that caused this actor, for classes that replicate Instigator.
	{
		"Instigator",
		when = function(self)
			return self.bReplicateInstigator and not self.bSkipActorPropertyReplication
		end,
	},
}

-- Called before the player at this machine hears a sound of this actor. audio has Sound (its name), Location,
-- Volume and Pitch (factors of the recording's own). A child class may change and return it; nil means
-- silence.
function Actor.simulated:ClientCreateAudioComponent(audio)
	return audio
end

-- A client received a variable that is declared with notify. The handler, if there is one, is a function
-- OnRep_<Name>(old) of the class. Override this to see all updates of an actor in one place.
function Actor.simulated:ReplicatedEvent(name, old)
	local handler = self["OnRep_" .. name]
	if handler then
		handler(self, old)
	end
end

return Actor
