-- rules: G6
-- tries: Once in a second a Tick takes as long as a call may, and nothing in between.
-- expect: Peaks:.*\[mod peaks\]

local Peaks = class("Peaks", "Actor")

function Peaks:Tick(_)
	self.n = (self.n or 0) + 1
	if self.n % 60 == 0 then
		local x = 0
		for i = 1, 2000000 do
			x = x + i
		end
	end
end

return Peaks
