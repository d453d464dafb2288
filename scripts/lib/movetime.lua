-- movetime: compares the durations that a player claims for moves with the server's clock (R9.6).
--
-- The lead is the total claimed duration minus the time since the player's first move. A network delay lowers
-- it for a while, so only its maxima say something about clocks: those of an honest player stay equal, those
-- of a fast clock rise again and again, and a slow clock never reaches its earlier maxima. A change by more
-- than FAST or SLOW twice in a row is an offence, and so is a jump that no delay explains. From then on a
-- move lasts as long as it took to arrive, until the clock has been right for the same number of windows.
--
-- While the host stands still, moves are lost, or arrive much later and at once. What happens to the lead over
-- that time then seems to happen within a window or two. So no rates are judged until all windows that are
-- compared began after it; meanwhile a lead may return to its maximum from before, and not beyond.
local movetime = {}

local WINDOW = 2.5 -- seconds between two maxima
local FAST, SLOW = 0.0375, 0.05 -- seconds in a second over two windows; 2 % in either direction is allowed
local MOST_AHEAD = 0.5 -- seconds that a lead may exceed the maximum of two windows before
local CALM = 3 -- windows that must begin after a standstill of the host, before rates are judged again
local BACK = 5 -- seconds within which a delayed connection catches up
local NEVER = -math.huge

-- Returns the state of a player who has made no move yet.
function movetime.new()
	return { claimed = 0, top = NEVER }
end

-- Ends a window: compares its maximum with those of the two before. Returns what is wrong and its rate, or
-- nothing.
local function judge(time, seconds)
	local first, second = time.first, time.second
	time.first, time.second = second, time.top
	time.top = NEVER
	if time.calm then
		time.calm = time.calm > 1 and time.calm - 1 or nil
		return nil
	end
	if not first then
		return nil
	end
	local before, after = (second - first) / seconds, (time.second - second) / seconds
	-- A jump in one window comes from the network, or from a machine that stalled; a wrong clock repeats it.
	local both, least = (before + after) / 2, math.min(math.abs(before), math.abs(after))
	if both > FAST and least > FAST / 2 and before > 0 and after > 0 then
		return "fast", both
	elseif both < -SLOW and least > math.max(SLOW / 2, -both / 4) and before < 0 and after < 0 then
		return "slow", both
	elseif math.abs(before) < FAST and math.abs(after) < FAST then
		return "right", both
	end
	return nil
end

-- Returns the highest lead of the last windows.
local function highest(time)
	return math.max(time.first or NEVER, time.second or NEVER, time.top)
end

-- Records that the host stood still until now.
function movetime.StandStill(time)
	time.stillTop = math.max(time.calm and time.stillTop or NEVER, highest(time))
	time.calm = CALM
end

-- Records that the player's clock was set back by dt seconds, in which the pawn had moved without them. If
-- only the connection was late and catches up, the player claims this time again: see IsPast.
function movetime.SetBack(time, now, dt)
	time.back, time.backTop, time.backUntil = (time.back or 0) + dt, highest(time), now + BACK
end

-- Whether a move of dt seconds, which is about to be claimed, belongs to time that was counted before: then
-- it is past, and no offence.
function movetime.IsPast(time, now, dt)
	if (time.back or 0) <= 0 or now > time.backUntil or not time.since
		or time.claimed + dt - (now - time.since) <= time.backTop then
		return false
	end
	time.back = time.back - dt
	return true
end

-- Accounts for a player's claim, at the server time now, that a move lasted dt seconds. Returns how long it
-- lasts here, and, if that was detected just now, what is wrong with the player's clock ("fast", "slow" or
-- "ahead") and by how much. waited is how many seconds the player's first move may have waited for a host
-- that stood still; the moves after it arrive at the same time.
function movetime.Account(time, now, dt, waited)
	if time.since then
		time.claimed = time.claimed + dt
	else
		-- How long the first one took to arrive is unknown.
		time.since, time.window = now - waited, now
	end
	local lead = time.claimed - (now - time.since)
	time.top = math.max(time.top, lead)
	local how, rate
	local most = time.first or time.second or 0
	if lead > math.max(most, time.calm and time.stillTop or NEVER) + MOST_AHEAD then
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
