-- savedmove: a move of a player that their machine saves until the server has answered it (R9.1), and the
-- rules by which moves are combined and repeated (R9.2). A class of pawns changes the rules by overriding
-- the functions of Pawn that call these: FillMove, CanCombineMoves, IsImportantMove. docs/movement.md shows
-- how.
--
-- A move has: Stamp, the player's clock at its end, in milliseconds; Delta, its duration in seconds; Accel, a
-- number of PackAcceleration; Flags; View, a rotator; Root, a velocity that an animation requests, or nil;
-- Extra, a string of at most 64 bytes that the pawn's class sends along, or nil. If components and the weapon
-- take part in it (core/MovePartController.lua), it also has Parts, the participants; Inputs, their requests;
-- Asks, whether there are any requests; Presses, whether something happens once. KeepsView means that View is
-- sent exactly even if the move is sent along with a later one. Its result on the player's machine: Location
-- (relative to Base), Base, Velocity, Physics, and Met, whether something stopped or turned the pawn, or it
-- left or reached the ground.
local savedmove = {}

-- Flags. The first four are keys; three are for games. Answered belongs to the protocol: see
-- PlayerController.
savedmove.JUMP = 1
savedmove.CROUCH = 2
savedmove.RUN = 4
savedmove.AIM = 8
savedmove.CUSTOM1 = 16
savedmove.CUSTOM2 = 32
savedmove.ANSWERED = 64
savedmove.CUSTOM3 = 128

-- Stamps are sent modulo this many milliseconds, so that a match may last for days.
savedmove.WRAP = 65536

-- Flags of events that happen once: such a move must be sent before a later one replaces it.
savedmove.ONCE = { savedmove.JUMP, savedmove.CUSTOM1, savedmove.CUSTOM2, savedmove.CUSTOM3 }

-- Whether a flag is set.
function savedmove.Has(flags, flag)
	return flags % (2 * flag) >= flag
end

-- Returns the flags with one more set.
function savedmove.With(flags, flag)
	return savedmove.Has(flags, flag) and flags or flags + flag
end

-- Whether the effects of a move may depend on where its player looks: something is requested, or done by a
-- flag of a game.
function savedmove.KeepsView(move)
	local flags, Has = move.Flags, savedmove.Has
	return move.Asks or flags >= savedmove.CUSTOM1 and (Has(flags, savedmove.CUSTOM1)
		or Has(flags, savedmove.CUSTOM2) or Has(flags, savedmove.CUSTOM3))
end

-- Moves are combined only if the direction of acceleration differs by at most this many 1/4096 of a turn:
-- about five degrees.
local TURN = 57

-- Whether two accelerations are similar enough for one move: equal in share and pitch, and nearly equal in
-- direction.
local function alike(a, b)
	if a == b then
		return true
	end
	if math.floor(a / 4096) ~= math.floor(b / 4096) then
		return false
	end
	local turn = (a - b) % 4096
	return turn <= TURN or turn >= 4096 - TURN
end

-- Whether a new move may be combined with the unsent move before it into one move with the new one's
-- acceleration. A jump is never combined, because its exact time matters.
function savedmove.CanCombine(old, new)
	return old.Flags == new.Flags and not savedmove.Has(old.Flags, savedmove.JUMP)
		and old.Inputs == new.Inputs and not old.Presses
		and old.Extra == nil and new.Extra == nil
		and old.Root == nil and new.Root == nil
		and (old.Delta + new.Delta <= 0.125 or old.Idle and new.Accel == 0)
		and alike(old.Accel, new.Accel)
end

-- Whether nothing happened in a move that was performed: the pawn requests nothing, and rests on the level or
-- in the air.
function savedmove.IsIdle(move, pawn)
	return move.Accel == 0 and not move.Asks
		and move.Extra == nil and move.Root == nil and move.Base == nil
		and (move.Flags == 0 or move.Flags == savedmove.CROUCH)
		and (pawn.Physics == PHYS_Walking or pawn.Physics == PHYS_Flying) and pawn.Velocity == vector()
end

-- Whether the server needs a move: without it, the server would perform the next one for that time as well.
-- Two equal moves have the same result as one of their total length, unless the pawn ran into something.
function savedmove.IsImportant(move, next)
	return move.Accel ~= next.Accel or move.Flags ~= next.Flags or move.Inputs ~= next.Inputs
		or move.Met or next.Met
		or move.Extra ~= nil or move.Root ~= nil or next.Root ~= nil
end

-- Returns a view as one number: pitch above, yaw below, in rotator units. A horizontal view is below 65 536.
function savedmove.PackView(view)
	local pitch = view.Pitch
	return (pitch < 32768 and pitch or pitch - 65536) * 65536 + view.Yaw
end

function savedmove.UnpackView(number)
	local yaw = number % 65536
	return rotator((number - yaw) / 65536, yaw, 0)
end

return savedmove
