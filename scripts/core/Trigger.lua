-- Trigger: a location in the level that acts when an actor enters it: it calls Trigger(other) on every actor
-- whose name or Tag equals its Event.
local Trigger = class("Trigger", "Actor")

Trigger.properties {
	Event = str("", { max = 64 }), -- targetname or Tag of the actors it calls
	TriggerClass = classref("Actor"), -- class of actors that trigger it
	ReTriggerDelay = float(0, { min = 0, max = 3600 }), -- seconds until it can be triggered again
	bTriggerOnce = false, -- works only once
	LastTime = float(-3600), -- world time of the last call
}

Trigger.defaults {
	TriggerClass = "Pawn",
	bHidden = true,
	bCollideActors = true,
	CollisionRadius = 64,
	CollisionHeight = 64,
}

-- An actor entered it: calls FireEvent if the actor is of TriggerClass and ReTriggerDelay is over.
function Trigger:Touch(other)
	if not other:IsA(self.TriggerClass or "Actor") then
		return
	end
	if world.TimeSeconds - self.LastTime < self.ReTriggerDelay then
		return
	end
	self.LastTime = world.TimeSeconds
	self:FireEvent(other)
	if self.bTriggerOnce then
		self:SetCollision(false)
	end
end

-- Calls Trigger on every actor that Event names.
function Trigger:FireEvent(other)
	if self.Event == "" then
		return
	end
	for _, target in ipairs(self:ActorsOf("Actor")) do
		if target ~= self and (target.Name == self.Event or target.Tag == self.Event) then
			local call = target.Trigger
			if call then
				call(target, other)
			end
		end
	end
end

return Trigger
