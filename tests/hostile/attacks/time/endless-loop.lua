-- rules: G6
-- tries: A Tick without end.
-- expect: EndlessLoop:Tick.*\[mod endless-loop\]

local EndlessLoop = class("EndlessLoop", "Actor")

function EndlessLoop:Tick(_)
	while true do
		self.n = 1
	end
end

return EndlessLoop
