-- PlayerController: the mind of a pawn that a person plays.
--
-- Before each tick the player's machine writes the keys into the variables of Controller and calls
-- PlayerTick, whose PlayerMove makes a move of them. On the server's own machine the pawn performs the
-- requests (ProcessMove) and the tick moves it. A client performs the move at once (ReplicateMove) and sends
-- it to the server, which performs the same move, compares the results, and answers that the move was good or
-- where the pawn really is. After a correction the client repeats the later moves. CorrectionCount counts
-- corrections; hosts and bots show it.
--
-- The client's half of this is in its parent PredictionController, the server's half in that class's parent
-- MoveController. Pawn defines what a move does, and lib/savedmove.lua which moves are combined.
-- docs/movement.md explains the whole design. A child may override any of it.
local savedmove = require("lib.savedmove")

local PlayerController = class("PlayerController", "PredictionController")

PlayerController.properties {
	TimeSyncFrequency = float(5, { min = 0.1, max = 60 }), -- seconds between two requests for the server's time
	TimeSyncBurst = int(12, { min = 1, max = 100 }), -- requests in a row at first, ten a second
	InterpolationDelay = float(0, { min = 0, max = 1 }), -- delay with which others are shown, see GetViewDelay
	ViewTarget = ref("Actor"), -- what the player watches in place of their pawn, see SetViewTarget
	bLoggedIn = false, -- on the server: PostLogin was called, and Logout was not yet
	myHUD = ref("HUD"), -- its player's HUD, on the player's machine only
	bWasJump = false, -- true if the key was down in the last tick: a jump needs a new press
	bPressedJump = false, -- it was pressed, and PlayerMove has not handled it yet
}

PlayerController.defaults {
	bOnlyRelevantToOwner = true,
	RemoteRole = ROLE_AutonomousProxy,
	NetPriority = 3.0,
}

PlayerController.replication {
	{ "ViewTarget" },
}

-- Calls whose arguments are outside these types and ranges are rejected.
PlayerController.params {
	ClientGotoState = { str("", { max = 64 }) },
	ServerRequestServerTime = { int(0, { min = 0 }) },
	ClientReportServerTime = { int(0, { min = 0 }), int(0, { min = 0 }) },
	ClientHearSound = { str("", { max = 64 }), ref("Actor"), vector(0, 0, 0) },
	ClientPlaySound = { str("", { max = 64 }) },
	ClientMessage = { str("", { max = 255 }), str("", { max = 16 }), ref("PlayerReplicationInfo") },
	ClientSetHUD = { classref("HUD") },
	ServerSay = { str("", { max = 255 }), false },
	ServerMute = { ref("PlayerReplicationInfo"), false },
	ServerViewNextPlayer = { int(1, { min = -1, max = 1 }) },
	ServerSpectate = { false },
	ServerSetReady = { false },
	ServerChangeTeam = { int(0, { min = 0, max = 3 }) },
}

-- 1 Keys

-- Runs every tick on the player's machine, before anything else of the tick.
function PlayerController:PlayerTick(dt)
	if self.brain then
		self.brain:Play(dt) -- overwrites the keys of the person at this machine
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

-- The actions of content/input.toml that have no variable in Controller and that every game has.
local steps = { NextWeapon = 1, PrevWeapon = -1 }

-- An action was pressed or released, on the player's machine (docs/input.md).
function PlayerController:InputAction(action, down)
	if down and steps[action] and self.Pawn then
		self.Pawn:NextWeapon(steps[action])
	end
end

-- Limits the pitch of the view to straight up and straight down.
function PlayerController:LimitView()
	local pitch = self.ViewRotation.Pitch -- up to 16384 is upwards, from 49152 it is downwards
	if pitch > 16384 and pitch < 49152 then
		self.ViewRotation = self.ViewRotation:With{ Pitch = pitch < 32768 and 16384 or 49152 }
	end
end

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
	self:FillMove(move)
	if not self:HasAuthority() then
		self:ReplicateMove(move)
		return
	end
	self:ProcessMove(move)
	if self.Pawn == pawn then
		pawn:LimitSpeed(self:GetMoveSpeed(move)) -- the tick moves the pawn
	end
end

-- 2 The server's answers

-- On the server, every tick: handles a newly given pawn and a silent player, and answers the moves that
-- arrived.
function PlayerController:Tick(dt)
	if not self:HasAuthority() or self:IsLocalPlayer() then
		return
	end
	self.moveCalls = 0
	self:NoteStandstill()
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

-- Locations and velocities of corrections are sent as full floats.
local function floats(v)
	return { X = v.X, Y = v.Y, Z = v.Z }
end

-- The player has another pawn, or none: tells them where it begins. Their moves count from their answer on.
function PlayerController:RestartMoves()
	local pawn = self.Pawn
	PlayerController.super.RestartMoves(self)
	if pawn and pawn.RemoteRole == ROLE_AutonomousProxy then
		pawn:ForgetMove()
		local at, base = pawn:GetMovePlace()
		self:ClientRestart(
			pawn, pawn.Physics, floats(at), floats(pawn.Velocity), pawn.bCrouching,
			base, base ~= nil, pawn:GetMoveState(), self:PackPartState())
	end
end

-- Answers the last move that arrived: it was good, or the pawn is elsewhere. After a correction the server
-- sends no other until a move arrives that was made after it was received, or the correction must have been
-- lost; then it sends the present state. number alternates between 0 and 1; the flag ANSWERED of a move tells
-- which correction its player has received.
function PlayerController:SendClientAdjustment()
	local stamp = self.judgedStamp
	self.judgedStamp = nil
	if self.corrected then
		if world.TimeSeconds - self.corrected < self:GetAnswerTime() * 1.5 + 0.1 then
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
	local extra, parts = pawn:GetMoveState(), self:PackPartState(self.serverMove.Parts)
	local stands = pawn.Physics == PHYS_Walking and pawn.Velocity == vector() and not base
	if stands and not pawn.bCrouching and extra == "" and parts == ""
		and self:GetStateName() == "" then
		self:ShortClientAdjustPosition(stamp, self.correction, floats(at))
		return
	end
	self:ClientAdjustPosition(
		stamp, self.correction, self:GetStateName(), pawn.Physics, floats(at), floats(pawn.Velocity),
		pawn.bCrouching, base, base ~= nil, extra, parts)
end

-- 3 Views

-- Changes the state of the controller on the player's own machine, unconditionally; the server's controller
-- keeps its own state (R7.3).
function PlayerController.client.reliable:ClientGotoState(name)
	self:GotoState(name)
end

-- Turns the player's view.
function PlayerController:ClientSetRotation(rotation)
	self.ViewRotation = rotation
	PlayerController.super.ClientSetRotation(self, rotation)
end

-- On the server: the player watches an actor from now on, or their own pawn again for nil. They receive the
-- actors that are relevant there (R3.5).
function PlayerController:SetViewTarget(actor)
	self.ViewTarget = actor
end

-- A spectator watches the next player in the match (1), the previous one (-1), or flies freely again (0).
-- Players in the match may not watch others.
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
		now = 1 -- wraps from the first player to the last
	end
	self:SetViewTarget(pawns[(now + step - 1) % math.max(1, #pawns) + 1])
end

-- Always true for known steps: every client may call it. The function above decides, because the sender may
-- be playing again when the call arrives.
function PlayerController.validate:ServerViewNextPlayer(step)
	return step >= -1 and step <= 1
end

-- Called by the client: a player wants to watch, or to play again. If the game refuses, nothing happens.
function PlayerController.server.reliable:ServerSpectate(watch)
	if watch then
		world.Game:BecomeSpectator(self)
	else
		world.Game:BecomeActivePlayer(self)
	end
end

function PlayerController.validate:ServerSpectate(_)
	return true -- every client may request it
end

-- Called by the client: the player is ready for the match to start, or no longer.
function PlayerController.server.reliable:ServerSetReady(ready)
	self.PlayerReplicationInfo.bReadyToPlay = ready
	world.Game:StartWhenReady()
end

function PlayerController.validate:ServerSetReady(_)
	return true
end

-- Called by the client: the player wants to change teams. If the game refuses, nothing happens.
function PlayerController.server.reliable:ServerChangeTeam(team)
	world.Game:ChangeTeam(self, team)
end

function PlayerController.validate:ServerChangeTeam(_)
	return true -- every client may request it
end

-- Plays a sound that the player's machine did not play on its own; the server calls it for each PlaySound
-- within the player's hearing. source is nil if this machine does not have the actor: the sound then plays at
-- its location.
function PlayerController.client.unreliable:ClientHearSound(sound, source, location)
	self:HearSound(sound, source, location)
end

-- Plays a sound without a location for this player alone: an announcement, a click of their menu.
function PlayerController.client.unreliable:ClientPlaySound(sound)
	self:HearSound(sound)
end

-- Shows a line of text to this player alone; the server calls it, and it runs on the player's machine. text
-- is at most 255 bytes. kind says what it is about, so that a HUD can choose location, color and time:
--
--	""       anything else, the default
--	"kill"   who killed whom: the kill feed
--	"event"  the match: it begins or ends, a flag is taken
--	"chat"   a player's message to all
--	"team"   a player's message to the team
--
-- An unknown kind is shown as "". from is the PlayerState of the sender, nil for the game itself. The call is
-- reliable and counts against the player's budget: for many lines, or lines for everybody, use
-- GameInfo:Broadcast. A child may override it to change or hide lines, or to add a sound; it passes to
-- ShowMessage what the player sees. The HUD decides how the line looks (HUD:Message).
function PlayerController.client.reliable:ClientMessage(text, kind, from)
	self:ShowMessage(text, kind, from)
	if self.myHUD then
		self.myHUD:Message(world:CleanText(text), kind or "", from)
	end
end

-- Sets the HUD that the player sees over the world, nil for none. The server calls it with the game's HUDType
-- when the player has joined; it runs on the player's machine, and a HUD exists only there.
function PlayerController.client.reliable:ClientSetHUD(class)
	local old = self.myHUD
	if old and class and old:GetClass() == tostring(class) then
		return
	elseif old then
		old:Destroy()
	end
	self.myHUD = class and self:Spawn(class, { Owner = self, PlayerOwner = self })
end

-- 4 Chat

-- Sends a chat line of the player to everybody. The server cleans it, and limits how often a player may send
-- (GameInfo.ChatRate). A line that begins with "/" is a command: "/mute NAME" of this machine, see ObeyChat,
-- others of the host.
function PlayerController:SayToAll(text)
	text = world:CleanText(text)
	if not self:ObeyChat(text) then
		self:ServerSay(text, false)
	end
end

-- Sends a chat line to the player's own team; in a game without teams to everybody.
function PlayerController:SayToTeam(text)
	text = world:CleanText(text)
	if not self:ObeyChat(text) then
		self:ServerSay(text, true)
	end
end

-- On the player's machine: runs a chat line if it is a command, and returns whether it was one. The commands
-- are "/mute NAME" and "/unmute NAME"; the beginning of a name is enough. A child adds commands of its own;
-- GameInfo:Chat handles commands of the server.
function PlayerController:ObeyChat(text)
	local word, name = text:match("^/(%a+)%s*(.-)%s*$")
	if word ~= "mute" and word ~= "unmute" then
		return false
	end
	local player = world.GameState and world.GameState:FindPlayer(name)
	if not player or player == self.PlayerReplicationInfo then
		self:ClientMessage(("/%s: there is no other player called %q"):format(word, name))
		return true
	end
	self:Mute(player, word == "mute")
	local told = "You hear %s again"
	if word == "mute" then
		told = "You hear no more of %s; /unmute takes that back"
	end
	self:ClientMessage(told:format(player:GetQuotedName()))
	return true
end

-- Mutes another player for this one, or ends that; player is a PlayerState.
function PlayerController:Mute(player, on)
	self:ServerMute(player, on ~= false)
end

-- On the server: whether the player muted the player of a PlayerState.
function PlayerController:HasMuted(player)
	local own = self.PlayerReplicationInfo
	return own ~= nil and player ~= nil and own:HasMuted(player.UniqueId)
end

-- Called by the client: the player sends a chat line; see SayToAll.
function PlayerController.server.reliable:ServerSay(text, team)
	world.Game:Chat(self, text, team)
end

function PlayerController.validate:ServerSay(_, _)
	return true -- the game decides about the text
end

-- See Mute.
function PlayerController.server.reliable:ServerMute(player, on)
	local own = self.PlayerReplicationInfo
	if own and player ~= own then
		own:SetMuted(player.UniqueId, on)
	end
end

function PlayerController.validate:ServerMute(player, _)
	return player ~= nil
end

-- 5 The server's clock (R11.1): the client asks with a stamp of its own and gets both times back. GetServerTime
-- follows from the answers, filtered against jitter.

-- The controller has arrived on its player's machine: on a client, or on the server's own machine, where the
-- game calls it (GameModeBase.PostLogin).
function PlayerController:ReceivedPlayer()
	if not self:HasAuthority() then
		self.timeQuestions = 0
		self:AskServerTime()
	end
end

-- On the player's machine: calls ReceivedPlayer.
function PlayerController:PostNetBeginPlay()
	if self:IsLocalPlayer() then
		self:ReceivedPlayer()
	end
end

-- Requests the server's time a few times in a row, then now and then.
function PlayerController:AskServerTime()
	self.timeQuestions = self.timeQuestions + 1
	self:ServerRequestServerTime(math.floor(world.TimeSeconds * 1000 + 0.5))
	local first = self.timeQuestions < self.TimeSyncBurst
	self:SetTimer(first and 0.1 or self.TimeSyncFrequency, false, "AskServerTime")
end

function PlayerController.validate:ServerRequestServerTime(_)
	return true
end

-- Times are sent in whole milliseconds, because a 32-bit float is coarser than that after some hours. Calls
-- are handled before the tick in which they arrive: its time is one tick after world.TimeSeconds.
function PlayerController.server.unreliable:ServerRequestServerTime(stamp)
	local now = world.TimeSeconds + world.DeltaSeconds
	self:ClientReportServerTime(stamp, math.floor(now * 1000 + 0.5))
end

-- The server answers ServerRequestServerTime: stamp is the client's time of the question, server its own, both
-- in ms.
function PlayerController.client.unreliable:ClientReportServerTime(stamp, server)
	self:AddTimeSample(stamp / 1000, server / 1000)
end

-- Returns how old this player's view of other actors is, in seconds (R11.3): half the round trip plus the
-- delay with which they are shown, less the tick in which received states are advanced before they are seen.
function PlayerController:GetViewDelay()
	return math.max(0, self:GetRoundTrip() / 2 - world.DeltaSeconds) + self.InterpolationDelay
end

-- Destroying a player's controller disconnects the player, and the game's Logout is called.
function PlayerController:Destroyed()
	if self.bLoggedIn then
		self.bLoggedIn = false
		world.Game:Logout(self)
	end
	if self.myHUD then
		self.myHUD:Destroy()
	end
end

-- On a client: the player's PlayerState was received.
function PlayerController:OnRep_PlayerReplicationInfo(_)
	if self.PlayerReplicationInfo then
		self:TellTeam()
	end
end

-- Tells every actor here that the team of the player at this machine has changed: friends and enemies may
-- look different now.
function PlayerController:TellTeam()
	for _, actor in ipairs(self:ActorsOf("Actor")) do
		if not actor.bDeleteMe then
			actor:NotifyLocalPlayerTeamReceived()
		end
	end
end

return PlayerController
