-- rules: G8
-- tries: Keeps coroutines with large locals.
-- expect: CoroutineLocals.*\[mod coroutine-locals\]

local CoroutineLocals = class("CoroutineLocals", "Actor")

function CoroutineLocals:Tick(_)
	self.kept = self.kept or {}
	for i = 1, 40 do
		local co = coroutine.create(function()
			local s = ("x"):rep(30000) .. i
			coroutine.yield()
			return s
		end)
		coroutine.resume(co)
		self.kept[#self.kept + 1] = co
	end
end

return CoroutineLocals
