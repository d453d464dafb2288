-- rules: G6
-- tries: Makes coroutines without end and leaves them.
-- expect: Coroutines:Tick.*\[mod coroutines\]

local Coroutines = class("Coroutines", "Actor")

function Coroutines:Tick(_)
	while true do
		coroutine.wrap(function()
			coroutine.yield()
		end)()
	end
end

return Coroutines
