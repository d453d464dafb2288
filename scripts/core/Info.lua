-- Info: an actor without a body. It holds rules or knowledge and is never seen, touched or sent.
local Info = class("Info", "Actor")

Info.defaults {
	bHidden = true,
	RemoteRole = ROLE_None, -- not replicated; ReplicationInfo changes that
}

return Info
