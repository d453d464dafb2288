-- AIController: controls a pawn for the host. It presses keys as a player does: a brain writes them
-- (see Brain and Bot), or a child sends the pawn to places with MoveTo and lets it look at its Focus.
local steering = require("lib.steering")

local AIController = class("AIController", "Controller")

AIController.properties {
	Focus = ref("Actor"), -- what the pawn keeps looking at
	Goal = vector(0, 0, 0), -- where MoveTo goes
	bMoving = false, -- whether MoveTo is under way
	bHeldJump = false, -- true if the jump key was down in the last tick: a jump needs a new press
}

-- Creates the path follower that MoveTo uses.
function AIController:PreBeginPlay()
	self.legs = steering.new()
end

-- Sends the pawn to a place, along a path of the level; radius, in uu, is the distance that counts as arrived.
-- False if there is no path.
function AIController:MoveTo(place, radius)
	self.Goal = place
	self.bMoving = self.Pawn ~= nil and steering.Go(self.legs, self.Pawn, place, radius)
	return self.bMoving
end

-- Stops the pawn.
function AIController:StopMoving()
	self.bMoving = false
	steering.Stop(self.legs)
end

-- Whether the pawn has arrived, has given up, or was not sent anywhere.
function AIController:HasArrived()
	return not self.bMoving
end

-- On the server, every tick: writes the keys (PressKeys), turns changes into presses (HandleKeys) and moves
-- the pawn.
function AIController:Tick(dt)
	if self:PressKeys(dt) == false then
		return -- keys that were pressed stay pressed
	end
	self:HandleKeys()
	local pawn = self.Pawn
	if pawn and not pawn.bDeleteMe then
		self:MovePawn(pawn)
	end
end

-- Writes the keys for this tick: towards the goal of MoveTo, looking at Focus or along the path. Returns
-- false if no key has changed.
function AIController:PressKeys(_)
	local pawn = self.Pawn
	if not pawn then
		return
	end
	local x, y, jump, low = steering.Walk(self.legs, pawn)
	if self.bMoving and self.legs.status ~= "going" then
		self.bMoving = false
	end
	local look = vector(x, y, 0)
	if self.Focus then
		look = self.Focus.Location - pawn.Location
	end
	if look:Size() > 0.01 then
		self.ViewRotation = look:Rotation()
	end
	local forward, right = rotator(0, self.ViewRotation.Yaw, 0):Axes()
	self.aForward = math.max(-1, math.min(1, x * forward.X + y * forward.Y))
	self.aStrafe = math.max(-1, math.min(1, x * right.X + y * right.Y))
	self.bJump, self.bCrouch = jump, low or false
end

-- Turns the keys into the pawn's requested movement; its physics does the rest.
function AIController:MovePawn(pawn)
	local view = self.ViewRotation
	pawn:FaceRotation(view)
	if pawn.bCrouching ~= self.bCrouch then
		pawn:SetCrouching(self.bCrouch)
	end
	pawn.Acceleration = self:MoveDirection(view, pawn.Physics) * pawn.AccelRate
	if self.bJump and not self.bHeldJump then
		pawn:DoJump()
	end
	self.bHeldJump = self.bJump
end

return AIController
