-- inflight: the shots and reloads of a weapon that the server has not answered yet, the oldest first, on the
-- player's machine. The displayed ammunition is the server's number minus these (R12.3), so it does not jump
-- back up under lag.
local Flight = {}
Flight.__index = Flight

function Flight:AddShot()
	table.insert(self, "shot")
end

-- Adds a reload that was completed here; number identifies it.
function Flight:AddReload(number)
	table.insert(self, number)
end

-- Removes what the server has answered: so many shots, and the reloads up to a number.
function Flight:Answered(shots, reload)
	local kept = 0
	for i = 1, #self do
		local what = self[i]
		local done
		if what == "shot" then
			done = shots > 0
			shots = done and shots - 1 or shots
		else
			done = (reload - what) % 65536 < 32768
		end
		self[i] = nil
		if not done then
			kept = kept + 1
			self[kept] = what
		end
	end
end

-- Returns the loaded and spare rounds once everything in flight has reached the server: clip and spare are
-- the server's numbers.
function Flight:After(clip, spare, perShot, clipSize)
	for _, what in ipairs(self) do
		if what == "shot" then
			clip = math.max(0, clip - perShot)
		else
			local take = math.max(0, math.min(clipSize - clip, spare))
			clip, spare = clip + take, spare - take
		end
	end
	return clip, spare
end

local function inflight()
	return setmetatable({}, Flight)
end

return inflight
