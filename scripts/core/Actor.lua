-- Actor: everything that lives in a level. Most of what an actor is, the engine itself keeps: place,
-- velocity, owner, roles (see docs/lua-api.md). This file says when those variables cross to clients,
-- and hands the updates of a replicated variable to the handler of its name.
--
-- Every event of the engine exists on Actor, so Class.super.Event(self, ...) always works; those that
-- nobody defines cost nothing.
local Actor = class("Actor")

Actor.replication {
	-- Place and movement: initially, and later while the class wants updates. The pawn of a player whose machine
	-- moves it is left out, since the server's older state would pull it back.
	{
		"Location", "Rotation", "Velocity", "Physics", "TeleportCount",
		when = function(self)
			return (self.RemoteRole == ROLE_SimulatedProxy
					or self.RemoteRole == ROLE_AutonomousProxy and self.bReplicateMovementToOwner)
				and not self.bSkipActorPropertyReplication
				and (self.bNetInitial or self.bUpdateSimulatedPosition)
		end,
	},
	-- The other engine variables, whenever they change. RelativeLocation is the place of an attached actor.
	{
		"Base", "bAttached", "RelativeLocation", "RelativeRotation",
		"bHidden", "bTearOff", "Owner", "AmbientSound", "DrawScale",
		when = function(self) return not self.bSkipActorPropertyReplication end,
	},
	-- The pawn that caused this actor, for classes that replicate it.
	{
		"Instigator",
		when = function(self)
			return self.bReplicateInstigator and not self.bSkipActorPropertyReplication
		end,
	},
}

-- Called before the player at this machine hears a sound of this actor. audio has Sound (its name), Location,
-- Volume and Pitch (factors of the recording's own). A child may change and returns it; nil is silence.
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
