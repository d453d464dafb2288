-- ReplicationInfo: knowledge that everybody may have. It is always relevant, looks at its variables only
-- when one was set, and is sent seldom: whatever is urgent calls ForceNetUpdate.
local ReplicationInfo = class("ReplicationInfo", "Info")

ReplicationInfo.defaults {
	RemoteRole = ROLE_SimulatedProxy,
	bAlwaysRelevant = true,
	bSkipActorPropertyReplication = true, -- it has no place and no speed worth a byte
	bOnlyDirtyReplication = true,
	NetUpdateFrequency = 10, -- per second
}

return ReplicationInfo
