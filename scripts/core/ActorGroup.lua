-- ActorGroup: a group of dependent actors, of which only one replicates (R12.10): a train and its wagons, a
-- leader and its followers, a pillar and the stones that circle it. The group itself is a normal replicated
-- actor. Each machine with a view spawns the members from the group's variables, and PlaceMember positions
-- them each tick. Members are never replicated, and a dedicated server has none.
local ActorGroup = class("ActorGroup", "Actor")

ActorGroup.properties {
	MemberClass = classref("Actor"), -- class of the members
	MemberCount = int(0, { min = 0, max = 64 }), -- number of members
	Spacing = float(100, { min = 0 }), -- uu between members
}

ActorGroup.defaults {
	bUpdateSimulatedPosition = true,
}

ActorGroup.replication {
	{ "MemberClass", "MemberCount", "Spacing", notify = true },
}

-- Whether this machine needs members: it does if it has a view.
function ActorGroup.simulated:ShowsMembers()
	return world.NetMode ~= NM_DedicatedServer
end

-- On every peer: spawns the members, or disables Tick where nobody sees them.
function ActorGroup.simulated:PostNetBeginPlay()
	self:UpdateMembers()
	if not self:ShowsMembers() then
		self:SetTickEnabled(false) -- no members to position
	end
end

-- On a client: MemberClass was received; members of another class are replaced.
function ActorGroup.simulated:OnRep_MemberClass(_)
	self:UpdateMembers()
end

-- On a client: MemberCount was received; members are added or destroyed.
function ActorGroup.simulated:OnRep_MemberCount(_)
	self:UpdateMembers()
end

-- The members on this machine, in order.
function ActorGroup.simulated:GetMembers()
	self.members = self.members or {}
	return self.members
end

-- Spawns and destroys members until their number and class match the group's variables.
function ActorGroup.simulated:UpdateMembers()
	if not self:ShowsMembers() then
		return
	end
	local members = self:GetMembers()
	local count = self.MemberClass and self.MemberCount or 0
	for i = #members, 1, -1 do
		if members[i].bDeleteMe then
			table.remove(members, i) -- destroyed by something else
		elseif i > count or members[i]:GetClass() ~= self.madeOf then
			table.remove(members, i):Destroy()
		end
	end
	for i = #members + 1, count do
		local member = self:SpawnEffect(self.MemberClass, self.Location)
		if not member then
			break
		end
		self.madeOf = member:GetClass()
		members[i] = member
		self:PlaceMember(i, member, 0)
		member:SetBase(self, true) -- members move along with the group's own movement after its Tick
	end
end

-- Positions the i-th member, every tick; by default in a row behind the group. A child class lets members
-- follow a rail, circle or march here, using only what the group replicates.
function ActorGroup.simulated:PlaceMember(i, member, _)
	local back = rotator(0, self.Rotation.Yaw, 0):Vector() * (-i * self.Spacing)
	member:SetLocation(self.Location + back)
	member:SetRotation(self.Rotation)
end

-- Calls PlaceMember for every member, each tick, on machines that show members.
function ActorGroup.simulated:Tick(dt)
	for i, member in ipairs(self:GetMembers()) do
		if not member.bDeleteMe then
			self:PlaceMember(i, member, dt)
		end
	end
end

-- The group was destroyed: destroys its members.
function ActorGroup.simulated:Destroyed()
	for _, member in ipairs(self:GetMembers()) do
		if not member.bDeleteMe then
			member:Destroy()
		end
	end
	self.members = {}
end

return ActorGroup
