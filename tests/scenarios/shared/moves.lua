-- moves: players who move at random, and what was corrected.
local moves = {}

-- Numbers from 0 up to 1, the same for the same seed.
function moves.numbers(seed)
	local state = seed * 7919 + 17
	return function()
		state = state * 16807 % 2147483647
		return state / 2147483647
	end
end

-- What is told of corrections from the n-th on, for messages.
function moves.told(list, n)
	local lines = {}
	for i = n + 1, #list do
		local c = list[i]
		table.insert(lines, ("%.2f s: %s %s, server %s, after %s ms"):format(c.time, c.field, tostring(c.client), tostring(c.server), tostring(c.move.stamp)))
	end
	return table.concat(lines, "\n")
end

return moves
