-- rules: G8
-- tries: Keeps a megabyte in each of many actors.
-- expect: SmallActors.*\[mod small-actors\]

local SmallActors = class("SmallActors", "Actor")

function SmallActors:Tick(_)
	if self.n ~= 1 then
		self.s = {}
		for i = 1, 30 do
			self.s[i] = ("x"):rep(30000) .. self.Name .. i
		end
		self.n = 1
		self:Spawn("SmallActors", { Location = self.Location })
	end
end

return SmallActors
