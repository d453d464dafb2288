-- rules: G6
-- tries: Replaces by a function that does not end.
-- expect: Gsubs:Tick.*\[mod gsubs\]

local Gsubs = class("Gsubs", "Actor")

function Gsubs:Tick(_)
	local s = ("x"):rep(1000)
	s:gsub(".", function()
		while true do
			self.n = 1
		end
	end)
end

return Gsubs
