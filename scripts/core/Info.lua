-- Info: an actor without a body. It holds rules or state and is never drawn, touched or replicated.
local Info = class("Info", "Actor")

Info.defaults {
	bHidden = true,
	RemoteRole = ROLE_None, -- not replicated; ReplicationInfo changes that
}

return Info
