-- RaceGhost: replays a driver's best lap. It exists on their machine alone and touches nothing.
local RaceGhost = class("RaceGhost", "Actor")

RaceGhost.properties {
	Time = float(0, { min = 0 }), -- seconds of the lap that it replays
}

RaceGhost.defaults {
	RemoteRole = ROLE_None,
	bCollideActors = false,
}

RaceGhost.looks {
	shape = "box", size = { 224, 92, 30 }, color = "#8ff0ff", opacity = 0.35, glow = 0.7,
	parts = {
		{
			shape = "sphere", at = { -14, 0, 22 }, size = { 96, 54, 44 }, color = "#8ff0ff",
			opacity = 0.35, glow = 0.7,
		},
		{
			shape = "box", at = { -96, 0, 52 }, size = { 30, 112, 6 }, color = "#8ff0ff",
			opacity = 0.35, glow = 0.7,
		},
	},
}

-- Replays a lap from its beginning. record comes from RacePlayer: locations and rotations, one every
-- RECORD_TIME seconds.
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
	self:SetRotation(part < 0.5 and from.rotation or to.rotation)
end

return RaceGhost
