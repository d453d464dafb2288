-- Actor: everything that lives in a level. Most of what an actor is, the engine itself keeps: place,
-- velocity, owner, roles (see docs/lua-api.md). This file says when those variables cross to clients,
-- and hands the news of a replicated variable to the handler of its name.
--
-- Every event of the engine exists on Actor, so Class.super.Event(self, ...) always works; those that
-- nobody defines cost nothing.
local Actor = class("Actor")

Actor.replication {
	-- Where it is and how it moves: at first, and on as long as the class asks for it. The player's own pawn is
	-- left out where his machine moves it by itself: what runs ahead must not be pulled back.
	{
		"Location", "Rotation", "Velocity", "Physics", "TeleportCount",
		when = function(self)
			return (self.RemoteRole == ROLE_SimulatedProxy
					or self.RemoteRole == ROLE_AutonomousProxy and self.bReplicateMovementToOwner)
				and not self.bSkipActorPropertyReplication
				and (self.bNetInitial or self.bUpdateSimulatedPosition)
		end,
	},
	-- The rest of what the engine keeps, whenever it changes. An attached actor hangs where RelativeLocation says.
	{
		"Base", "bAttached", "RelativeLocation", "RelativeRotation",
		"bHidden", "bTearOff", "Owner", "AmbientSound", "DrawScale",
		when = function(self) return not self.bSkipActorPropertyReplication end,
	},
	-- Who is to blame, for classes that say so.
	{
		"Instigator",
		when = function(self)
			return self.bReplicateInstigator and not self.bSkipActorPropertyReplication
		end,
	},
}

-- The player at this machine is about to hear a sound of this actor. audio has Sound (its name), Location,
-- Volume and Pitch (shares of the recording's own). A child changes what it likes and gives it back; nil is
-- silence.
function Actor.simulated:ClientCreateAudioComponent(audio)
	return audio
end

-- A client received a variable that is declared with notify. The handler, if there is one, is a function
-- OnRep_<Name>(old) of the class. Override this to see all news of an actor in one place.
function Actor.simulated:ReplicatedEvent(name, old)
	local handler = self["OnRep_" .. name]
	if handler then
		handler(self, old)
	end
end

return Actor
