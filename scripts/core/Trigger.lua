-- Trigger: a place in the level that does something when somebody comes into it: it calls Trigger(other) on
-- every actor whose name or Tag is Event.
local Trigger = class("Trigger", "Actor")

Trigger.properties {
	Event = str("", { max = 64 }), -- targetname or Tag of what is called
	TriggerClass = classref("Actor"), -- who sets it off
	ReTriggerDelay = float(0, { min = 0, max = 3600 }), -- seconds until it can be set off again
	bTriggerOnce = false, -- works once only
	LastTime = float(-3600), -- world time of the last call
}

Trigger.defaults {
	TriggerClass = "Pawn",
	bHidden = true,
	bCollideActors = true,
	CollisionRadius = 64,
	CollisionHeight = 64,
}

-- An actor came into it: calls FireEvent if it is of TriggerClass and ReTriggerDelay is over.
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

-- Calls everything that listens.
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
