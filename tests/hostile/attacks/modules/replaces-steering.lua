-- rules: G13
-- tries: Replaces functions of the module that bots steer by.
-- expect: ReplacesSteering:Tick.*\[mod replaces-steering\]

local ReplacesSteering = class("ReplacesSteering", "Actor")

local steering = require("lib.steering")

function ReplacesSteering:Tick(_)
	for key in pairs(steering) do
		steering[key] = function()
			error("lost")
		end
	end
end

return ReplacesSteering
