-- VehicleFactory: a place in the level where a vehicle stands. When it is gone, another comes after a while.
local VehicleFactory = class("VehicleFactory", "Info")

return VehicleFactory
