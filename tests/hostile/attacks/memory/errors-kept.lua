-- rules: G8
-- tries: Keeps every error text of its own.
-- expect: ErrorsKept.*\[mod errors-kept\]

local ErrorsKept = class("ErrorsKept", "Actor")

function ErrorsKept:Tick(_)
	self.kept = self.kept or {}
	for _ = 1, 100 do
		local _, err = pcall(error, ("x"):rep(30000) .. #self.kept)
		self.kept[#self.kept + 1] = err
	end
end

return ErrorsKept
