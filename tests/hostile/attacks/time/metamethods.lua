-- rules: G6
-- tries: Loops in a metamethod.
-- expect: Metamethods:Tick.*\[mod metamethods\]

local Metamethods = class("Metamethods", "Actor")

function Metamethods:Tick(_)
	local t = setmetatable({}, { __index = function()
		while true do
			self.n = 1
		end
	end })
	self.m = t.x
end

return Metamethods
