-- RaceGhost: replays a lap: the driver's own best of this race, or the best of all time. It exists on one
-- machine alone and touches nothing.
local RaceGhost = class("RaceGhost", "Actor")

RaceGhost.properties {
	Time = float(0, { min = 0 }), -- seconds of the lap that it replays
	Title = str("", { max = 48 }), -- what stands over it
	Paint = str("#8ff0ff", { max = 9 }), -- its color
}

RaceGhost.defaults {
	RemoteRole = ROLE_None,
	bCollideActors = false,
}

RaceGhost.looks {
	shape = "box", size = { 224, 92, 30 }, color = "=Paint", opacity = 0.35, glow = 0.7,
	label = "=Title",
	parts = {
		{
			shape = "sphere", at = { -14, 0, 22 }, size = { 96, 54, 44 }, color = "=Paint",
			opacity = 0.35, glow = 0.7,
		},
		{
			shape = "box", at = { -96, 0, 52 }, size = { 30, 112, 6 }, color = "=Paint",
			opacity = 0.35, glow = 0.7,
		},
	},
}

-- Returns the angle at a part of the shorter way from one to another.
local function turned(from, to, part)
	return from + ((to - from + 32768) % 65536 - 32768) * part
end

-- Replays a lap from its beginning: record is a list of places and rotations, one every record.step seconds.
function RaceGhost:Follow(record)
	self.record, self.Time = record, 0
	self.bHidden = false
end

-- Moves to its location at this time of the lap.
function RaceGhost:Tick(dt)
	local record = self.record
	if not record then
		return
	end
	self.Time = self.Time + dt
	local at = self.Time / record.step
	local i = math.floor(at) + 1
	local from, to = record[i], record[i + 1]
	if not to then
		self.bHidden = true -- it is at the line, and waits there
		return
	end
	local part = at - math.floor(at)
	self:SetLocation(from.place + (to.place - from.place) * part)
	local a, b = from.rotation, to.rotation
	self:SetRotation(rotator(
		turned(a.Pitch, b.Pitch, part), turned(a.Yaw, b.Yaw, part), turned(a.Roll, b.Roll, part)))
end

return RaceGhost
