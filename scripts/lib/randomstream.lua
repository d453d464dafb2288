-- randomstream: repeatable random numbers. Two machines that begin with the same seed get the same numbers,
-- so a client shows the same spread of a shot as the server computes (Unreal's FRandomStream).
--
--	local stream = randomstream(seed)
--	local share = stream() -- 0 up to, not including, 1
local MODULUS = 2147483647 -- 2^31 - 1; Park and Miller's generator, whose products fit a Lua number exactly

-- Seeds are integers of any size; neighbouring seeds give unrelated streams.
local function randomstream(seed)
	local state = (seed * 69621 + 1013904223) % (MODULUS - 1) + 1
	for _ = 1, 3 do
		state = state * 16807 % MODULUS
	end
	return function()
		state = state * 16807 % MODULUS
		return (state - 1) / (MODULUS - 1)
	end
end

return randomstream
