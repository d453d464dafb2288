-- rules: G1 G4
-- tries: A native gets a number for a place.
-- expect: BadArgument:Tick: .*SetLocation: argument 1 \(place\): expected a vector, got the number 5.*\[mod bad-argument\]

local BadArgument = class("BadArgument", "Actor")

function BadArgument:BeginPlay()
	self.place = 5
end

function BadArgument:Tick(_)
	self:SetLocation(self.place)
end

return BadArgument
