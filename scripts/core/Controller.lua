-- Controller: the mind of a pawn. A controller decides, its pawn has the body; one can go on while the
-- other is replaced. Possess and UnPossess (natives) join and part them.
local Controller = class("Controller", "Actor")

Controller.properties {
	Pawn = ref("Pawn"), -- the body it has now
	PlayerReplicationInfo = ref("PlayerReplicationInfo"), -- what other players may know about the player or bot
	RespawnTime = float(0, { min = 0 }), -- the server's seconds when the next pawn comes, 0 while none is due
	brain = ref("Brain"), -- what presses its keys, nil for a person

	-- What a player presses: the engine writes it before each tick on their machine (R9.0). A bot's brain writes
	-- the same, so that both play through the same functions.

	-- Axes, -1 to 1.
	aForward = float(0, { min = -1, max = 1 }),
	aStrafe = float(0, { min = -1, max = 1 }), -- to the right
	aUp = float(0, { min = -1, max = 1 }), -- upwards, for those who fly or swim
	-- Keys held down.
	bJump = false,
	bFire = false, -- first fire key
	bAltFire = false, -- second fire key
	bCrouch = false, -- crouch, or go down
	bRun = false, -- run
	bAim = false, -- aim
	bReload = false, -- load the weapon
	bUse = false, -- use what is near
	WeaponKey = int(0, { min = 0, max = 99 }), -- number of the weapon requested, 0 for none
	ViewRotation = rotator(0, 0, 0), -- where they look
	HeldKeys = int(0, { min = 0, max = 65535 }), -- what HandleKeys last saw held: a press is a change

	BrainClass = classref("Brain"), -- who presses them where no person does
}

Controller.defaults {
	BrainClass = "Brain",
	bHidden = true,
	RemoteRole = ROLE_None, -- minds stay on the server; PlayerController changes that
}

-- Only the player's own machine receives its pawn and PlayerState; a controller is not replicated to others.
Controller.replication {
	{ "Pawn", "RespawnTime", when = COND_OwnerOnly },
	{ "PlayerReplicationInfo", when = COND_OwnerOnly, notify = true },
}

-- Which way the pawn is to look after a restart or a teleport. The server calls it, and it runs on the machine
-- of the player who decides here; for a bot that is the server itself.
function Controller.client.reliable:ClientSetRotation(rotation)
	if self.Pawn then
		self.Pawn:SetRotation(rotation)
	end
end
Controller.params { ClientSetRotation = { rotator(0, 0, 0) } }

-- Keys that do something when they are pressed, and when they are let go, by their bits in HeldKeys:
-- functions of the pawn. Jumping and crouching are part of a move and not here.
local actions = {
	{ key = "bFire", bit = 1, press = "StartFire", release = "StopFire", argument = 0 },
	{ key = "bAltFire", bit = 2, press = "StartFire", release = "StopFire", argument = 1 },
	{ key = "bReload", bit = 4, press = "StartReload" },
	{ key = "bUse", bit = 8, press = "Use" },
}
local RUN, AIM, WEAPON = 16, 32, 64 -- further bits; the number of the weapon stands above them

-- Calls what was pressed or let go since before, which is the HeldKeys of then. Returns what is held now.
local function act(controller, pawn, before)
	local held = 0
	for _, action in ipairs(actions) do
		local down = controller[action.key]
		local was = math.floor(before / action.bit) % 2 == 1
		held = held + (down and action.bit or 0)
		local name = down and not was and action.press or was and not down and action.release
		if name and not pawn.bDeleteMe then
			pawn[name](pawn, action.argument)
		end
	end
	return held
end

-- Turns presses into what the pawn does. It runs where the keys are: on the player's own machine, for a bot
-- on the server. The pawn tells the server what that has to know.
function Controller:HandleKeys()
	local pawn = self.Pawn
	if not pawn then
		self.HeldKeys = 0 -- what is held until there is a body is pressed then
		return
	end
	local before = self.HeldKeys
	local held = (self.bFire and 1 or 0) + (self.bAltFire and 2 or 0)
		+ (self.bReload and 4 or 0) + (self.bUse and 8 or 0)
	if held ~= before % RUN then -- in few ticks
		held = act(self, pawn, before)
	end
	held = held + (self.bRun and RUN or 0) + (self.bAim and AIM or 0) + self.WeaponKey * WEAPON
	self.HeldKeys = held
	if pawn.bDeleteMe then
		return
	end
	if pawn.bRunning ~= self.bRun then
		pawn:SetRunning(self.bRun)
	end
	if pawn.bAiming ~= self.bAim then
		pawn:SetAiming(self.bAim)
	end
	if self.WeaponKey > 0 and self.WeaponKey ~= math.floor(before / WEAPON) then
		pawn:SwitchWeapon(self.WeaponKey)
	end
end

-- The direction the keys request, of a length of at most 1. On the ground and in the air it is level; who
-- flies or swims goes where they look.
function Controller:MoveDirection(view, physics)
	local wish
	if physics == PHYS_Flying or physics == PHYS_Swimming then
		local forward, right, up = view:Axes()
		wish = forward * self.aForward + right * self.aStrafe + up * self.aUp
	else
		local forward, right = rotator(0, view.Yaw, 0):Axes()
		wish = forward * self.aForward + right * self.aStrafe
	end
	if wish:Size() > 1 then
		return wish:Normal()
	end
	return wish
end

-- From now on a brain presses the keys; skill is 0 to 7. A bot has one from the start. On a player's machine
-- host bots and host join --auto call this, on their PlayerController.
function Controller:StartBrain(skill)
	if not self.brain then
		self.brain = self:AddComponent(self.BrainClass, "Brain")
		self.brain:Start(skill or 3)
	end
end

-- The player takes the keys themselves.
function Controller:StopBrain()
	if self.brain then
		self.brain:Destroy()
		self.brain = nil
	end
end

-- Seconds in all in which its brain could not get where it wanted; 0 without one.
function Controller:GetStuckSeconds()
	return self.brain and self.brain:GetStuckSeconds() or 0
end

-- A noise within earshot of the pawn.
function Controller:HearNoise(loudness, maker)
	if self.brain then
		self.brain:HearNoise(loudness, maker)
	end
end

-- On the server, some time after a death: the next life (GameInfo.RespawnDelay).
function Controller:Respawn()
	self.RespawnTime = 0
	if not world.Game:HasBody(self) and world.Game:PlayerCanRestart(self) then
		world.Game:TryRestartPlayer(self)
	end
end

-- The pawn is about to die or to go; called by the pawn.
function Controller:PawnDied(_)
	self:UnPossess()
end

return Controller
