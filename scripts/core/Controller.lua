-- Controller: decides what a pawn does. The pawn is the body; a controller continues when its pawn is
-- replaced. The natives Possess and UnPossess connect and disconnect them.
local Controller = class("Controller", "Actor")

Controller.properties {
	Pawn = ref("Pawn"), -- the pawn it controls now
	PlayerReplicationInfo = ref("PlayerReplicationInfo"), -- what other players may know about the player or bot
	RespawnTime = float(0, { min = 0 }), -- server time in seconds of the next respawn, 0 if none is due
	bGodMode = false, -- its pawn takes no damage; the command god sets it
	brain = ref("Brain"), -- presses its keys; nil for a person

	-- The player's keys. The engine writes them before each tick on the player's machine (R9.0). A bot's
	-- brain writes the same fields, so that both play through the same functions.

	-- Axes, -1 to 1.
	aForward = float(0, { min = -1, max = 1 }),
	aStrafe = float(0, { min = -1, max = 1 }), -- to the right
	aUp = float(0, { min = -1, max = 1 }), -- upwards, for pawns that fly or swim
	-- Keys held down.
	bJump = false,
	bFire = false, -- first fire key
	bAltFire = false, -- second fire key
	bCrouch = false, -- crouch, or move down
	bRun = false, -- run
	bAim = false, -- aim
	bReload = false, -- reload the weapon
	bUse = false, -- use something nearby
	WeaponKey = int(0, { min = 0, max = 99 }), -- group number of the requested weapon, 0 for none
	ViewRotation = rotator(0, 0, 0), -- where the player looks
	HeldKeys = int(0, { min = 0, max = 65535 }), -- the keys that HandleKeys last saw held: a press is a change

	BrainClass = classref("Brain"), -- the class that presses the keys when no person does
}

Controller.defaults {
	BrainClass = "Brain",
	bHidden = true,
	RemoteRole = ROLE_None, -- controllers stay on the server; PlayerController changes that
}

-- Only the player's own machine receives their pawn and PlayerState; a controller does not replicate to
-- others.
Controller.replication {
	{ "Pawn", "RespawnTime", "bGodMode", when = COND_OwnerOnly },
	{ "PlayerReplicationInfo", when = COND_OwnerOnly, notify = true },
}

-- Sets the direction in which the pawn looks, after a respawn or a teleport. The server calls it, and it runs
-- on the machine that decides the view; for a bot that is the server itself.
function Controller.client.reliable:ClientSetRotation(rotation)
	if self.Pawn then
		self.Pawn:SetRotation(rotation)
	end
end
Controller.params { ClientSetRotation = { rotator(0, 0, 0) } }

-- Keys that act when they are pressed and released, by their bits in HeldKeys: the pawn's functions that they
-- call. Jumping and crouching are part of a move and therefore not listed.
local actions = {
	{ key = "bFire", bit = 1, press = "StartFire", release = "StopFire", argument = 0 },
	{ key = "bAltFire", bit = 2, press = "StartFire", release = "StopFire", argument = 1 },
	{ key = "bReload", bit = 4, press = "StartReload" },
	{ key = "bUse", bit = 8, press = "Use" },
}
local RUN, AIM, WEAPON = 16, 32, 64 -- further bits; the group number of the weapon is stored above them

-- Calls the functions of keys that were pressed or released since before, an earlier HeldKeys. Returns the
-- keys held now.
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

-- Turns key presses into actions of the pawn. It runs where the keys are written: on the player's own
-- machine, or on the server for a bot. The pawn informs the server where that is needed.
function Controller:HandleKeys()
	local pawn = self.Pawn
	if not pawn then
		self.HeldKeys = 0 -- keys held now count as pressed once there is a pawn
		return
	end
	local before = self.HeldKeys
	local held = (self.bFire and 1 or 0) + (self.bAltFire and 2 or 0)
		+ (self.bReload and 4 or 0) + (self.bUse and 8 or 0)
	if held ~= before % RUN then -- true in few ticks
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

-- Returns the direction that the keys request, with a length of at most 1. It is horizontal on the ground and
-- in the air; a pawn that flies or swims moves where it looks.
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

-- Lets a brain press the keys from now on; skill is 0 to 7. A bot has a brain from the start. On a player's
-- machine, host bots and host join --auto call this on their PlayerController.
function Controller:StartBrain(skill)
	if not self.brain then
		self.brain = self:AddComponent(self.BrainClass, "Brain")
		self.brain:Start(skill or 3)
	end
end

-- Gives the keys back to the player.
function Controller:StopBrain()
	if self.brain then
		self.brain:Destroy()
		self.brain = nil
	end
end

-- Returns the seconds in total in which its brain was stuck; 0 without a brain.
function Controller:GetStuckSeconds()
	return self.brain and self.brain:GetStuckSeconds() or 0
end

-- Called for a noise within earshot of the pawn.
function Controller:HearNoise(loudness, maker)
	if self.brain then
		self.brain:HearNoise(loudness, maker)
	end
end

-- On the server, some time after a death (GameInfo.RespawnDelay): starts the next life.
function Controller:Respawn()
	self.RespawnTime = 0
	if not world.Game:HasBody(self) and world.Game:PlayerCanRestart(self) then
		world.Game:TryRestartPlayer(self)
	end
end

-- Called by the pawn when it is about to die or to be destroyed.
function Controller:PawnDied(_)
	self:UnPossess()
end

return Controller
