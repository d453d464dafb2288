-- rules: G8
-- tries: Keeps it in a local of the file.
-- expect: FileLocal.*\[mod file-local\]

local FileLocal = class("FileLocal", "Actor")

local kept = {}

function FileLocal:Tick(_)
	for i = 1, 150 do
		kept[#kept + 1] = ("x"):rep(30000) .. #kept .. i
	end
	self.n = #kept
end

return FileLocal
