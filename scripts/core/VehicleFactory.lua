-- VehicleFactory: a place in the level where a vehicle stands, and where the next one comes when it is gone.
local VehicleFactory = class("VehicleFactory", "Info")

VehicleFactory.properties {
	VehicleClass = classref("Vehicle"), -- what it makes
	RespawnTime = float(20, { min = 0, max = 3600 }), -- seconds from the end of one to the next; 0 never
	bEmpty = false, -- makes nothing at first: only when one is gone
}

VehicleFactory.defaults {
	VehicleClass = "Vehicle",
}

-- On the server: makes the first vehicle, unless bEmpty.
function VehicleFactory:BeginPlay()
	if not self.bEmpty then
		self:SetTimer(0.001, false, "MakeVehicle") -- the level is whole by then
	end
end

-- Makes one, where nothing stands in the way; else it tries again in a second.
function VehicleFactory:MakeVehicle()
	local place = self.Location + vector(0, 0, 10)
	if #self:ActorsInRadius("Pawn", 150, place) > 0 then
		self:SetTimer(1, false, "MakeVehicle")
		return
	end
	self:Spawn(self.VehicleClass, { Location = place, Rotation = self.Rotation, Factory = self })
end

-- The one it made is gone.
function VehicleFactory:VehicleGone()
	if self.RespawnTime > 0 then
		self:SetTimer(self.RespawnTime, false, "MakeVehicle")
	end
end

return VehicleFactory
