-- MoveController: performs the moves of a player. On the server it decides which moves count, how long each
-- lasts, and whether it ended at the same location as on the player's machine (R9.3). Its child
-- PredictionController is the client's half. That class's child PlayerController sends the server's answers
-- and implements the rest of a player. docs/movement.md explains all of it.
local savedmove = require("lib.savedmove")
local randomstream = require("lib.randomstream")
local movetime = require("lib.movetime")
local movecode = require("lib.movecode")
local Has = savedmove.Has

local PUSH_TIME = 0.3 -- seconds after the last touch for which a pawn counts as pushing a body
local LATE_TIME = 0.25 -- seconds of late moves after which the player's clock is set back
local LATE_SLACK = 100 -- milliseconds of improvement that are still not enough

local STANDSTILL = 0.5 -- seconds between two ticks after which the host stood still
local MOST_WAITED = 2 -- seconds for which a player's first move may have waited because the host was busy
local MOST_STOOD = 30 -- the same for one that arrived within MOST_WAITED after the host stood still

local MoveController = class("MoveController", "MovePartController")

MoveController.properties {
	AcknowledgedPawn = ref("Pawn"), -- the pawn whose moves are exchanged, on both sides

	-- Used on the server.
	MaxPositionError = float(1.7, { min = 0.1, max = 100 }), -- uu by which a client's location may differ
	MaxPushError = float(32, { min = 0, max = 100 }), -- the same while the pawn pushes a body, see NotePush
	MaxLeaveError = float(50, { min = 0, max = 500 }), -- uu along the path of a lift, see LeaveBase
	MaxSilence = float(0.5, { min = 0.1, max = 10 }), -- seconds without a move until the pawn moves without one
	MaxMoveDelta = float(1.25, { min = 0.05, max = 4 }), -- maximum duration of one move in seconds
	MaxMovesPerTick = int(60, { min = 1, max = 1000 }), -- calls of ServerMove; more are a flood and are ignored
	bCheckTime = true, -- compare the players' clocks with the server's clock
	bHeldToTime = false, -- the player's clock was wrong: a move lasts as long as it took to arrive
}

-- Calls whose arguments are outside these types and ranges are rejected.
MoveController.params {
	ServerMove = {
		int(0, { min = 0, max = 65535 }), -- stamp
		int(0, { min = 0, max = 268435455 }), -- acceleration, relative to the view (movecode.PackAcceleration)
		quantized(vector(0, 0, 0), 10), -- place
		int(0), -- view
		-- Three earlier moves, the latest first, encoded by movecode.PackEarlier; before them, how many
		-- milliseconds before the stamp the latest of them ended.
		int(0, { min = 0, max = 10000 }),
		int(0, { min = 0, max = 1073741823 }),
		int(0, { min = 0, max = 1073741823 }),
		int(0, { min = 0, max = 1073741823 }),
		int(0, { min = 0, max = 65535 }), -- flags; the upper bits hold the roll in 1/256 of a turn
		int(0, { min = 0, max = 16777216 }), -- the other differences of the three earlier moves
		int(0, { min = 0, max = 16777216 }),
		int(0, { min = 0, max = 16777216 }),
		ref("Actor"), -- base
		vector(0, 0, 0), -- root motion
		str("", { max = 64 }), -- Extra of the pawn's class
	},
	ServerMoveWith = {
		str("", { max = 260 }), -- inputs of components and weapons in the moves, see PackMoveInputs
		-- The rest as in ServerMove.
		int(0, { min = 0, max = 65535 }),
		int(0, { min = 0, max = 268435455 }),
		quantized(vector(0, 0, 0), 10),
		int(0),
		int(0, { min = 0, max = 10000 }),
		int(0, { min = 0, max = 1073741823 }),
		int(0, { min = 0, max = 1073741823 }),
		int(0, { min = 0, max = 1073741823 }),
		int(0, { min = 0, max = 65535 }),
		int(0, { min = 0, max = 16777216 }),
		int(0, { min = 0, max = 16777216 }),
		int(0, { min = 0, max = 16777216 }),
		ref("Actor"),
		vector(0, 0, 0),
		str("", { max = 64 }),
	},
	ServerAcknowledgePossession = { ref("Pawn"), int(0, { min = 0, max = 65535 }) },
}

-- Checks what types cannot express: LimitView never lets an honest player look back over their head.
local function straight(view)
	local pitch = math.floor(view / 65536)
	return pitch >= -16384 and pitch <= 16384
end

function MoveController.validate:ServerMove(_, _, _, view)
	return straight(view)
end

-- Inputs of components are checked when they are read, because they may come from scripts that were just
-- replaced.
function MoveController.validate:ServerMoveWith(_, _, _, _, view)
	return straight(view)
end

-- Always true: any client may call it; the function itself checks whether the pawn belongs to the caller.
function MoveController.validate:ServerAcknowledgePossession(_, _)
	return true
end

-- 1 Performing moves, the same on the player's machine and on the server

-- Performs a move. The result may depend only on the move and on the state of its participants. Returns
-- whether the pawn still exists.
function MoveController:MoveAutonomous(move)
	local pawn = self.Pawn
	self.presentMove = move
	self:ProcessMove(move)
	if not pawn.bDeleteMe and pawn:IsMovedByPlayer() then
		move.Met = pawn:AutonomousPhysics(move.Delta, self:GetMoveSpeed(move))
	end
	self.presentMove = nil
	return not pawn.bDeleteMe and self.Pawn == pawn
end

-- Returns a random number from 0 up to 1 for use in a move: the same on the player's machine and on the
-- server, and the same again when the move is repeated. channel separates several numbers within one move.
function MoveController:MoveRandom(channel)
	local move = self.presentMove
	local stream = randomstream((move and move.Stamp or 0) % savedmove.WRAP * 64 + (channel or 0))
	return stream()
end

-- 2 Messages from the player's machine

-- The player has another pawn, or none: its moves count after the client has acknowledged it. The child sends
-- the state in which it begins.
function MoveController:RestartMoves()
	self.restartedPawn, self.AcknowledgedPawn = self.Pawn, nil
	self.serverMove, self.judgedStamp, self.corrected = {}, nil, nil
	self.correction, self.wrong, self.answerTime = 0, false, nil
	self.restingAt, self.hasMoved, self.goesAlone = nil, false, false
	self.ridden, self.rideVelocity = nil, nil
	self.partsDelay, self.knownParts = nil, nil
	self.pushTime = -PUSH_TIME
end

-- The player has received the pawn and moves it from the state that was sent, with a clock that starts at
-- stamp.
function MoveController.server.reliable:ServerAcknowledgePossession(pawn, stamp)
	if not pawn or pawn ~= self.Pawn or pawn ~= self.restartedPawn then
		return
	end
	if pawn == self.AcknowledgedPawn then
		return
	end
	self.AcknowledgedPawn = pawn
	self.moveStamp = stamp
	self.lastMoveTime = self:GetPlayerTime()
	self.moveTime, self.bHeldToTime = movetime.new(), false
end

-- A move of a client's player: the client's time at its end, the acceleration, the resulting place (relative to
-- base, if the pawn stands on one), the view, and flags. It repeats up to three earlier moves, of this
-- packet or of earlier packets that may be lost. root and extra: see lib/savedmove.lua.
function MoveController.server.unreliable:ServerMove(
	stamp, accel, location, view,
	gap, one, two, three, flags, other1, other2, other3, base, root, extra)
	self:ReceiveMoves(
		"", stamp, accel, location, view,
		gap, one, two, three, flags, other1, other2, other3, base, root, extra)
end

-- The same for moves in which a weapon or an added component takes part, or in which a component requests
-- something.
function MoveController.server.unreliable:ServerMoveWith(
	inputs, stamp, accel, location, view,
	gap, one, two, three, flags, other1, other2, other3, base, root, extra)
	self:ReceiveMoves(
		inputs, stamp, accel, location, view,
		gap, one, two, three, flags, other1, other2, other3, base, root, extra)
end

-- On the server: performs what ServerMove or ServerMoveWith carries, up to four moves, and compares the result
-- with the player's. text holds the inputs of components and weapons; the other arguments are those of
-- ServerMove.
function MoveController:ReceiveMoves(
	text, stamp, accel, location, view,
	gap, one, two, three, flags, other1, other2, other3, base, root, extra)
	local pawn = self.Pawn
	if not pawn or self.AcknowledgedPawn ~= pawn then
		return
	end
	self.moveCalls = (self.moveCalls or 0) + 1
	if self.moveCalls > self.MaxMovesPerTick then
		return
	end
	view = savedmove.UnpackView(view)
	local count = one == 0 and 1 or two == 0 and 2 or three == 0 and 3 or 4
	local inputs, inputs1, inputs2, inputs3 = pawn:UnpackMoveInputs(text, count, view)
	if inputs == false then
		self:RefuseInputs(inputs1)
		return
	end
	accel = movecode.UnpackAcceleration(accel, view)
	local roll = math.floor(flags / 256)
	flags = flags % 256
	if one > 0 then
		self:EarlierMoves(
			stamp, view, accel, flags, gap, nil,
			one, other1, inputs1, two, other2, inputs2, three, other3, inputs3)
	end
	root = root ~= vector() and root or nil
	extra = extra ~= "" and extra or nil
	if self:PerformServerMove(stamp, accel, flags, view, roll, root, extra, inputs) then
		self:JudgeMove(stamp, flags, location, base)
	end
end

-- Returns the moves of a call that are earlier than the one at stamp, the earliest first. one, other1 and
-- inputs1 are the latest of them, two and so on the next. gap is the time from its end to that stamp, or, if
-- the view turned, the gap before; see movecode.UnpackEarlier.
function MoveController:EarlierMoves(
	stamp, view, accel, flags, gap, turn,
	one, other1, inputs1, two, other2, inputs2, three, other3, inputs3)
	local longer
	accel, flags, turn, longer =
		movecode.UnpackEarlier(accel, flags, turn or 0, turn == nil, one, other1)
	gap = gap + longer
	stamp = stamp - gap
	if two and two > 0 then
		self:EarlierMoves(
			stamp, view, accel, flags, gap, turn, two, other2, inputs2, three, other3, inputs3)
	end
	self:OldServerMove(stamp, accel, flags, view, inputs1)
end

-- Performs an earlier move, unless the server has performed it already.
function MoveController:OldServerMove(stamp, accel, flags, view, inputs)
	view = inputs and self.Pawn and self.Pawn:GetMoveView(inputs) or view
	self:PerformServerMove(stamp % savedmove.WRAP, accel, flags, view, 0, nil, nil, inputs)
end

-- Performs a move if it is new. Returns false if it is not, or if the pawn did not survive it.
function MoveController:PerformServerMove(stamp, accel, flags, view, roll, root, extra, inputs)
	local pawn = self.Pawn
	if not pawn or self.AcknowledgedPawn ~= pawn then
		return false -- an earlier move of the same call destroyed the pawn
	end
	local ahead = (stamp - self.moveStamp) % savedmove.WRAP
	if ahead == 0 or ahead >= savedmove.WRAP / 2 then
		if self.goesAlone then
			self:HearAgain(stamp, (self.moveStamp - stamp) % savedmove.WRAP)
		end
		return false -- a duplicate, or overtaken by a newer one
	end
	self.moveStamp = stamp
	self.lastMoveTime, self.hasMoved = self:GetPlayerTime(), true
	if movetime.IsPast(self.moveTime, self:GetPlayerRealTime(), ahead / 1000) then
		self.judgedStamp, self.wrong = stamp, true
		return false
	end
	-- An idle player may send one move a second; a moving player sends more.
	local most = accel == 0 and self.MaxMoveDelta or math.min(self.MaxSilence, self.MaxMoveDelta)
	local delta = math.min(self:AccountTime(ahead / 1000), most)
	local move = self.serverMove
	move.Stamp, move.Delta, move.Accel, move.Flags, move.Roll = stamp, delta, accel, flags, roll
	move.View, move.Root, move.Extra = view, root, extra
	move.Parts, move.Inputs = self:ChooseParts(inputs, delta)
	self.ViewRotation = move.View
	pawn:FaceRotation(move.View)
	return self:MoveAutonomous(move)
end

-- A move arrived that many milliseconds late, after the pawn was moved without it (ForceMove). If the delay
-- of the connection grew, or the player's machine stalled, all later moves would be late, too. In that case
-- the player's clock is set to the present, the late moves are dropped, and the client is corrected. In either
-- case the time without moves was counted already. A player who claims it again is not a cheat, because a host
-- that had no processor receives the moves of that time in a burst; but the time does not count twice.
function MoveController:HearAgain(stamp, late)
	if late > self.MaxSilence * 1000 and not self:IsLateForGood(late) then
		return
	end
	movetime.SetBack(self.moveTime, self:GetPlayerRealTime(), late / 1000)
	self.moveStamp, self.lastMoveTime, self.hasMoved = stamp, self:GetPlayerTime(), true
	self.judgedStamp, self.wrong = stamp, true
end

-- Whether moves have been late for longer than MaxSilence. Moves that the network has delayed arrive in quick
-- succession, each less late than the one before, and the last of them are not late at all.
function MoveController:IsLateForGood(late)
	local now = world.TimeSeconds
	if not self.lateSince or late < self.lateBy - LATE_SLACK then
		self.lateSince, self.lateBy = now, late
	end
	return now - self.lateSince >= LATE_TIME
end

-- Notes whether the last move ended at the same location on client and server; the next tick sends the
-- answer.
function MoveController:JudgeMove(stamp, flags, location, base)
	local pawn = self.Pawn
	if not pawn:IsMovedByPlayer() then
		return
	end
	self.judgedStamp = stamp
	if Has(flags, savedmove.ANSWERED) ~= (self.correction == 1) then
		return -- made before the last correction arrived: wrong, but already corrected
	end
	if self.corrected then
		local took, usual = world.TimeSeconds - self.corrected, self:GetAnswerTime()
		self.answerTime, self.corrected = usual + (took - usual) * 0.25, nil
	end
	local at, on = pawn:GetMovePlace()
	if base ~= on then
		at = pawn.Location
		location = base and base.Location + location or location
	end
	local pushes = world.TimeSeconds - self.pushTime < PUSH_TIME
	local most = pushes and math.max(self.MaxPushError, self.MaxPositionError) or self.MaxPositionError
	self.wrong = at:Distance(location) > most
	if on then
		local velocity = on.Velocity
		if self.ridden ~= on or velocity ~= vector() then -- when it stopped, the player still saw it move
			self.ridden, self.rideVelocity = on, velocity
		end
	elseif self.ridden then
		if self.wrong and base == nil and self:LeaveBase(location - at) then
			self.wrong = false
		end
		self.ridden = nil
	end
end

-- Returns how long the answer to a correction takes, in seconds: as measured, or a round trip before the
-- first measurement.
function MoveController:GetAnswerTime()
	return self.answerTime or self:GetRoundTrip() + 0.1
end

-- On the server: the pawn pushes a simulated body. The player's machine simulates its own copy half a round
-- trip earlier, so the two differ by some uu all the time. Corrections during the push would always be late
-- and never end. The client is corrected after the push, if that is still needed.
function MoveController:NotePush()
	self.pushTime = world.TimeSeconds
end

-- The player has left a lift, and their location differs by way from the server's. The client sees the lift
-- where it was half a round trip ago, and the server's lift has moved on until the move arrived, so the
-- player left it where it was a round trip ago. The difference is accepted if that explains it. Returns
-- whether it does.
function MoveController:LeaveBase(way)
	local pawn, velocity = self.Pawn, self.rideVelocity
	local along = velocity:Normal()
	local far = way:Dot(along)
	local most = math.min(velocity:Size() * (self:GetRoundTrip() + 0.1), self.MaxLeaveError)
	if math.abs(far) > most or (way - along * far):Size() > self.MaxPositionError then
		return false
	end
	return pawn:Move(way) == nil
end

-- 3 Silent players

-- An idle player sends no moves. If something moves their resting pawn, the client is told at once.
function MoveController:WatchSilence(pawn, dt)
	local silence = self:GetPlayerTime() - self.lastMoveTime
	local resting = pawn.Physics ~= PHYS_Falling and pawn.Velocity == vector()
	if self.hasMoved then
		self.hasMoved, self.goesAlone = false, false
		self.restingAt = resting and self.serverMove.Accel == 0 and not pawn.Base and pawn.Location or nil
	elseif self.restingAt then
		if resting and pawn.Location == self.restingAt then
			return
		end
		self.restingAt = nil
		local passed = math.floor(silence * 1000)
		self.moveStamp = (self.moveStamp + passed) % savedmove.WRAP
		self.lastMoveTime = self:GetPlayerTime()
		self:AccountTime(passed / 1000)
		self.judgedStamp, self.wrong = self.moveStamp, true
	elseif silence > self.MaxSilence then
		self:ForceMove(dt)
	end
end

-- The player has been silent for long: the pawn continues as if all keys were released, so that it does not
-- stop in the air. Moves that arrive later for this time do not count.
function MoveController:ForceMove(dt)
	local silence = self:GetPlayerTime() - self.lastMoveTime
	if not self.goesAlone then
		dt = math.min(silence, 2 * self.MaxSilence)
		self.forcedRest, self.lateSince = 0, nil
	end
	self.goesAlone = true
	self.forcedRest = self.forcedRest + dt * 1000
	local passed = math.floor(self.forcedRest)
	self.forcedRest = self.forcedRest - passed
	self.moveStamp = (self.moveStamp + passed) % savedmove.WRAP
	local move = self.serverMove
	move.Stamp, move.Delta, move.Accel, move.Root, move.Extra = self.moveStamp, dt, 0, nil, nil
	move.Flags = self.Pawn.bCrouching and savedmove.CROUCH or 0
	move.View, move.Roll = self.ViewRotation, 0
	move.Parts, move.Inputs = self:ChooseParts(nil, dt)
	self:AccountTime(dt)
	self:MoveAutonomous(move)
end

-- 4 Time: moves must not last longer than the time in which they were made (R9.6)

-- Returns the world's time as the player's machine follows it. While a change of the world's pace (pause, slow
-- motion) is on its way there, the player still lives at the pace before, and is neither silent nor too fast.
function MoveController:GetPlayerTime()
	return world.TimeSeconds + self:GetPaceLead()
end

-- The same for world.RealTimeSeconds, which durations are compared with.
function MoveController:GetPlayerRealTime()
	return world.RealTimeSeconds + self:GetPaceLead()
end

-- On the server, every tick: notes for how long the host stood still lately. Where it catches up, several ticks
-- run at once before it reads what arrived meanwhile.
function MoveController:NoteStandstill()
	local now = self:GetPlayerRealTime()
	local passed = now - (self.tickedAt or now)
	self:WatchStandstill()
	self.tickedAt, self.waited = now, math.max(passed, (self.waited or 0) - passed)
	self.tickedReal = world.RealTimeSeconds
end

-- On the server, before a move counts and every tick: whether the host stood still since the last tick. The
-- pace of the world does not matter, which a client may claim to learn of late.
function MoveController:WatchStandstill()
	local real = world.RealTimeSeconds
	local stood = real - (self.tickedReal or real)
	if stood < STANDSTILL then
		return
	end
	self.stood, self.stoodUntil = math.min(stood, MOST_STOOD), real + MOST_WAITED
	if self.stoodFrom ~= self.tickedReal then
		self.stoodFrom = self.tickedReal
		if self.moveTime then
			movetime.StandStill(self.moveTime)
		end
	end
end

-- Returns for how many seconds a move that arrives now may have waited for the host.
function MoveController:GetWaited(now)
	local waited = math.min(math.max(self.waited or 0, now - (self.tickedAt or now)), MOST_WAITED)
	if self.stood and world.RealTimeSeconds < self.stoodUntil then
		return math.max(waited, self.stood)
	end
	return waited
end

-- A player claims that a move lasted dt seconds. Returns how long it lasts here: the same, or for one whose
-- clock is known to be wrong the time that has passed.
function MoveController:AccountTime(dt)
	if not self.bCheckTime then
		return dt
	end
	local now = self:GetPlayerRealTime()
	self:WatchStandstill()
	local lasts, how, rate = movetime.Account(self.moveTime, now, dt, self:GetWaited(now))
	self.bHeldToTime = self.moveTime.held ~= nil
	if how then
		self:TimeDiscrepancyDetected(how, rate)
	end
	return lasts
end

-- The player's clock is wrong: from now on the server's clock limits their moves. A child may warn or kick
-- them. how is "fast", "slow" or "ahead"; rate is seconds in a second, or for "ahead" seconds.
function MoveController:TimeDiscrepancyDetected(how, rate)
	log(("%s: the player's clock is %s by %.3f s: held to real time"):format(self.Name, how, rate))
end

return MoveController
