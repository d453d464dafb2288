-- rules: G1 G2
-- tries: Every actor of the class fails while it begins, and its timer spawns more.
-- expect: BeginThrows:BeginPlay.*\[mod begin-throws\]

local BeginThrows = class("BeginThrows", "Actor")

function BeginThrows:BeginPlay()
	self:SetTimer(0.1, true, "More")
	error("no beginning")
end

function BeginThrows:More()
	self:Spawn("BeginThrows", { Location = self.Location })
end

return BeginThrows
