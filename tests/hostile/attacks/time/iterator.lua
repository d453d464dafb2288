-- rules: G6
-- tries: An iterator without end.
-- expect: Iterator:Tick.*\[mod iterator\]

local Iterator = class("Iterator", "Actor")

function Iterator:Tick(_)
	for _ in function()
		return 1
	end do
		self.n = 1
	end
end

return Iterator
