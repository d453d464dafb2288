-- HubDoor: a door that leads to another host of the cluster. A player who walks into it is sent there, and
-- plays on here until they are there; over it stands where it leads, or why nobody can go there now.
local HubDoor = class("HubDoor", "Actor")

local PATIENCE = 60 -- seconds in which a door does not send the same player again, while it has no answer

HubDoor.properties {
	Target = str("", { max = 64 }), -- name, id or label of the hosts to which it leads
	Title = str("", { max = 48 }), -- what stands over it
	NoticeTime = float(8, { min = 1, max = 60 }), -- seconds for which a reason stands over it
	Sign = str("", { max = 200 }), -- what stands over it at present
}

HubDoor.defaults {
	bNoDelete = true, -- part of the level
	bAlwaysRelevant = true,
	bCollideActors = true,
	CollisionRadius = 56,
	CollisionHeight = 110,
}

HubDoor.replication {
	{ "Sign" },
}

-- A bright sheet between two posts.
HubDoor.looks {
	shape = "box", size = { 12, 140, 210 }, color = "#59b4ff", opacity = 0.45, glow = 0.8,
	label = "=Sign",
	light = { color = "#59b4ff", radius = 320, intensity = 0.8 },
	parts = {
		{ shape = "box", at = { 0, -84, 0 }, size = { 34, 28, 220 }, color = "#3b4652" },
		{ shape = "box", at = { 0, 84, 0 }, size = { 34, 28, 220 }, color = "#3b4652" },
		{ shape = "box", at = { 0, 0, 122 }, size = { 40, 210, 28 }, color = "#3b4652" },
	},
	when = {
		{ "Sign ~= Title", color = "#ff6b60", light = { color = "#ff6b60" } },
	},
}

-- On the server: the level has given it Target and Title.
function HubDoor:PostBeginPlay()
	self:ShowTitle()
end

-- Shows where it leads.
function HubDoor:ShowTitle()
	self.Sign = self.Title
end

-- Shows for a while why somebody could not go there.
function HubDoor:ShowReason(reason)
	self.Sign = world:CleanText(self.Title .. ": " .. reason, 200)
	self:SetTimer(self.NoticeTime, false, "ShowTitle")
end

-- A player walked into it. A pawn that stays in it does not touch it again.
function HubDoor:Touch(other)
	local pc = other:IsA("Pawn") and other.Controller
	if not pc or not pc:IsA("PlayerController") or (pc.leavingUntil or 0) > world.TimeSeconds then
		return
	end
	pc.leavingUntil = world.TimeSeconds + PATIENCE -- or until the answer is there
	pc:Teleport(self.Target, { Door = self.Title }, function(_, err)
		if not pc.bDeleteMe then
			pc.leavingUntil = nil
		end
		if err then
			self:ShowReason(err)
		end
	end)
end

return HubDoor
