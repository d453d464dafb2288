-- shotbook: a server's record of a player's shots: which numbers were judged already, because each shot is
-- sent several times and out of order, and when the last one was fired, to check the rate of fire. Numbers go
-- from 1 to 65535 and wrap to 0. A book is plain data, so that it is saved with its weapon.
local shotbook = {}

-- How many shots may be in flight.
local WINDOW = 64

-- Returns how many steps a number is ahead of another, less than 0 if it is behind.
local function ahead(number, of)
	return (number - of + 32768) % 65536 - 32768
end

-- Whether a shot of that number is still to be judged.
function shotbook.IsNew(book, number)
	local steps = ahead(number, book.newest)
	if steps > 0 then
		return steps <= WINDOW
	end
	return book.missing[number % WINDOW] == number
end

-- The shot has been judged.
function shotbook.Note(book, number)
	local steps = ahead(number, book.newest)
	for i = 1, steps - 1 do
		local missed = (book.newest + i) % 65536
		book.missing[missed % WINDOW] = missed -- replaces a number that is too old by now
	end
	book.missing[number % WINDOW] = false
	book.newest = steps > 0 and number or book.newest
end

-- Returns when a shot so many steps after the last accepted one may be fired.
local function dueAt(book, steps, shortest)
	return book.last + book.lastInterval + (steps - 1) * shortest
end

-- Whether a shot fired at time comes too soon after the last accepted one: before that one's interval is
-- over, plus shortest for each shot missing in between. All in seconds.
function shotbook.IsTooSoon(book, number, time, shortest, tolerance)
	if not book.last then
		return false
	end
	local steps = ahead(number, book.lastNumber)
	if steps > 0 then
		return time < dueAt(book, steps, shortest) - tolerance
	end
	return time > book.last + steps * shortest + tolerance
end

-- Records that a shot was accepted, and the next may come after interval. A shot that came early, within the
-- tolerance, counts as fired when it was due: otherwise every shot would gain the tolerance.
function shotbook.Fired(book, number, time, shortest, interval)
	local steps = book.last and ahead(number, book.lastNumber) or 1
	if steps <= 0 then
		return
	elseif book.last then
		time = math.max(time, dueAt(book, steps, shortest))
	end
	book.last, book.lastNumber, book.lastInterval = time, number, interval
end

-- Records that a shot was rejected: it does not delay later ones.
function shotbook.Refused(book, number)
	if book.last and ahead(number, book.lastNumber) > 0 then
		book.lastNumber = number
	end
end

-- Returns the book of a weapon of which so many shots were judged before.
function shotbook.new(judged)
	return { newest = judged, missing = {} }
end

return shotbook
