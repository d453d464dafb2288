-- ReplicationInfo: state that everybody may know. It is always relevant, compares its variables only after
-- one was set, and is sent rarely: urgent changes call ForceNetUpdate.
local ReplicationInfo = class("ReplicationInfo", "Info")

ReplicationInfo.defaults {
	RemoteRole = ROLE_SimulatedProxy,
	bAlwaysRelevant = true,
	bSkipActorPropertyReplication = true, -- its location and velocity mean nothing
	bOnlyDirtyReplication = true,
	NetUpdateFrequency = 10, -- per second
}

return ReplicationInfo
