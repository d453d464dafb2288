-- PlayerController: the mind of a pawn that a person plays.
--
-- Before each tick the player's machine writes the keys into the variables of Controller and calls
-- PlayerTick, which makes a move of them: PlayerMove. On the server's own machine the pawn does it
-- (ProcessMove) and the tick moves it. A client performs it at once (ReplicateMove), remembers it, and sends
-- it to the server, which performs the same move, compares, and says that it was good or where the pawn
-- really is; then the client does over again what came after. docs/movement.md tells the whole story.
-- CorrectionCount is how often that happened: hosts and bots show it.
--
-- All of it is in this file, in Pawn (what a move does) and in lib/savedmove.lua (which moves are put
-- together), and a child may replace any of it.
local savedmove = require("lib.savedmove")
local randomstream = require("lib.randomstream")
local movetime = require("lib.movetime")
local Has = savedmove.Has

local PlayerController = class("PlayerController", "Controller")

PlayerController.properties {
	TimeSyncFrequency = float(5, { min = 0.1, max = 60 }), -- seconds between two questions for the server's time
	TimeSyncBurst = int(12, { min = 1, max = 100 }), -- how many are asked in a row at first, ten a second
	InterpolationDelay = float(0, { min = 0, max = 1 }), -- seconds that others are shown late, besides the way
	ViewTarget = ref("Actor"), -- what its player watches in place of his pawn, see SetViewTarget
	bLoggedIn = false, -- on the server: PostLogin was called, and Logout is still to come
	bWasJump = false, -- the key was down in the last tick: a jump is one press
	bPressedJump = false, -- it was pressed, and PlayerMove has not seen it yet

	-- Movement, on the player's machine.
	NetMoveDelta = float(1 / 30, { min = 0.005, max = 0.2 }), -- seconds between two packets of moves, at least
	IdleMoveDelta = float(1, { min = 0.05, max = 10 }), -- the same while the player does nothing at all
	CorrectionCount = int(0, { min = 0 }), -- how often the server put the pawn elsewhere
	Ping = float(0, { min = 0 }), -- seconds from sending a move to the answer, smoothed
	bUpdatingPosition = false, -- moves are done over again: what is to be heard or seen once was so already
	AcknowledgedPawn = ref("Pawn"), -- the pawn whose moves are exchanged, on both sides

	-- Movement, on the server.
	MaxPositionError = float(1.7, { min = 0.1, max = 100 }), -- uu by which a client may see itself elsewhere
	MaxSilence = float(0.5, { min = 0.1, max = 10 }), -- seconds without a move until the pawn goes on by itself
	MaxMoveDelta = float(1.25, { min = 0.05, max = 4 }), -- seconds that one move lasts at most
	MaxMovesPerTick = int(60, { min = 1, max = 1000 }), -- calls of ServerMove beyond it are a flood and do nothing
	bCheckTime = true, -- hold players to the server's clock
	bHeldToTime = false, -- this one's clock ran too fast or too slow: his moves last as long as they took to come
}

PlayerController.defaults {
	bOnlyRelevantToOwner = true,
	RemoteRole = ROLE_AutonomousProxy,
	NetPriority = 3.0,
}

PlayerController.replication {
	{ "ViewTarget" },
}

-- Every tick, on the machine of the player, before anything else of the tick.
function PlayerController:PlayerTick(dt)
	if self.brain then
		self.brain:Play(dt) -- over what the person at this machine presses
	end
	self:LimitView()
	if self.bJump and not self.bWasJump then
		self.bPressedJump = true
	end
	self.bWasJump = self.bJump
	self:HandleKeys()
	if self.updatePosition then
		self:ClientUpdatePosition()
	end
	self:PlayerMove(dt)
end

-- Nobody looks further up or down than straight.
function PlayerController:LimitView()
	local pitch = self.ViewRotation.Pitch -- up to 16384 is upwards, from 49152 on it is downwards
	if pitch > 16384 and pitch < 49152 then
		self.ViewRotation = self.ViewRotation:With{ Pitch = pitch < 32768 and 16384 or 49152 }
	end
end

-- What arrives fits these types and ranges, or the function does not run.
PlayerController.params {
	ServerMove = {
		int(0, { min = 0, max = 65535 }), -- stamp
		int(0, { min = 0, max = 268435455 }), -- acceleration
		quantized(vector(0, 0, 0), 10), -- place
		int(0, { min = 0, max = 65535 }), -- flags, and above them the roll in 1/256 of a turn
		int(0), -- view
		-- Three earlier moves, from the latest on: milliseconds before the stamp (0 for no such move), acceleration,
		-- flags.
		int(0, { min = 0, max = 10000 }),
		int(0, { min = 0, max = 268435455 }),
		int(0, { min = 0, max = 255 }),
		int(0, { min = 0, max = 10000 }),
		int(0, { min = 0, max = 268435455 }),
		int(0, { min = 0, max = 255 }),
		int(0, { min = 0, max = 10000 }),
		int(0, { min = 0, max = 268435455 }),
		int(0, { min = 0, max = 255 }),
		ref("Actor"), -- base
		vector(0, 0, 0), -- root motion
		str("", { max = 64 }), -- of the pawn's class
	},
	ServerAcknowledgePossession = { ref("Pawn"), int(0, { min = 0, max = 65535 }) },
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
		false, -- whether the place is relative to it
		str("", { max = 64 }), -- GetMoveState
	},
	ShortClientAdjustPosition = {
		int(0, { min = 0, max = 65535 }),
		int(0, { min = 0, max = 1 }),
		struct { X = float(0), Y = float(0), Z = float(0) },
	},
	ClientRestart = {
		ref("Pawn", { wait = true }),
		int(0, { min = 0, max = 15 }), -- and on as in ClientAdjustPosition
		struct { X = float(0), Y = float(0), Z = float(0) },
		struct { X = float(0), Y = float(0), Z = float(0) },
		false,
		ref("Actor"),
		false,
		str("", { max = 64 }),
	},
	ClientGotoState = { str("", { max = 64 }) },
	ServerRequestServerTime = { int(0, { min = 0 }) },
	ClientReportServerTime = { int(0, { min = 0 }), int(0, { min = 0 }) },
	ClientHearSound = { str("", { max = 64 }), ref("Actor"), vector(0, 0, 0) },
	ClientPlaySound = { str("", { max = 64 }) },
	ServerViewNextPlayer = { int(1, { min = -1, max = 1 }) },
	ServerSpectate = { false },
	ServerSetReady = { false },
	ServerChangeTeam = { int(0, { min = 0, max = 3 }) },
}

function PlayerController.validate:ServerRequestServerTime(_)
	return true
end

-- What the types cannot say: LimitView lets no honest player look back over his head.
function PlayerController.validate:ServerMove(_, _, _, _, view)
	local pitch = math.floor(view / 65536)
	return pitch >= -16384 and pitch <= 16384
end

-- Everybody may say what he has got; the function itself looks whether it is his.
function PlayerController.validate:ServerAcknowledgePossession(_, _)
	return true
end

-- ── Moves, on the machine where the player sits

-- Turns the keys into a move of the pawn.
function PlayerController:PlayerMove(dt)
	local pawn = self.Pawn
	local pressed = self.bPressedJump
	self.bPressedJump = false
	if not pawn then
		return
	end
	local view = self.ViewRotation
	pawn:FaceRotation(view)
	local flags = pressed and savedmove.JUMP or 0
	flags = flags + (self.bCrouch and savedmove.CROUCH or 0)
		+ (pawn.bRunning and savedmove.RUN or 0) + (pawn.bAiming and savedmove.AIM or 0)
	local move = {
		Delta = dt,
		Accel = pawn:PackAcceleration(self:MoveDirection(view, pawn.Physics) * pawn.AccelRate),
		Flags = flags,
		View = view,
		Roll = 0,
	}
	pawn:FillMove(move)
	if self:HasAuthority() then
		self:ProcessMove(move)
	else
		self:ReplicateMove(move)
	end
end

-- Makes the pawn do what a move asks for. Where the tick moves the pawn that is all; MoveAutonomous adds the
-- physics.
function PlayerController:ProcessMove(move)
	self.Pawn:ProcessMove(move)
end

-- Performs a move, on the player's machine and on the server alike: nothing but the move and the state of the
-- pawn may decide what it does. Returns whether the pawn is still there.
function PlayerController:MoveAutonomous(move)
	local pawn = self.Pawn
	self.presentMove = move
	self:ProcessMove(move)
	if not pawn.bDeleteMe and pawn:IsMovedByPlayer() then
		pawn:AutonomousPhysics(move.Delta, pawn:GetMoveSpeed(move))
	end
	self.presentMove = nil
	return not pawn.bDeleteMe and self.Pawn == pawn
end

-- A random number from 0 up to 1 for something a move does: the same on the player's machine and on the
-- server, and the same again when the move is done over. channel tells apart what one move needs several
-- numbers for.
function PlayerController:MoveRandom(channel)
	local move = self.presentMove
	local stream = randomstream((move and move.Stamp or 0) % savedmove.WRAP * 64 + (channel or 0))
	return stream()
end

-- In place of ProcessMove on a client: performs the move at once, remembers it, and sends it now or together
-- with the next ones.
function PlayerController:ReplicateMove(move)
	local pawn = self.Pawn
	if self.AcknowledgedPawn ~= pawn then
		return -- the server has not said yet where this pawn begins
	end
	-- The player's clock counts whole milliseconds, so that every time crosses exactly.
	self.clock = self.clock + move.Delta * 1000
	move.Stamp = math.floor(self.clock + 0.5)
	if move.Stamp <= self.lastStamp then
		return -- less than a millisecond has passed
	end
	move.Delta = (move.Stamp - self.lastStamp) / 1000
	self.lastStamp = move.Stamp
	local saved, pending = self.savedMoves, self.savedMoves[#self.savedMoves]
	local predicted = pawn:IsMovedByPlayer()
	if not predicted then
		saved = {} -- the server moves this one: what was not sent is old
		self.savedMoves = saved
	elseif pending and pending.Start and not pending.Sent and pawn:CanCombineMoves(pending, move) then
		table.remove(saved)
		pawn:NoteCrouching(pending.Crouching, pawn.CollisionHeight)
		pawn:RestoreMove(pending.Start)
		pawn:SetMoveState(pending.State)
		move.Delta = move.Delta + pending.Delta
	end
	if predicted then
		self:PerformSavedMove(move)
	else
		move.Location = pawn.Location
	end
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

-- Whether the player does nothing, and the server has said that it knows.
function PlayerController:IsKnownIdle(move)
	local first = self.firstIdle
	return move.Idle and first ~= nil and self.lastAnswer >= first.Stamp
		and first.View == move.View and first.Flags == move.Flags
end

-- Performs a move and notes what it began from and led to.
function PlayerController:PerformSavedMove(move)
	local pawn = self.Pawn
	local from = pawn.Location
	move.Start = pawn:SaveMove()
	move.State, move.Crouching = pawn:GetMoveState(), pawn.bCrouching
	if self:MoveAutonomous(move) then
		move.Location, move.Base = pawn:GetMovePlace()
		move.Velocity, move.Physics = pawn.Velocity, pawn.Physics
		move.Idle = pawn.Location == from and savedmove.IsIdle(move, pawn)
	end
end

-- Sends what was not sent yet, and with it what the server would miss most of the packet before, if that was
-- lost.
function PlayerController:SendMoves()
	local saved, list = self.savedMoves, {}
	local first = #saved + 1
	while first > 1 and not saved[first - 1].Sent do
		first = first - 1
	end
	if first > #saved then
		return
	end
	self:AddOldMoves(list, first, 3 - #saved + first)
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
	-- A call carries a move and up to three before it; those that have something to say of their own go alone.
	local one, two, three -- from the latest on
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

-- Adds the most important of the moves that were sent and not answered, room of them at most and in order: the
-- last of all, the one before if it cannot be done without, and the last with a key that was pressed or let go.
-- So one or two lost packets lose nothing, and five in a row lose no jump.
function PlayerController:AddOldMoves(list, first, room)
	local saved, pawn = self.savedMoves, self.Pawn
	local chosen = {}
	local function choose(i)
		if room > 0 and i >= 1 and not chosen[i] then
			chosen[i] = true
			room = room - 1
		end
	end
	if first > 1 and not (saved[first - 1].Idle and saved[first].Idle) then
		choose(first - 1)
	end
	for i = first - 2, math.max(1, first - 4), -1 do -- the one before, and all of the last packet
		local same = saved[i].Sent == saved[first - 1].Sent
		if (i == first - 2 or same) and pawn:IsImportantMove(saved[i], saved[i + 1]) then
			choose(i)
		end
	end
	for i = first - 1, math.max(1, first - 5), -1 do
		if saved[i].Flags ~= saved[i + 1].Flags or saved[i].Extra then
			choose(i)
		end
	end
	for i = math.max(1, first - 5), first - 1 do
		if chosen[i] then
			list[#list + 1] = saved[i]
		end
	end
end

-- Stands for the acceleration of an earlier move that is the same as the later one's; no acceleration packs
-- to it.
local SAME = 1

local function earlier(move, than)
	if not move then
		return nil
	end
	local accel = move.Accel == than.Accel and SAME or move.Accel
	return math.min(than.Stamp - move.Stamp, 10000), accel, move.Flags
end

function PlayerController:CallServerMove(move, one, two, three)
	local ago1, accel1, flags1 = earlier(one, move)
	local ago2, accel2, flags2 = earlier(two, move)
	local ago3, accel3, flags3 = earlier(three, move)
	local flags = self.answered == 1 and savedmove.With(move.Flags, savedmove.ANSWERED) or move.Flags
	self:ServerMove(move.Stamp % savedmove.WRAP, move.Accel, move.Location, flags + move.Roll * 256,
		savedmove.PackView(move.View),
		ago1, accel1, flags1, ago2, accel2, flags2, ago3, accel3, flags3,
		move.Base, move.Root, move.Extra)
end

-- A stamp of the server's as it was before it crossed.
function PlayerController:FullStamp(stamp)
	local ago = (self.lastStamp - stamp) % savedmove.WRAP
	return self.lastStamp - (ago < savedmove.WRAP / 2 and ago or ago - savedmove.WRAP)
end

-- The server says where a pawn begins that this player has from now on.
function PlayerController.client.reliable:ClientRestart(
	pawn, physics, location, velocity, crouching, base, relative, extra)
	if not pawn or self:HasAuthority() then
		return -- of a player with no machine of his own
	end
	if self.Pawn ~= pawn then
		self.Pawn = pawn
	end
	self.savedMoves, self.lastSend, self.firstIdle, self.updatePosition = {}, 0, nil, nil
	self.clock = self.clock or 0
	self.lastStamp = math.floor(self.clock + 0.5)
	self.answered, self.lastAnswer = 0, self.lastStamp
	if not self:AdjustPawn(physics, location, velocity, crouching, base, relative, extra) then
		return
	end
	self.AcknowledgedPawn = pawn
	self:ServerAcknowledgePossession(pawn, self.lastStamp % savedmove.WRAP)
end

-- Places and velocities of corrections cross as full floats.
local function floats(v)
	return { X = v.X, Y = v.Y, Z = v.Z }
end

local function vectorOf(parts)
	return vector(parts.X, parts.Y, parts.Z)
end

-- Puts the pawn where the server says. False where it stands on something that this machine does not have.
function PlayerController:AdjustPawn(physics, location, velocity, crouching, base, relative, extra)
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

-- The server has performed all moves up to a stamp, and the last led it where it led this machine.
function PlayerController.client.unreliable:ClientAckGoodMove(stamp)
	if self.AcknowledgedPawn and self.AcknowledgedPawn == self.Pawn then
		self:ClearAckedMoves(self:FullStamp(stamp))
	end
end

-- Forgets moves that the server has answered. Returns the last of them, nil where there was none.
function PlayerController:ClearAckedMoves(stamp)
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
		local ping = world.TimeSeconds + world.DeltaSeconds - last.Sent -- calls come before the tick
		self.Ping = self.Ping == 0 and ping or self.Ping + (ping - self.Ping) * 0.1
	end
	return last
end

-- The move of that stamp led the server elsewhere. What it says counts; what the player did since is done
-- again from there before his next move. number tells the server's corrections apart, see
-- SendClientAdjustment.
function PlayerController.client.unreliable:ClientAdjustPosition(
	stamp, number, state, physics, location, velocity, crouching, base, relative, extra)
	local pawn, full = self.Pawn, self.lastStamp and self:FullStamp(stamp)
	if not pawn or self.AcknowledgedPawn ~= pawn or full < self.lastAnswer then
		return -- it is of another life, or came after a newer one
	end
	local before = pawn.Location
	local move = self:ClearAckedMoves(full) or self:GetRest(full)
	if state ~= self:GetStateName() then
		self:GotoState(state)
	end
	if not self:AdjustPawn(physics, location, velocity, crouching, base, relative, extra) then
		return -- the server will say it again
	end
	self.lastAnswer = full
	if full > self.lastStamp then
		self.clock, self.lastStamp = full, full -- the server has gone on without this machine
	end
	self.answered = number
	self.updatePosition = self.updatePosition or before
	self.CorrectionCount = self.CorrectionCount + 1
	self:AuditCorrection(move, physics, vectorOf(location), vectorOf(velocity), base)
end

-- What stands for a move of a player who did nothing: where he is.
function PlayerController:GetRest(stamp)
	local pawn = self.Pawn
	local rest = { Stamp = stamp, Delta = 0, Accel = 0, Flags = 0, View = self.ViewRotation }
	rest.Location, rest.Base = pawn:GetMovePlace()
	rest.Velocity, rest.Physics = pawn.Velocity, pawn.Physics
	return rest
end

-- The same for the usual case: it walks on the level itself, upright, and stands still there.
function PlayerController.client.unreliable:ShortClientAdjustPosition(stamp, number, location)
	local state, still = self:GetStateName(), { X = 0, Y = 0, Z = 0 }
	self:ClientAdjustPosition(
		stamp, number, state, PHYS_Walking, location, still, false, nil, false, "")
end

-- What of a move differed first on the two machines goes into the list of corrections (R9.8).
function PlayerController:AuditCorrection(move, physics, location, velocity, base)
	local field, mine, theirs = "Location", move.Location, location
	if move.Base ~= base then
		field, mine, theirs = "Base", move.Base, base
	elseif move.Physics ~= physics then
		field, mine, theirs = "Physics", move.Physics, physics
	elseif move.Location and move.Location:Distance(location) <= 0.1 then
		field, mine, theirs = "Velocity", move.Velocity, velocity
	end
	self:NoteCorrection(field, mine, theirs, {
		stamp = move.Stamp,
		delta = move.Delta,
		accel = self.Pawn:UnpackAcceleration(move.Accel),
		flags = move.Flags,
		view = move.View,
		extra = move.Extra,
		root = move.Root,
	})
end

-- Does over again what the player did since the move that the server corrected. What he sees is not thrown
-- there: the difference is taken off bit by bit.
function PlayerController:ClientUpdatePosition()
	local before = self.updatePosition
	self.updatePosition = nil
	local pawn = self.Pawn
	if not pawn or self.AcknowledgedPawn ~= pawn then
		return
	end
	self.bUpdatingPosition = true
	local first = self.savedMoves[1]
	if first then
		-- Of one that lasted for long, as those of who does nothing do, only the rest.
		first.Delta = math.min(first.Delta, (first.Stamp - self.lastAnswer) / 1000)
	end
	for _, move in ipairs(self.savedMoves) do
		self:PerformSavedMove(move)
		if pawn.bDeleteMe or self.Pawn ~= pawn then
			break
		end
	end
	self.bUpdatingPosition = false
	if not pawn.bDeleteMe then
		pawn:SmoothCorrection(before)
	end
end

-- ── Moves, on the server

-- A move of a client's player: the time at its end by his clock, what he wants to gain, where he says it has
-- led him (from base, where he rests on one), flags, and where he looks. Up to three earlier moves go along: of
-- this packet, or of packets before that may be lost. root and extra: see lib/savedmove.lua.
function PlayerController.server.unreliable:ServerMove(
	stamp, accel, location, flags, view,
	ago1, accel1, flags1, ago2, accel2, flags2, ago3, accel3, flags3, base, root, extra)
	local pawn = self.Pawn
	if not pawn or self.AcknowledgedPawn ~= pawn then
		return
	end
	self.moveCalls = (self.moveCalls or 0) + 1
	if self.moveCalls > self.MaxMovesPerTick then
		return
	end
	if ago3 > 0 then
		self:OldServerMove(stamp - ago3, accel3 == SAME and accel or accel3, flags3, view)
	end
	if ago2 > 0 then
		self:OldServerMove(stamp - ago2, accel2 == SAME and accel or accel2, flags2, view)
	end
	if ago1 > 0 then
		self:OldServerMove(stamp - ago1, accel1 == SAME and accel or accel1, flags1, view)
	end
	root = root ~= vector() and root or nil
	extra = extra ~= "" and extra or nil
	local roll = math.floor(flags / 256)
	flags = flags % 256
	if self:PerformServerMove(stamp, accel, flags, view, roll, root, extra) then
		self:JudgeMove(stamp, flags, location, base)
	end
end

-- An earlier move that the server has not performed yet, or has already.
function PlayerController:OldServerMove(stamp, accel, flags, view)
	self:PerformServerMove(stamp % savedmove.WRAP, accel, flags, view, 0, nil, nil)
end

-- Performs a move if it is a new one. False where it is not, or the pawn did not outlive it.
function PlayerController:PerformServerMove(stamp, accel, flags, view, roll, root, extra)
	local pawn = self.Pawn
	if not pawn or self.AcknowledgedPawn ~= pawn then
		return false -- an earlier move of the same call was its last
	end
	local ahead = (stamp - self.moveStamp) % savedmove.WRAP
	if ahead == 0 or ahead >= savedmove.WRAP / 2 then
		return false -- doubled, or overtaken by a newer one
	end
	self.moveStamp = stamp
	self.lastMoveTime, self.hasMoved = world.TimeSeconds, true
	-- Who wants nothing may say so once a second; who moves is heard more often.
	local most = accel == 0 and self.MaxMoveDelta or math.min(self.MaxSilence, self.MaxMoveDelta)
	local delta = math.min(self:AccountTime(ahead / 1000), most)
	local move = self.serverMove
	move.Stamp, move.Delta, move.Accel, move.Flags, move.Roll = stamp, delta, accel, flags, roll
	move.View, move.Root, move.Extra = savedmove.UnpackView(view), root, extra
	self.ViewRotation = move.View
	pawn:FaceRotation(move.View)
	return self:MoveAutonomous(move)
end

-- Notes whether the last move has led the client where it led the server; the tick answers.
function PlayerController:JudgeMove(stamp, flags, location, base)
	local pawn = self.Pawn
	if not pawn:IsMovedByPlayer() then
		return
	end
	self.judgedStamp = stamp
	if Has(flags, savedmove.ANSWERED) ~= (self.correction == 1) then
		return -- made before he can have known of the last correction: it is wrong, and he is told already
	end
	if self.corrected then
		self.answerTime = self.answerTime + (world.TimeSeconds - self.corrected - self.answerTime) * 0.25
		self.corrected = nil
	end
	local at, on = pawn:GetMovePlace()
	if base ~= on then
		at = pawn.Location
		location = base and base.Location + location or location
	end
	self.wrong = at:Distance(location) > self.MaxPositionError
end

-- On the server, every tick: a pawn that was given to the player, one whose player is silent, and the answer
-- to the moves that came.
function PlayerController:Tick(dt)
	if not self:HasAuthority() or self:IsLocalPlayer() then
		return
	end
	self.moveCalls = 0
	local pawn = self.Pawn
	if pawn ~= self.restartedPawn then
		self:RestartMoves()
	end
	if not pawn or self.AcknowledgedPawn ~= pawn then
		return
	end
	if pawn:IsMovedByPlayer() then
		self:WatchSilence(pawn, dt)
	end
	if self.judgedStamp and not pawn.bDeleteMe then
		self:SendClientAdjustment()
	end
end

-- Another pawn, or none: the player is told where it begins, and its moves count from his answer on.
function PlayerController:RestartMoves()
	local pawn = self.Pawn
	self.restartedPawn, self.AcknowledgedPawn = pawn, nil
	self.serverMove, self.judgedStamp, self.corrected = {}, nil, nil
	self.correction, self.wrong, self.answerTime = 0, false, 0.4
	self.restingAt, self.hasMoved = nil, false
	if pawn and pawn.RemoteRole == ROLE_AutonomousProxy then
		pawn:ForgetMove()
		local at, base = pawn:GetMovePlace()
		self:ClientRestart(
			pawn, pawn.Physics, floats(at), floats(pawn.Velocity), pawn.bCrouching,
			base, base ~= nil, pawn:GetMoveState())
	end
end

-- The player has the pawn and moves it from the state that he was told, by a clock that now stands at stamp.
function PlayerController.server.reliable:ServerAcknowledgePossession(pawn, stamp)
	if not pawn or pawn ~= self.Pawn or pawn ~= self.restartedPawn then
		return
	end
	if pawn == self.AcknowledgedPawn then
		return
	end
	self.AcknowledgedPawn = pawn
	self.moveStamp = stamp
	self.lastMoveTime = world.TimeSeconds
	self.moveTime, self.bHeldToTime = movetime.new(), false
end

-- A player who does nothing is silent: so his pawn rests, he is told at once when something has moved it.
function PlayerController:WatchSilence(pawn, dt)
	local silence = world.TimeSeconds - self.lastMoveTime
	local resting = pawn.Physics ~= PHYS_Falling and pawn.Velocity == vector()
	if self.hasMoved then
		self.hasMoved = false
		self.restingAt = resting and self.serverMove.Accel == 0 and not pawn.Base and pawn.Location or nil
	elseif self.restingAt then
		if resting and pawn.Location == self.restingAt then
			return
		end
		self.restingAt = nil
		local passed = math.floor(silence * 1000)
		self.moveStamp = (self.moveStamp + passed) % savedmove.WRAP
		self.lastMoveTime = world.TimeSeconds
		self:AccountTime(passed / 1000)
		self.judgedStamp, self.wrong = self.moveStamp, true
	elseif silence > self.MaxSilence then
		self:ForceMove(dt)
	end
end

-- The player has been silent for long: the pawn goes on as if he had let go of everything, so that nobody
-- hangs in the air. What he claims later for this time counts no more.
function PlayerController:ForceMove(dt)
	local silence = world.TimeSeconds - self.lastMoveTime
	if not self.forcedUntil or self.forcedUntil < self.lastMoveTime then
		dt = math.min(silence, 2 * self.MaxSilence)
		self.forcedRest = 0
	end
	self.forcedUntil = world.TimeSeconds
	self.forcedRest = self.forcedRest + dt * 1000
	local passed = math.floor(self.forcedRest)
	self.forcedRest = self.forcedRest - passed
	self.moveStamp = (self.moveStamp + passed) % savedmove.WRAP
	local move = self.serverMove
	move.Stamp, move.Delta, move.Accel, move.Root, move.Extra = self.moveStamp, dt, 0, nil, nil
	move.Flags = self.Pawn.bCrouching and savedmove.CROUCH or 0
	move.View, move.Roll = self.ViewRotation, 0
	self:AccountTime(dt)
	self:MoveAutonomous(move)
end

-- Answers the last move that came: it was good, or this is where the pawn is. After a correction nothing is
-- said until a move comes that was made in the knowledge of it, or it must have been lost; then it is said
-- again as it is by then. number, 0 and 1 in turn, tells by the flag ANSWERED of a move which correction its
-- player knows of.
function PlayerController:SendClientAdjustment()
	local stamp = self.judgedStamp
	self.judgedStamp = nil
	if self.corrected then
		if world.TimeSeconds - self.corrected < self.answerTime * 1.5 + 0.1 then
			return
		end
	elseif not self.wrong then
		self:ClientAckGoodMove(stamp)
		return
	else
		self.correction = 1 - self.correction
	end
	self.corrected = world.TimeSeconds
	local pawn = self.Pawn
	pawn:ForgetMove()
	local at, base = pawn:GetMovePlace()
	local extra = pawn:GetMoveState()
	local stands = pawn.Physics == PHYS_Walking and pawn.Velocity == vector() and not base
	if stands and not pawn.bCrouching and extra == "" and self:GetStateName() == "" then
		self:ShortClientAdjustPosition(stamp, self.correction, floats(at))
		return
	end
	self:ClientAdjustPosition(
		stamp, self.correction, self:GetStateName(), pawn.Physics, floats(at), floats(pawn.Velocity),
		pawn.bCrouching, base, base ~= nil, extra)
end

-- ── Time: the moves of a player must not last longer than the time in which they were made (R9.6)

-- A player claims that a move lasted dt seconds. Returns how long it lasts here: the same, or for one whose
-- clock is known to be wrong the time that has passed.
function PlayerController:AccountTime(dt)
	if not self.bCheckTime then
		return dt
	end
	local lasts, how, rate = movetime.Account(self.moveTime, world.TimeSeconds, dt)
	self.bHeldToTime = self.moveTime.held ~= nil
	if how then
		self:TimeDiscrepancyDetected(how, rate)
	end
	return lasts
end

-- The player's clock is wrong: from now on he is held to the server's. A child may warn him, or send him away.
-- how is "fast", "slow" or "ahead"; rate is seconds in a second, or for "ahead" seconds.
function PlayerController:TimeDiscrepancyDetected(how, rate)
	log(("%s: the player's clock is %s by %.3f s: held to real time"):format(self.Name, how, rate))
end

-- Puts the player's own machine into a state, whatever it was in; the server's controller stays in its own
-- (R7.3).
function PlayerController.client.reliable:ClientGotoState(name)
	self:GotoState(name)
end

-- Turns the player's view.
function PlayerController:ClientSetRotation(rotation)
	self.ViewRotation = rotation
	PlayerController.super.ClientSetRotation(self, rotation)
end

-- On the server: the player watches an actor from now on, nil for his own pawn again. He is told of what is
-- near that (R3.5).
function PlayerController:SetViewTarget(actor)
	self.ViewTarget = actor
end

-- A spectator watches the next of those who play (1), the one before (-1), or flies by himself again (0). Who
-- plays may not look through the eyes of others.
function PlayerController.server.reliable:ServerViewNextPlayer(step)
	if step == 0 or not self.PlayerReplicationInfo.bIsSpectator then
		self:SetViewTarget(nil)
		return
	end
	local pawns, now = {}, 0
	for _, player in ipairs(world.GameState.PlayerArray) do
		local controller = player.Owner
		local pawn = controller and controller.Pawn
		if pawn and player ~= self.PlayerReplicationInfo and not pawn:IsA("SpectatorPawn") then
			pawns[#pawns + 1] = pawn
			now = pawn == self.ViewTarget and #pawns or now
		end
	end
	if now == 0 and step < 0 then
		now = 1 -- before the first comes the last
	end
	self:SetViewTarget(pawns[(now + step - 1) % math.max(1, #pawns) + 1])
end

-- Everybody may ask; what he gets is decided above, for he may be a player again by the time he is heard.
function PlayerController.validate:ServerViewNextPlayer(step)
	return step >= -1 and step <= 1
end

-- A player wants to watch, or to play again. The game may refuse; then nothing happens.
function PlayerController.server.reliable:ServerSpectate(watch)
	if watch then
		world.Game:BecomeSpectator(self)
	else
		world.Game:BecomeActivePlayer(self)
	end
end

function PlayerController.validate:ServerSpectate(_)
	return true -- everybody may ask
end

-- A player says whether he is ready for the match to start.
function PlayerController.server.reliable:ServerSetReady(ready)
	self.PlayerReplicationInfo.bReadyToPlay = ready
	world.Game:StartWhenReady()
end

function PlayerController.validate:ServerSetReady(_)
	return true
end

-- A player wants to go over to another team. The game may refuse; then nothing happens.
function PlayerController.server.reliable:ServerChangeTeam(team)
	world.Game:ChangeTeam(self, team)
end

function PlayerController.validate:ServerChangeTeam(_)
	return true -- everybody may ask
end

-- The player hears a sound that his machine did not play by itself; the server calls it for each PlaySound
-- within his hearing. source is nil where this machine has no such actor: the sound plays at its place all
-- the same.
function PlayerController.client.unreliable:ClientHearSound(sound, source, location)
	self:HearSound(sound, source, location)
end

-- A sound without a place, for this player alone: an announcement, a click of his menu.
function PlayerController.client.unreliable:ClientPlaySound(sound)
	self:HearSound(sound)
end

-- ── The server's clock (R11.1) ──
-- The client asks with a stamp of its own and gets both times back. GetServerTime follows from the answers,
-- filtered against jitter.

-- The controller has come to its player's machine.
function PlayerController:ReceivedPlayer()
	if not self:HasAuthority() then
		self.timeQuestions = 0
		self:AskServerTime()
	end
end

function PlayerController:PostNetBeginPlay()
	if self:IsLocalPlayer() then
		self:ReceivedPlayer()
	end
end

-- Asks a few times in a row, then now and then.
function PlayerController:AskServerTime()
	self.timeQuestions = self.timeQuestions + 1
	self:ServerRequestServerTime(math.floor(world.TimeSeconds * 1000 + 0.5))
	local first = self.timeQuestions < self.TimeSyncBurst
	self:SetTimer(first and 0.1 or self.TimeSyncFrequency, false, "AskServerTime")
end

-- Times cross in whole milliseconds, since a 32-bit float is coarser than that after some hours. Calls are
-- handled before the tick that they come in: its time is one tick after world.TimeSeconds.
function PlayerController.server.unreliable:ServerRequestServerTime(stamp)
	local now = world.TimeSeconds + world.DeltaSeconds
	self:ClientReportServerTime(stamp, math.floor(now * 1000 + 0.5))
end

function PlayerController.client.unreliable:ClientReportServerTime(stamp, server)
	self:AddTimeSample(stamp / 1000, server / 1000)
end

-- How old what this player sees of others is, in seconds (R11.3): half the round trip, and what they are shown
-- late besides; less the tick in which what came is carried on before it is seen.
function PlayerController:GetViewDelay()
	return math.max(0, self:GetRoundTrip() / 2 - world.DeltaSeconds) + self.InterpolationDelay
end

-- Whoever destroys a player's controller sends him away, and the game hears of it.
function PlayerController:Destroyed()
	if self.bLoggedIn then
		self.bLoggedIn = false
		world.Game:Logout(self)
	end
end

-- On a client: the player's PlayerState has come.
function PlayerController:OnRep_PlayerReplicationInfo(_)
	if self.PlayerReplicationInfo then
		self:TellTeam()
	end
end

-- Tells every actor here that the team of the player at this machine has come or changed: what is friend and
-- what is foe may look different now.
function PlayerController:TellTeam()
	for _, actor in ipairs(self:ActorsOf("Actor")) do
		if not actor.bDeleteMe then
			actor:NotifyLocalPlayerTeamReceived()
		end
	end
end

return PlayerController
