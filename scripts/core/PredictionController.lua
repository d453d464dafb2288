-- PredictionController: the moves of a player on their own machine. Each move is performed at once,
-- remembered and sent (R9.1, R9.2). If the server reports a different result, the state is corrected, and the
-- moves since then are repeated from there (R9.4). docs/movement.md explains the whole design.
local savedmove = require("lib.savedmove")
local movecode = require("lib.movecode")

local PredictionController = class("PredictionController", "MoveController")

PredictionController.properties {
	NetMoveDelta = float(1 / 30, { min = 0.005, max = 0.2 }), -- least seconds between two packets of moves
	IdleMoveDelta = float(1, { min = 0.05, max = 10 }), -- the same while the player does nothing at all
	HeldMoveDelta = float(0.1, { min = 0.005, max = 1 }), -- the same if the server moves the pawn, see SendWish
	CorrectionCount = int(0, { min = 0 }), -- how often the server corrected the pawn
	Ping = float(0, { min = 0 }), -- seconds from sending a move to the answer, smoothed
	bUpdatingPosition = false, -- moves are repeated: their sounds and effects were already played
}

-- Calls whose arguments are outside these types and ranges are rejected.
PredictionController.params {
	ClientRestart = {
		ref("Pawn", { wait = true }),
		int(0, { min = 0, max = 15 }), -- from here on as in ClientAdjustPosition
		struct { X = float(0), Y = float(0), Z = float(0) },
		struct { X = float(0), Y = float(0), Z = float(0) },
		false,
		ref("Actor"),
		false,
		str("", { max = 64 }),
		str("", { max = 240 }),
	},
	ClientAckGoodMove = { int(0, { min = 0, max = 65535 }) },
	ClientAdjustPosition = {
		int(0, { min = 0, max = 65535 }), -- stamp
		int(0, { min = 0, max = 1 }), -- number
		str("", { max = 64 }), -- state of the controller
		int(0, { min = 0, max = 15 }), -- physics
		struct { X = float(0), Y = float(0), Z = float(0) }, -- place
		struct { X = float(0), Y = float(0), Z = float(0) }, -- velocity
		false, -- crouching
		ref("Actor"), -- base
		false, -- whether the location is relative to the base
		str("", { max = 64 }), -- GetMoveState
		str("", { max = 240 }), -- state of those who take part in moves, see PackMoveState
	},
	ShortClientAdjustPosition = {
		int(0, { min = 0, max = 65535 }),
		int(0, { min = 0, max = 1 }),
		struct { X = float(0), Y = float(0), Z = float(0) },
	},
}

-- 1 The pawn

-- Called by the server: where a pawn begins that this player controls from now on.
function PredictionController.client.reliable:ClientRestart(
	pawn, physics, location, velocity, crouching, base, relative, extra, parts)
	if not pawn or self:HasAuthority() then
		return -- a player without a machine of their own
	end
	if self.Pawn ~= pawn then
		self.Pawn = pawn
	end
	self.savedMoves, self.lastSend, self.firstIdle, self.updatePosition = {}, 0, nil, nil
	self.sentWish, self.wishRepeats = nil, 0
	self.clock = self.clock or 0
	self.lastStamp = math.floor(self.clock + 0.5)
	self.answered, self.lastAnswer = 0, self.lastStamp
	if not self:AdjustPawn(physics, location, velocity, crouching, base, relative, extra) then
		return
	end
	self:LoadPartState(parts)
	self.AcknowledgedPawn = pawn
	self:ServerAcknowledgePossession(pawn, self.lastStamp % savedmove.WRAP)
end

-- Locations and velocities of corrections are sent as full floats.
local function vectorOf(parts)
	return vector(parts.X, parts.Y, parts.Z)
end

-- Moves the pawn to the server's state. Returns false if the pawn stands on an actor that this machine does
-- not have.
function PredictionController:AdjustPawn(
	physics, location, velocity, crouching, base, relative, extra)
	local pawn = self.Pawn
	if relative and not base then
		return false
	end
	local height = pawn.CollisionHeight
	if crouching ~= pawn.bCrouching then
		local stand = height
		height = crouching and pawn.CrouchHeight or pawn.StandHeight
		pawn:NoteCrouching(crouching, stand)
	end
	pawn:AdjustMove(vectorOf(location), vectorOf(velocity), physics, base, height)
	pawn:SetMoveState(extra)
	return true
end

-- 2 Making moves

-- Replaces ProcessMove on a client: performs the move at once, remembers it, and sends it now or together
-- with the next ones.
function PredictionController:ReplicateMove(move)
	local pawn = self.Pawn
	if self.AcknowledgedPawn ~= pawn then
		self:ForgetPresses(move)
		return -- the server has not yet sent where this pawn begins
	end
	-- The player's clock counts whole milliseconds, so that every time is transmitted exactly.
	self.clock = self.clock + move.Delta * 1000
	move.Stamp = math.floor(self.clock + 0.5)
	if move.Stamp <= self.lastStamp then
		return -- less than a millisecond has passed
	end
	move.Delta = (move.Stamp - self.lastStamp) / 1000
	self.lastStamp = move.Stamp
	if not pawn:IsMovedByPlayer() then
		self:SendWish(move)
		return
	end
	local saved, pending = self.savedMoves, self.savedMoves[#self.savedMoves]
	if pending and pending.Start and not pending.Sent and self:CanCombineMoves(pending, move) then
		table.remove(saved)
		pawn:NoteCrouching(pending.Crouching, pawn.CollisionHeight)
		pawn:RestoreMove(pending.Start)
		pawn:SetMoveState(pending.State)
		pawn:LoadMoveState(pending.PartState)
		move.Delta = move.Delta + pending.Delta
	end
	self:PerformSavedMove(move)
	if pawn.bDeleteMe then
		return
	end
	if #saved >= 256 then
		table.remove(saved, 1) -- the server has been silent for seconds
	end
	saved[#saved + 1] = move
	local wait = self:IsKnownIdle(move) and self.IdleMoveDelta or self.NetMoveDelta
	if world.TimeSeconds - self.lastSend >= wait - 0.002 then
		self:SendMoves()
	end
end

-- Replaces ReplicateMove where the server moves the pawn, for example in a vehicle: nothing is performed
-- here, and the server does not answer. A change is sent after NetMoveDelta and, because packets may be lost,
-- several times; held keys and the view every HeldMoveDelta; nothing at all every IdleMoveDelta.
function PredictionController:SendWish(move)
	local pending, sent = self.savedMoves[1], self.sentWish
	if pending and not pending.Sent then
		move.Extra = move.Extra or pending.Extra
		for _, flag in ipairs(savedmove.ONCE) do
			if savedmove.Has(pending.Flags, flag) then
				move.Flags = savedmove.With(move.Flags, flag)
			end
		end
	end
	move.Location = self.Pawn.Location
	self.savedMoves = { move }
	if not sent or sent.Accel ~= move.Accel or sent.Flags ~= move.Flags or move.Extra
		or sent.Inputs ~= move.Inputs then
		self.wishRepeats = 4
	end
	local wait = self.IdleMoveDelta
	if self.wishRepeats > 0 then
		wait = self.NetMoveDelta
	elseif move.Accel ~= 0 or move.Flags ~= 0 or move.Asks or move.View ~= sent.View then
		wait = self.HeldMoveDelta
	end
	if world.TimeSeconds - self.lastSend >= wait - 0.002 then
		self.sentWish = move
		self.wishRepeats = math.max(0, self.wishRepeats - 1)
		self:SendMoves()
		self:ForgetPresses(move)
	end
end

-- Whether the player does nothing, and the server has acknowledged that.
function PredictionController:IsKnownIdle(move)
	local first = self.firstIdle
	return move.Idle and first ~= nil and self.lastAnswer >= first.Stamp
		and first.View == move.View and first.Flags == move.Flags
end

-- Performs a move and records the states before and after it.
function PredictionController:PerformSavedMove(move)
	local pawn = self.Pawn
	local from = pawn.Location
	move.Start = pawn:SaveMove()
	move.State, move.Crouching = pawn:GetMoveState(), pawn.bCrouching
	move.PartState = self:SavePartState(move.Parts)
	if self:MoveAutonomous(move) then
		move.Location, move.Base = pawn:GetMovePlace()
		move.Velocity, move.Physics = pawn.Velocity, pawn.Physics
		move.Idle = pawn.Location == from and savedmove.IsIdle(move, pawn)
	end
end

-- 3 Sending moves

-- A packet repeats the important moves of this many packets before it.
local REPEATED = 3

-- Sends the moves that were not sent yet, and repeats the moves that the server would miss most if the
-- packets before were lost.
function PredictionController:SendMoves()
	local saved, list = self.savedMoves, {}
	local first = #saved + 1
	while first > 1 and not saved[first - 1].Sent do
		first = first - 1
	end
	if first > #saved then
		return
	end
	self:AddOldMoves(list, first, 3 - (#saved - first) % 4) -- free slots of calls that are sent anyway
	for i = first, #saved do
		list[#list + 1] = saved[i]
	end
	self.lastSend = world.TimeSeconds
	local newest, idle = list[#list], self.firstIdle
	if not newest.Idle then
		self.firstIdle = nil
	elseif not idle or idle.View ~= newest.View or idle.Flags ~= newest.Flags then
		self.firstIdle = newest
	end
	-- A call carries a move and up to three before it; a move with inputs of its own uses a call alone.
	local one, two, three -- the latest first
	for i, move in ipairs(list) do
		if i == #list or three or move.Extra or move.Root then
			self:CallServerMove(move, one, two, three)
			one, two, three = nil, nil, nil
		else
			one, two, three = move, one, two
		end
		move.Sent = move.Sent or world.TimeSeconds
	end
end

-- Adds the most important of the moves that were sent and not answered: the last of all, and the
-- indispensable ones of the last packet; then, as far as there is room, moves just before and at a key press
-- or release, and the important ones of the packets before. So one lost packet loses nothing, three in a row
-- lose nothing unless the player turns all the time, and five lose no jump.
function PredictionController:AddOldMoves(list, first, room)
	local saved = self.savedMoves
	local chosen = {}
	local function choose(i, always)
		if not chosen[i] and (room > 0 or always) then
			chosen[i] = true
			room = math.max(0, room - 1)
		end
	end
	local last, before = first, first -- the earliest move of the last packet, and of the last REPEATED packets
	local packets, sent = 0, nil
	for i = first - 1, 1, -1 do
		if saved[i].Sent ~= sent then
			packets, sent = packets + 1, saved[i].Sent
		end
		if packets > REPEATED then
			break
		end
		last, before = packets == 1 and i or last, i
	end
	local oldest = math.max(1, math.min(before, first - 8))
	if first > 1 and not (saved[first - 1].Idle and saved[first].Idle) then
		choose(first - 1, true)
	end
	for i = first - 1, last, -1 do
		if self:IsImportantMove(saved[i], saved[i + 1]) then
			choose(i, true)
		end
	end
	for i = first - 1, oldest, -1 do
		if saved[i].Flags ~= saved[i + 1].Flags or saved[i].Extra
			or saved[i].Inputs ~= saved[i + 1].Inputs then
			choose(i)
		end
	end
	for i = last - 1, before, -1 do
		if saved[i].Presses or self:IsImportantMove(saved[i], saved[i + 1]) then
			choose(i)
		end
	end
	for i = oldest, first - 1 do
		if chosen[i] then
			list[#list + 1] = saved[i]
		end
	end
end

-- Returns the flags with which a move is sent: they include the number of the last correction received.
function PredictionController:GetSentFlags(move)
	return self.answered == 1 and savedmove.With(move.Flags, savedmove.ANSWERED) or move.Flags
end

-- Sends a move, and with it up to three earlier ones, the latest first.
function PredictionController:CallServerMove(move, one, two, three)
	local newest, first = self:GetSentFlags(move), one and move.Stamp - one.Stamp or 0
	local numbers, others = {}, {}
	local stamp, accel, flags, gap, turn = move.Stamp, move.Accel, newest, nil, 0
	for i, old in ipairs { one, two, three } do
		local oldGap, oldFlags = stamp - old.Stamp, self:GetSentFlags(old)
		if oldGap > 10000 then
			break -- long past
		end
		numbers[i], others[i], turn =
			movecode.PackEarlier(accel, flags, turn, gap and oldGap - gap, old.Accel, oldFlags)
		stamp, accel, flags, gap = old.Stamp, old.Accel, oldFlags, oldGap
	end
	local inputs = self:PackInputs(#numbers, move, one, two, three)
	stamp, accel = move.Stamp % savedmove.WRAP, movecode.PackAcceleration(move.Accel, move.View)
	flags, first = newest + move.Roll * 256, math.min(first, 10000)
	local view = savedmove.PackView(move.View)
	if inputs == "" then
		self:ServerMove(
			stamp, accel, move.Location, view, first, numbers[1], numbers[2], numbers[3],
			flags, others[1], others[2], others[3], move.Base, move.Root, move.Extra)
	else
		self:ServerMoveWith(
			inputs, stamp, accel, move.Location, view, first, numbers[1], numbers[2], numbers[3],
			flags, others[1], others[2], others[3], move.Base, move.Root, move.Extra)
	end
end

-- Restores a stamp that was shortened for the transmission.
function PredictionController:FullStamp(stamp)
	local ago = (self.lastStamp - stamp) % savedmove.WRAP
	return self.lastStamp - (ago < savedmove.WRAP / 2 and ago or ago - savedmove.WRAP)
end

-- 4 The server's answers

-- Called by the server: it has performed all moves up to a stamp, and the last one gave the same result as
-- here.
function PredictionController.client.unreliable:ClientAckGoodMove(stamp)
	if self.AcknowledgedPawn and self.AcknowledgedPawn == self.Pawn then
		self:ClearAckedMoves(self:FullStamp(stamp))
	end
end

-- Removes moves that the server has answered. Returns the last of them, nil if there was none.
function PredictionController:ClearAckedMoves(stamp)
	local saved, gone = self.savedMoves, 0
	for i = 1, #saved do
		if saved[i].Stamp > stamp then
			break
		end
		gone = i
	end
	if gone == 0 then
		return nil
	end
	local last = saved[gone]
	self.lastAnswer = math.max(self.lastAnswer, stamp)
	for i = 1, #saved do
		saved[i] = saved[i + gone]
	end
	if last.Stamp == stamp and last.Sent then
		local ping = world.TimeSeconds + world.DeltaSeconds - last.Sent -- calls are handled before the tick
		self.Ping = self.Ping == 0 and ping or self.Ping + (ping - self.Ping) * 0.1
	end
	return last
end

-- Called by the server: the move with that stamp gave a different result there. The server's state is
-- adopted, and the moves since then are repeated from it before the next move. number tells the server's
-- corrections apart, see SendClientAdjustment.
function PredictionController.client.unreliable:ClientAdjustPosition(
	stamp, number, state, physics, location, velocity, crouching, base, relative, extra, parts)
	local pawn, full = self.Pawn, self.lastStamp and self:FullStamp(stamp)
	if not pawn or self.AcknowledgedPawn ~= pawn or full < self.lastAnswer then
		return -- for an earlier pawn, or older than one already received
	end
	local before = pawn.Location
	local move = self:ClearAckedMoves(full) or self:GetRest(full)
	local mine = self:RestorePartState()
	if state ~= self:GetStateName() then
		self:GotoState(state)
	end
	if not self:AdjustPawn(physics, location, velocity, crouching, base, relative, extra) then
		return -- the server will send it again
	end
	local theirs = self:LoadPartState(parts)
	self.lastAnswer = full
	if full > self.lastStamp then
		self.clock, self.lastStamp = full, full -- the server has continued without this machine
	end
	self.answered = number
	self.updatePosition = self.updatePosition or before
	self.CorrectionCount = self.CorrectionCount + 1
	local part, was, is = pawn:CompareMoveState(mine, theirs)
	if part then
		self:NoteMoveCorrection(part, was, is, move)
	else
		self:AuditCorrection(move, physics, vectorOf(location), vectorOf(velocity), base)
	end
end

-- Removes the answered moves and restores the state of every part that takes part in a later move, as it was
-- before the first of them. Returns the state from which the first of those moves began.
function PredictionController:RestorePartState()
	local pawn, saved = self.Pawn, self.savedMoves
	local mine = saved[1] and saved[1].PartState
		or self:SavePartState(pawn:GetMoveParts(pawn.Weapon))
	for i = #saved, 1, -1 do
		pawn:LoadMoveState(saved[i].PartState)
	end
	return mine
end

-- The message of an idle player in place of a move: their location.
function PredictionController:GetRest(stamp)
	local pawn = self.Pawn
	local rest = { Stamp = stamp, Delta = 0, Accel = 0, Flags = 0, View = self.ViewRotation }
	rest.Location, rest.Base = pawn:GetMovePlace()
	rest.Velocity, rest.Physics = pawn.Velocity, pawn.Physics
	return rest
end

-- The same for the usual case: the pawn walks on the level itself, upright, and stands still there.
function PredictionController.client.unreliable:ShortClientAdjustPosition(stamp, number, location)
	local state, still = self:GetStateName(), { X = 0, Y = 0, Z = 0 }
	self:ClientAdjustPosition(
		stamp, number, state, PHYS_Walking, location, still, false, nil, false, "")
end

-- Records what first differed between the two machines in a move (R9.8).
function PredictionController:AuditCorrection(move, physics, location, velocity, base)
	local field, mine, theirs = "Location", move.Location, location
	if move.Base ~= base then
		field, mine, theirs = "Base", move.Base, base
	elseif move.Physics ~= physics then
		field, mine, theirs = "Physics", move.Physics, physics
	elseif move.Location and move.Location:Distance(location) <= 0.1 then
		field, mine, theirs = "Velocity", move.Velocity, velocity
	end
	self:NoteMoveCorrection(field, mine, theirs, move)
end

-- Adds a correction to the list that the host and scenarios show (R9.8): the field that differed first, its
-- value here and on the server, and the move with its inputs.
function PredictionController:NoteMoveCorrection(field, mine, theirs, move)
	local inputs = self.Pawn:DescribeMoveInputs(move.Inputs)
	inputs.stamp, inputs.delta, inputs.flags = move.Stamp, move.Delta, move.Flags
	inputs.accel, inputs.view = self.Pawn:UnpackAcceleration(move.Accel), move.View
	inputs.extra, inputs.root = move.Extra, move.Root
	self:NoteCorrection(field, mine, theirs, inputs)
end

-- Repeats what the player did since the corrected move. The visible location does not jump: the difference is
-- removed gradually.
function PredictionController:ClientUpdatePosition()
	local before = self.updatePosition
	self.updatePosition = nil
	local pawn = self.Pawn
	if not pawn or self.AcknowledgedPawn ~= pawn then
		return
	end
	local parts = pawn:GetMoveParts(pawn.Weapon)
	local wishes = parts and pawn:SaveMoveInputs(parts) -- key requests since the last move
	self.bUpdatingPosition = true
	local first = self.savedMoves[1]
	if first then
		-- If it lasted long, as moves of idle players do, only the rest is repeated.
		first.Delta = math.min(first.Delta, (first.Stamp - self.lastAnswer) / 1000)
	end
	for _, move in ipairs(self.savedMoves) do
		pawn:FaceRotation(move.View) -- the direction during that move; the last one's is the present
		self:PerformSavedMove(move)
		if pawn.bDeleteMe or self.Pawn ~= pawn then
			break
		end
	end
	self.bUpdatingPosition = false
	if not pawn.bDeleteMe then
		if parts then
			pawn:LoadMoveInputs(parts, wishes)
		end
		pawn:SmoothCorrection(before)
	end
end

return PredictionController
