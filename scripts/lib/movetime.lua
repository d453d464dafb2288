-- movetime: holds what a player claims his moves last against the server's clock (R9.6).
--
-- His lead is by how much all he claimed is ahead of the time that has passed since his first move. A delay
-- on the way takes it down and lets it come up again, so only its tops tell of clocks: an honest player's
-- stay where they are, one whose clock runs fast raises his again and again, and one whose clock runs slow
-- never comes back to them. Twice in a row by more than FAST or SLOW is an offence, and so is a leap that no
-- delay explains. From then on a move lasts as long as it took to come, until his clock has been right again
-- for as long.
local movetime = {}

local WINDOW = 2.5 -- seconds between two tops
local FAST, SLOW = 0.0375, 0.05 -- seconds in a second over two windows; 2 % either way is no offence
local MOST_AHEAD = 0.5 -- seconds that a lead may be above the top of two windows before
local NEVER = -math.huge

-- What is known of a player who has made no move yet.
function movetime.new()
	return { claimed = 0, top = NEVER }
end

-- A window is over: compares its top with those of the two before. Gives what is wrong and the rate of it, or
-- nothing.
local function judge(time, seconds)
	local first, second = time.first, time.second
	time.first, time.second = second, time.top
	time.top = NEVER
	if not first then
		return nil
	end
	local before, after = (second - first) / seconds, (time.second - second) / seconds
	-- One leap in one window is the network's; a clock goes on and on.
	local both, least = (before + after) / 2, math.min(math.abs(before), math.abs(after))
	if both > FAST and least > FAST / 2 and before > 0 and after > 0 then
		return "fast", both
	elseif both < -SLOW and least > SLOW / 2 and before < 0 and after < 0 then
		return "slow", both
	elseif math.abs(before) < FAST and math.abs(after) < FAST then
		return "right", both
	end
	return nil
end

-- A player claims at a time of the server's that a move lasted dt seconds. Gives how long it lasts here, and,
-- where that was just found out, what is wrong with his clock ("fast", "slow" or "ahead") and by how much.
function movetime.Account(time, now, dt)
	if time.since then
		time.claimed = time.claimed + dt
	else
		time.since, time.window = now, now -- how long the first one took to come, nobody knows
	end
	local lead = time.claimed - (now - time.since)
	time.top = math.max(time.top, lead)
	local how, rate
	if lead > (time.first or time.second or 0) + MOST_AHEAD then
		how, rate = "ahead", lead
	end
	if now - time.window >= WINDOW then
		local found, by = judge(time, now - time.window)
		how, rate = how or found, rate or by
		time.window = now
	end
	if not time.held then
		if how and how ~= "right" then
			time.held = now
			return dt, how, rate
		end
		return dt
	end
	local passed = now - time.held
	time.held = now
	if how == "right" then
		time.since, time.held, time.claimed = now, nil, 0
		time.first, time.second, time.top = nil, nil, NEVER
	end
	return passed
end

return movetime
