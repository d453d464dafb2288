-- rules: G6
-- tries: A Tick without end that catches the end of its budget.
-- expect: EndlessPcall:Tick.*\[mod endless-pcall\]

local EndlessPcall = class("EndlessPcall", "Actor")

function EndlessPcall:Tick(_)
	while true do
		pcall(function()
			while true do
				self.n = 1
			end
		end)
	end
end

return EndlessPcall
