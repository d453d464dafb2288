-- PlayerController: the mind of a pawn that a person plays.
--
-- Before each tick the player's machine writes the keys into the variables below and calls PlayerTick.
-- Everything a player does begins here: PlayerMove turns keys into what the pawn wants, so a game with
-- other controls overrides one function.
local PlayerController = class("PlayerController", "Controller")

PlayerController.properties {
	-- Axes, -1 to 1.
	aForward = float(0, { min = -1, max = 1 }),
	aStrafe = float(0, { min = -1, max = 1 }), -- to the right
	aUp = float(0, { min = -1, max = 1 }),
	-- Keys held down.
	bJump = false,
	bFire = false,
	bAltFire = false,
	bCrouch = false,
	bRun = false,
	bAim = false,
	bReload = false,
	bUse = false,
	WeaponKey = int(0, { min = 0, max = 99 }), -- number of the weapon asked for, 0 for none
	ViewRotation = rotator(0, 0, 0), -- where the player looks

	bWasJump = false, -- the key was down in the last tick: a jump is one press
}

PlayerController.defaults {
	bOnlyRelevantToOwner = true,
	RemoteRole = ROLE_AutonomousProxy,
	NetPriority = 3.0,
}

-- Every tick, on the machine of the player, before anything else of the tick.
function PlayerController:PlayerTick(dt)
	self:PlayerMove(dt)
end

-- Turns the keys into movement of the pawn.
function PlayerController:PlayerMove(_)
	local pawn = self.Pawn
	local pressed = self.bJump and not self.bWasJump
	self.bWasJump = self.bJump
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

-- The direction the keys ask for, of a length of at most 1. On the ground and in the air it is level; who flies
-- goes where he looks.
function PlayerController:MoveDirection(view, physics)
	local forward, right, up
	if physics == PHYS_Flying then
		forward, right, up = view:Axes()
	else
		forward, right, up = rotator(0, view.Yaw, 0):Axes()
		up = up * 0
	end
	local wish = forward * self.aForward + right * self.aStrafe + up * self.aUp
	if wish:Size() > 1 then
		return wish:Normal()
	end
	return wish
end

-- Puts the player's own machine into a state, whatever it was in; the server's controller stays in its own (R7.3).
function PlayerController.client.reliable:ClientGotoState(name)
	self:GotoState(name)
end
PlayerController.params { ClientGotoState = { "" } }

-- Turns the player's view.
function PlayerController:ClientSetRotation(rotation)
	self.ViewRotation = rotation
	PlayerController.super.ClientSetRotation(self, rotation)
end

return PlayerController
