-- rules: G8
-- tries: Fills tables with keys and takes these away again.
-- expect: DeletedKeys.*\[mod deleted-keys\]|stage: the match is over

local DeletedKeys = class("DeletedKeys", "Actor")

function DeletedKeys:Tick(_)
	self.kept = self.kept or {}
	local t = {}
	for i = 1, 20000 do
		t["k" .. i] = i
	end
	for i = 1, 20000 do
		t["k" .. i] = nil
	end
	self.kept[#self.kept + 1] = t
end

return DeletedKeys
