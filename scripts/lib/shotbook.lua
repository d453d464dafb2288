-- shotbook: a server's record of a player's shots: which numbers were judged already, because each shot is
-- sent several times and out of order, and when the last one was fired, to check the rate of fire. Numbers go
-- from 1 to 65535 and wrap to 0.
local Book = {}
Book.__index = Book

-- How many shots may be in flight.
local WINDOW = 64

-- Returns how many steps a number is ahead of another, less than 0 if it is behind.
local function ahead(number, of)
	return (number - of + 32768) % 65536 - 32768
end

-- Whether a shot of that number is still to be judged.
function Book:IsNew(number)
	local steps = ahead(number, self.newest)
	if steps > 0 then
		return steps <= WINDOW
	end
	return self.missing[number % WINDOW] == number
end

-- The shot has been judged.
function Book:Note(number)
	local steps = ahead(number, self.newest)
	for i = 1, steps - 1 do
		local missed = (self.newest + i) % 65536
		self.missing[missed % WINDOW] = missed -- replaces a number that is too old by now
	end
	self.missing[number % WINDOW] = false
	self.newest = steps > 0 and number or self.newest
end

-- Whether a shot fired at time comes too soon after the last accepted one: before that one's interval is
-- over, plus shortest for each shot missing in between. All in seconds.
function Book:IsTooSoon(number, time, shortest, tolerance)
	if not self.last then
		return false
	end
	local steps = ahead(number, self.lastNumber)
	if steps > 0 then
		return time < self:GetDue(steps, shortest) - tolerance
	end
	return time > self.last + steps * shortest + tolerance
end

function Book:GetDue(steps, shortest)
	return self.last + self.lastInterval + (steps - 1) * shortest
end

-- Records that a shot was accepted, and the next may come after interval. A shot that came early, within the
-- tolerance, counts as fired when it was due: otherwise every shot would gain the tolerance.
function Book:Fired(number, time, shortest, interval)
	local steps = self.last and ahead(number, self.lastNumber) or 1
	if steps <= 0 then
		return
	elseif self.last then
		time = math.max(time, self:GetDue(steps, shortest))
	end
	self.last, self.lastNumber, self.lastInterval = time, number, interval
end

-- Records that a shot was rejected: it does not delay later ones.
function Book:Refused(number)
	if self.last and ahead(number, self.lastNumber) > 0 then
		self.lastNumber = number
	end
end

local function shotbook()
	return setmetatable({ newest = 0, missing = {} }, Book)
end

return shotbook
