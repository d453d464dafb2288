-- pathcode: the way of an actor as text, to be stored and replicated: 10 characters for each place on it.
-- A place is kept to 8 uu within 32 768 uu of the origin, and an angle to a 45th of a degree.
local pathcode = {}

pathcode.SIZE = 10 -- characters of a sample
pathcode.TIME = 0.2 -- seconds from one sample to the next

local FIRST, BASE = 35, 92 -- the characters from # to ~
local STEP, MOST = 8, 8191

-- Writes a number from 0 to 65535 as two characters.
local function put(value)
	local n = math.max(0, math.min(MOST, math.floor(value / STEP + 0.5)))
	return string.char(FIRST + math.floor(n / BASE), FIRST + n % BASE)
end

-- Reads the number that begins at a character.
local function get(text, at)
	local high, low = text:byte(at, at + 1)
	return ((high - FIRST) * BASE + low - FIRST) * STEP
end

-- Returns a sample as text. The roll is left out.
function pathcode.Pack(place, rotation)
	local x, y, z = put(place.X + 32768), put(place.Y + 32768), put(place.Z + 32768)
	return x .. y .. z .. put(rotation.Pitch) .. put(rotation.Yaw)
end

-- Returns the samples of a text as a list of places and rotations; step is the time between them.
function pathcode.Unpack(text)
	local record = { step = pathcode.TIME }
	for at = 1, #text - pathcode.SIZE + 1, pathcode.SIZE do
		table.insert(record, {
			place = vector(get(text, at) - 32768, get(text, at + 2) - 32768, get(text, at + 4) - 32768),
			rotation = rotator(get(text, at + 6), get(text, at + 8), 0),
		})
	end
	return record
end

return pathcode
