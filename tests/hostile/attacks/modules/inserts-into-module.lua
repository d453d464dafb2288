-- rules: G13
-- tries: Inserts into a module by the table library.
-- expect: InsertsIntoModule:Tick.*\[mod inserts-into-module\]

local InsertsIntoModule = class("InsertsIntoModule", "Actor")

local aiming = require("lib.aiming")

function InsertsIntoModule:Tick(_)
	table.insert(aiming, 1)
	table.sort(aiming)
end

return InsertsIntoModule
