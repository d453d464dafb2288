-- movecode: encodes moves as the numbers of ServerMove, as small as possible: a number from 0 to 127 takes a
-- byte, up to 255 two, up to 65535 three, a larger one five; zeros at the end take none.
--
-- Accelerations here are numbers of PackAcceleration: the direction in 1/4096 of a turn in the low bits;
-- share and pitch in multiples of 4096; 0 is none. Nothing is rounded.
local movecode = {}

local TURN = 4096

-- Maps a signed integer to one from 0 that is small for small numbers of either sign: 0, -1, 1, -2, 2 and
-- so on.
local function fold(number)
	return number < 0 and -2 * number - 1 or 2 * number
end

local function unfold(number)
	return number % 2 == 0 and number / 2 or -(number + 1) / 2
end

-- The same for a part of a turn, in the shorter direction: 0 to 4095.
local function foldTurn(part)
	part = part % TURN
	return fold(part < TURN / 2 and part or part - TURN)
end

local function facing(view)
	return math.floor(view.Yaw / 16 + 0.5)
end

-- Encodes an acceleration relative to the view: the nearest eighth of a turn, because keys point ahead, aside
-- or between, and the difference from it; how much of the full share it lacks; pitch. An acceleration by keys
-- takes a byte.
function movecode.PackAcceleration(accel, view)
	if accel == 0 then
		return 0
	end
	local way = (accel - facing(view)) % TURN
	local eighth = math.floor(way * 8 / TURN + 0.5)
	local direction = eighth % 8 + 8 * fold(way - eighth * TURN / 8)
	local share = math.floor(accel / TURN) % 16
	return 1 + direction + TURN * (15 - share) + (accel - accel % 65536)
end

function movecode.UnpackAcceleration(number, view)
	if number == 0 then
		return 0
	end
	number = number - 1
	local direction = number % TURN
	local way = direction % 8 * TURN / 8 + unfold(math.floor(direction / 8))
	local share = 15 - math.floor(number / TURN) % 16
	return (way + facing(view)) % TURN + TURN * share + (number - number % 65536)
end

-- Encodes the difference of a turn from a steady one, and of a move's length from the last, as one number:
-- small if the move is hardly longer and the turn is steady.
local function packPair(turn, longer)
	if longer < 3 then
		return 4 * turn + longer
	elseif turn == 0 then
		return 8 * (longer - 3) + 3
	end
	return 8 * ((longer - 3) * TURN + turn) + 7
end

local function unpackPair(number)
	local rest = number % 8
	if rest % 4 < 3 then
		return math.floor(number / 4), rest % 4
	end
	number = math.floor(number / 8)
	if rest == 3 then
		return 0, number + 3
	end
	return number % TURN, math.floor(number / TURN) + 3
end

-- Encodes an earlier move as two numbers, relative to the move after it in the same call. accel and flags are
-- those of that later move; turn is how far it had turned from this one, or 0: a player who turns steadily
-- continues at the same rate. longer is the number of milliseconds by which the time between their ends
-- exceeds the previous one; nil for the latest of a call, where the call itself carries it. The second number
-- is 0 if only time and direction differ. Also returns turn.
function movecode.PackEarlier(accel, flags, turn, longer, oldAccel, oldFlags)
	local turned = (accel - oldAccel) % TURN
	local number, by = foldTurn(turned - turn), fold(longer or 0)
	if longer then
		number = packPair(number, by)
	end
	local rest, other = math.floor(oldAccel / TURN), 0
	if oldFlags ~= flags or rest ~= math.floor(accel / TURN) then
		other = 1 + oldFlags + 256 * rest
	end
	return number + 1, other, turned
end

-- Returns the earlier move's acceleration and flags, turn, and how much longer it is (0 for the latest).
function movecode.UnpackEarlier(accel, flags, turn, latest, number, other)
	if number == 1 and other == 0 and turn == 0 then
		return accel, flags, 0, 0 -- the usual case: equal to the move after it
	end
	local longer = 0
	number = number - 1
	if not latest then
		number, longer = unpackPair(number)
		longer = unfold(longer)
	end
	turn = (turn + unfold(number % TURN)) % TURN
	local rest = math.floor(accel / TURN)
	if other > 0 then
		rest, flags = math.floor((other - 1) / 256), (other - 1) % 256
	end
	return rest * TURN + (accel - turn) % TURN, flags, turn, longer
end

return movecode
