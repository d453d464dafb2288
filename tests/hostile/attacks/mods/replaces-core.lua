-- rules: G1 G6
-- tries: Replaces a class of core by one whose functions all fail: the file belongs to the mod, and the match goes on.
-- expect: Trigger:BeginPlay.*\[mod replaces-core\]
-- as: core/Trigger.lua
-- spawn: Trigger,Trigger,Trigger
-- ci: true

-- Trigger of the mod.
local Trigger = class("Trigger", "Actor")

Trigger.properties { Event = str("", { max = 64 }), TriggerClass = classref("Actor") }

function Trigger:BeginPlay()
	error("replaced")
end

return Trigger
