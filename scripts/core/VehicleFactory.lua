-- VehicleFactory: a location in the level where a vehicle is spawned, and the next one after it is gone.
local VehicleFactory = class("VehicleFactory", "Info")

VehicleFactory.properties {
	VehicleClass = classref("Vehicle"), -- class of the vehicle
	RespawnTime = float(20, { min = 0, max = 3600 }), -- seconds from the end of one vehicle to the next; 0 never
	bEmpty = false, -- spawns nothing at first, only when a vehicle is gone
}

VehicleFactory.defaults {
	VehicleClass = "Vehicle",
}

-- On the server: spawns the first vehicle, unless bEmpty.
function VehicleFactory:BeginPlay()
	if not self.bEmpty then
		self:SetTimer(0.001, false, "MakeVehicle") -- all actors of the level exist by then
	end
end

-- Spawns a vehicle if nothing blocks the location; otherwise tries again in a second.
function VehicleFactory:MakeVehicle()
	local place = self.Location + vector(0, 0, 10)
	if #self:ActorsInRadius("Pawn", 150, place) > 0 then
		self:SetTimer(1, false, "MakeVehicle")
		return
	end
	self:Spawn(self.VehicleClass, { Location = place, Rotation = self.Rotation, Factory = self })
end

-- The vehicle that it spawned is gone.
function VehicleFactory:VehicleGone()
	if self.RespawnTime > 0 then
		self:SetTimer(self.RespawnTime, false, "MakeVehicle")
	end
end

return VehicleFactory
