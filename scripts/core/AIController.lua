-- AIController: the mind of a pawn that the host plays. A child decides in its states' Code; this class
-- has what all of them need: going to a place and facing one.
local AIController = class("AIController", "Controller")

AIController.properties {
	Focus = ref("Actor"), -- what the pawn keeps looking at
	Goal = vector(0, 0, 0), -- where MoveTo goes
	bMoving = false,
	AcceptRadius = float(40, { min = 1 }), -- uu; nearer than this counts as there
}

-- Sends the pawn straight to a place; it walks there by itself. There is no way-finding here.
function AIController:MoveTo(place, radius)
	self.Goal = place
	self.AcceptRadius = radius or 40
	self.bMoving = true
end

-- Lets the pawn stand.
function AIController:StopMoving()
	self.bMoving = false
	if self.Pawn then
		self.Pawn.Acceleration = vector()
	end
end

-- Whether the pawn has come to the place it was sent to, or was not sent anywhere.
function AIController:HasArrived()
	return not self.bMoving
end

function AIController:Tick(_)
	local pawn = self.Pawn
	if not pawn then
		return
	end
	if self.Focus then
		pawn:FaceRotation((self.Focus.Location - pawn.Location):Rotation())
	end
	if not self.bMoving then
		return
	end
	local way = self.Goal - pawn.Location
	if way:Size2D() <= self.AcceptRadius then
		self:StopMoving()
		return
	end
	local direction = way:With{ Z = 0 }:Normal()
	pawn.Acceleration = direction * pawn.AccelRate
	if not self.Focus then
		pawn:FaceRotation(direction:Rotation())
	end
end

return AIController
