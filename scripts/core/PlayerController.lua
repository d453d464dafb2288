-- PlayerController: the mind of a pawn that a person plays.
--
-- Before each tick the player's machine writes the keys into the variables of Controller and calls
-- PlayerTick, which makes a move of them: PlayerMove. On the server's own machine the pawn does it
-- (ProcessMove) and the tick moves it. A client performs it at once (ReplicateMove) and sends it to the
-- server, which performs the same move, compares, and says that it was good or where the pawn really is; then
-- the client does over again what came after. CorrectionCount is how often that happened: hosts and bots show
-- it.
--
-- The client's half of that is in its parent PredictionController, the server's in the parent of that,
-- MoveController; what a move does is in Pawn, and which moves are put together in lib/savedmove.lua.
-- docs/movement.md tells the whole story. A child may replace any of it.
local savedmove = require("lib.savedmove")

local PlayerController = class("PlayerController", "PredictionController")

PlayerController.properties {
	TimeSyncFrequency = float(5, { min = 0.1, max = 60 }), -- seconds between two questions for the server's time
	TimeSyncBurst = int(12, { min = 1, max = 100 }), -- how many are asked in a row at first, ten a second
	InterpolationDelay = float(0, { min = 0, max = 1 }), -- seconds that others are shown late, besides the way
	ViewTarget = ref("Actor"), -- what its player watches in place of their pawn, see SetViewTarget
	bLoggedIn = false, -- on the server: PostLogin was called, and Logout is still to come
	myHUD = ref("HUD"), -- its player's HUD, on the player's machine only
	bWasJump = false, -- the key was down in the last tick: a jump is one press
	bPressedJump = false, -- it was pressed, and PlayerMove has not seen it yet
}

PlayerController.defaults {
	bOnlyRelevantToOwner = true,
	RemoteRole = ROLE_AutonomousProxy,
	NetPriority = 3.0,
}

PlayerController.replication {
	{ "ViewTarget" },
}

-- What arrives fits these types and ranges, or the function does not run.
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

-- The actions of content/input.toml that are no variables of Controller and that every game has.
local steps = { NextWeapon = 1, PrevWeapon = -1 }

-- An action went down or up, on the machine of the player (docs/input.md).
function PlayerController:InputAction(action, down)
	if down and steps[action] and self.Pawn then
		self.Pawn:NextWeapon(steps[action])
	end
end

-- Nobody looks further up or down than straight.
function PlayerController:LimitView()
	local pitch = self.ViewRotation.Pitch -- up to 16384 is upwards, from 49152 on it is downwards
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
		pawn:LimitSpeed(self:GetMoveSpeed(move)) -- the tick moves it
	end
end

-- 2 What the server answers

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

-- Places and velocities of corrections cross as full floats.
local function floats(v)
	return { X = v.X, Y = v.Y, Z = v.Z }
end

-- Another pawn, or none: the player is told where it begins, and its moves count from their answer on.
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

-- Answers the last move that came: it was good, or this is where the pawn is. After a correction nothing is
-- said until a move comes that was made in the knowledge of it, or it must have been lost; then it is said
-- again as it is by then. number, 0 and 1 in turn, tells by the flag ANSWERED of a move which correction its
-- player knows of.
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

-- On the server: the player watches an actor from now on, nil for their own pawn again. They receive what is
-- near that (R3.5).
function PlayerController:SetViewTarget(actor)
	self.ViewTarget = actor
end

-- A spectator watches the next player in the match (1), the previous one (-1), or flies freely again
-- (0). A player in the match may not watch through another's eyes.
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

-- Every client may call this. The function above decides, since the sender may be a player again when it
-- arrives.
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

-- A player says whether they are ready for the match to start.
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

-- The player hears a sound that their machine did not play by itself; the server calls it for each PlaySound
-- within their hearing. source is nil where this machine has no such actor: the sound plays at its place all
-- the same.
function PlayerController.client.unreliable:ClientHearSound(sound, source, location)
	self:HearSound(sound, source, location)
end

-- A sound without a place, for this player alone: an announcement, a click of their menu.
function PlayerController.client.unreliable:ClientPlaySound(sound)
	self:HearSound(sound)
end

-- A line of text for this player alone; the server calls it, and it runs on the player's machine.
-- text is at most 255 bytes. kind says what it is about, so that a HUD can choose place,
-- color and time:
--
--	""       anything else, the default
--	"kill"   who killed whom: the kill feed
--	"event"  the match: it begins or ends, a flag is taken
--	"chat"   what a player says to all
--	"team"   what a player says to the team
--
-- A kind that nothing knows is shown as "". from is the PlayerState of who says it, nil for the game itself.
-- The call is reliable and is charged to the player's budget: for many lines, or lines for everybody, use
-- GameInfo:Broadcast. A child may override it to change or hide lines, or to add a sound; what it calls
-- ShowMessage with is shown. How it looks is the HUD's affair (HUD:Message).
function PlayerController.client.reliable:ClientMessage(text, kind, from)
	self:ShowMessage(text, kind, from)
	if self.myHUD then
		self.myHUD:Message(world:CleanText(text), kind or "", from)
	end
end

-- What the player sees over the world from now on, nil for nothing. The server calls it when the player has
-- come in, with the game's HUDType; it runs on the player's machine, and only there is a HUD.
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

-- The player says something to everybody, or to the team. The server cleans it, and says it no more often than
-- the game allows (GameInfo.ChatRate). "/mute NAME" is not said but done, see ObeyChat.
function PlayerController:SayToAll(text)
	text = world:CleanText(text)
	if not self:ObeyChat(text) then
		self:ServerSay(text, false)
	end
end

-- The same to those of the player's own team; in a game without teams to all.
function PlayerController:SayToTeam(text)
	text = world:CleanText(text)
	if not self:ObeyChat(text) then
		self:ServerSay(text, true)
	end
end

-- On the player's machine: runs a line of chat if it is a command, and returns whether it was one. "/mute NAME"
-- and "/unmute NAME" are known; the start of a name will do. A child adds commands of its own; those of the
-- server are GameInfo:Chat's.
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

-- The player hears no more, or again, of what another one says; player is a PlayerState.
function PlayerController:Mute(player, on)
	self:ServerMute(player, on ~= false)
end

-- Whether the player muted the owner of a PlayerState; the server knows.
function PlayerController:HasMuted(player)
	local own = self.PlayerReplicationInfo
	return own ~= nil and player ~= nil and own:HasMuted(player.UniqueId)
end

-- A player says something; see SayToAll.
function PlayerController.server.reliable:ServerSay(text, team)
	world.Game:Chat(self, text, team)
end

function PlayerController.validate:ServerSay(_, _)
	return true -- what may be said the game decides
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

-- The controller has come to its player's machine: a client's, or the server's own, where the game says so
-- (GameModeBase.PostLogin).
function PlayerController:ReceivedPlayer()
	if not self:HasAuthority() then
		self.timeQuestions = 0
		self:AskServerTime()
	end
end

-- On the machine of its player: calls ReceivedPlayer.
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

function PlayerController.validate:ServerRequestServerTime(_)
	return true
end

-- Times cross in whole milliseconds, since a 32-bit float is coarser than that after some hours. Calls are
-- handled before the tick that they come in: its time is one tick after world.TimeSeconds.
function PlayerController.server.unreliable:ServerRequestServerTime(stamp)
	local now = world.TimeSeconds + world.DeltaSeconds
	self:ClientReportServerTime(stamp, math.floor(now * 1000 + 0.5))
end

-- The server answers ServerRequestServerTime: stamp is the client's time of the question, server its own, both
-- in ms.
function PlayerController.client.unreliable:ClientReportServerTime(stamp, server)
	self:AddTimeSample(stamp / 1000, server / 1000)
end

-- How old what this player sees of others is, in seconds (R11.3): half the round trip, and what they are shown
-- late in addition; less the tick in which what came is carried on before it is seen.
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
