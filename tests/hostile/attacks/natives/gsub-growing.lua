-- rules: G7
-- tries: Lets a string grow by gsub.
-- expect: GsubGrowing:Tick.*\[mod gsub-growing\]

local GsubGrowing = class("GsubGrowing", "Actor")

function GsubGrowing:Tick(_)
	local s = ("a"):rep(1000)
	while true do
		s = s:gsub("a", "%0%0%0")
	end
end

return GsubGrowing
