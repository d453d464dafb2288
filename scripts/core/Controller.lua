-- Controller: the mind of a pawn. A controller decides, its pawn has the body; one can go on while the
-- other is replaced. Possess and UnPossess (natives) join and part them.
local Controller = class("Controller", "Actor")

Controller.properties {
	Pawn = ref("Pawn"), -- the body it has now
	PlayerReplicationInfo = ref("PlayerReplicationInfo"), -- what others may know of whoever decides here
}

Controller.defaults {
	bHidden = true,
	RemoteRole = ROLE_None, -- minds stay on the server; PlayerController changes that
}

-- The player's own machine knows its body and its PlayerState; nobody else hears of a controller at all.
Controller.replication {
	{ "Pawn", when = COND_OwnerOnly },
	{ "PlayerReplicationInfo", when = COND_OwnerOnly, notify = true },
}

-- Which way the pawn is to look after a restart or a teleport. The server calls it, and it runs on the machine
-- of the player who decides here; for a bot that is the server itself.
function Controller.client.reliable:ClientSetRotation(rotation)
	if self.Pawn then
		self.Pawn:SetRotation(rotation)
	end
end
Controller.params { ClientSetRotation = { rotator(0, 0, 0) } }

-- The pawn is about to die or to go; called by the pawn.
function Controller:PawnDied(_)
	self:UnPossess()
end

return Controller
