-- rules: G13
-- tries: Adds to a module of others.
-- expect: AddsToModule:Tick.*\[mod adds-to-module\]

local AddsToModule = class("AddsToModule", "Actor")

local aiming = require("lib.aiming")

function AddsToModule:Tick(_)
	aiming.extra = self.Name
end

return AddsToModule
