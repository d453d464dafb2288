-- PlayerController: the mind of a pawn that a person plays.
--
-- Before each tick the player's machine writes the keys into the variables below and calls PlayerTick. On the
-- server's own machine that moves the pawn; a client tells the server instead, which then has the same
-- variables and moves it there. Either way PlayerMove turns keys into what the pawn wants, so a game with other
-- controls overrides one function.
local PlayerController = class("PlayerController", "Controller")

PlayerController.properties {
	TimeSyncFrequency = float(5, { min = 0.1, max = 60 }), -- seconds between two questions for the server's time
	TimeSyncBurst = int(12, { min = 1, max = 100 }), -- how many are asked in a row at first, ten a second
	InterpolationDelay = float(0, { min = 0, max = 1 }), -- seconds that others are shown late, besides the way
	ViewTarget = ref("Actor"), -- what its player watches in place of his pawn, see SetViewTarget
	bLoggedIn = false, -- on the server: PostLogin was called, and Logout is still to come
	bWasJump = false, -- the key was down in the last tick: a jump is one press
	bPressedJump = false, -- it was pressed, and PlayerMove has not seen it yet
	JumpCount = int(0, { min = 0, max = 255 }), -- presses so far, round and round: one outlives a lost packet
	InputNumber = int(0, { min = 0, max = 65535 }), -- of the last ServerInput, round and round
	InputAge = float(0), -- seconds since it was sent
	InputRepeats = int(0, { min = 0, max = 5 }), -- how often it is said again though the player does nothing
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
		self.JumpCount = (self.JumpCount + 1) % 256
	end
	self.bWasJump = self.bJump
	self:HandleKeys()
	if self:HasAuthority() then
		self:PlayerMove(dt)
	else
		self:SendInput(dt)
	end
end

-- Nobody looks further up or down than straight.
function PlayerController:LimitView()
	local pitch = self.ViewRotation.Pitch -- up to 16384 is upwards, from 49152 on it is downwards
	if pitch > 16384 and pitch < 49152 then
		self.ViewRotation = self.ViewRotation:With{ Pitch = pitch < 32768 and 16384 or 49152 }
	end
end

-- The keys in the order of their bits in a number.
local keys = { "bJump", "bFire", "bAltFire", "bCrouch", "bRun", "bAim", "bReload", "bUse" }

function PlayerController:GetKeys()
	local sum, bit = 0, 1
	for _, key in ipairs(keys) do
		if self[key] then
			sum = sum + bit
		end
		bit = bit * 2
	end
	return sum
end

function PlayerController:SetKeys(sum)
	for _, key in ipairs(keys) do
		self[key] = sum % 2 == 1
		sum = math.floor(sum / 2)
	end
end

-- On a client: tells the server what the player does, about thirty times a second while that changes. Calls
-- may get lost, so each tells all, and what is held down is told again ten times a second. A player who does
-- nothing says so a few times more, and then costs nothing.
function PlayerController:SendInput(dt)
	local view = self.ViewRotation
	if self.Pawn then
		self.Pawn:FaceRotation(view) -- his own body turns without waiting for the server
	end
	local input = {
		Keys = self:GetKeys(), Jumps = self.JumpCount, Weapon = self.WeaponKey,
		Forward = self.aForward, Strafe = self.aStrafe, Up = self.aUp, Pitch = view.Pitch, Yaw = view.Yaw,
	}
	local changed, last = false, self.lastInput or {}
	for name, value in pairs(input) do
		changed = changed or value ~= last[name]
	end
	local idle = input.Keys == 0 and input.Forward == 0 and input.Strafe == 0 and input.Up == 0
	self.InputAge = self.InputAge + dt
	if changed then
		self.InputRepeats = 5
	elseif self.InputAge < 0.1 or idle and self.InputRepeats == 0 then
		return
	end
	if self.InputAge < 0.03 then
		return
	end
	self.InputAge = 0
	self.InputRepeats = math.max(0, self.InputRepeats - 1)
	self.lastInput = input
	self.InputNumber = (self.InputNumber + 1) % 65536
	self:ServerInput(self.InputNumber, input)
end

-- On the server: what a client's player does. It holds until the next call; after half a second without one the
-- player lets go of everything.
function PlayerController.server.unreliable:ServerInput(number, input)
	local newer = (number - self.InputNumber) % 65536
	if newer == 0 or newer >= 32768 then
		return -- unreliable calls overtake each other, and this one is old
	end
	self.InputNumber = number
	self:SetKeys(input.Keys)
	if input.Jumps ~= self.JumpCount then
		self.JumpCount = input.Jumps
		self.bPressedJump = true
	end
	self.WeaponKey = input.Weapon
	self.aForward, self.aStrafe, self.aUp = input.Forward, input.Strafe, input.Up
	self.ViewRotation = rotator(input.Pitch, input.Yaw, 0)
	self:SetTimer(0.5, false, "InputLost")
	self:PlayerMove(world.DeltaSeconds)
end

-- What arrives fits these types and ranges, or the function does not run.
PlayerController.params {
	ServerInput = {
		int(0, { min = 0, max = 65535 }),
		struct {
			Keys = int(0, { min = 0, max = 255 }),
			Jumps = int(0, { min = 0, max = 255 }),
			Weapon = int(0, { min = 0, max = 99 }),
			Forward = float(0, { min = -1, max = 1 }),
			Strafe = float(0, { min = -1, max = 1 }),
			Up = float(0, { min = -1, max = 1 }),
			Pitch = int(0, { min = 0, max = 65535 }),
			Yaw = int(0, { min = 0, max = 65535 }),
		},
	},
	ClientGotoState = { str("", { max = 64 }) },
	ServerRequestServerTime = { int(0, { min = 0 }) },
	ClientReportServerTime = { int(0, { min = 0 }), int(0, { min = 0 }) },
	ClientHearSound = { str("", { max = 64 }), ref("Actor"), vector(0, 0, 0) },
	ClientPlaySound = { str("", { max = 64 }) },
	ServerViewNextPlayer = { int(1, { min = -1, max = 1 }) },
	ServerSpectate = { false },
}

function PlayerController.validate:ServerRequestServerTime(_)
	return true
end

-- What the types cannot say: LimitView lets no honest player look back over his head.
function PlayerController.validate:ServerInput(_, input)
	return input.Pitch <= 16384 or input.Pitch >= 49152
end

function PlayerController:InputLost()
	self:SetKeys(0)
	self.aForward, self.aStrafe, self.aUp = 0, 0, 0
	self:PlayerMove(world.DeltaSeconds)
end

-- Turns the keys into movement of the pawn.
function PlayerController:PlayerMove(_)
	local pawn = self.Pawn
	local pressed = self.bPressedJump
	self.bPressedJump = false
	if not pawn then
		return
	end
	local view = self.ViewRotation
	pawn:FaceRotation(view)
	pawn.Acceleration = self:MoveDirection(view, pawn.Physics) * pawn.AccelRate
	if pressed then
		pawn:DoJump()
	end
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

-- The player hears a sound that his machine did not play by itself; the server calls it for each PlaySound within
-- his hearing. source is nil where this machine has no such actor: the sound plays at its place all the same.
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
