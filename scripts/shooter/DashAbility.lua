-- DashAbility: a component that lets its pawn leap in its running direction. The pawn decides which key
-- requests it: ShooterPawn:StartFire.
--
-- It shows an action that a key starts once and that the player's machine predicts (R9.9): the press goes
-- into the next move, the state that the dash depends on is part of the move's state, and random numbers come
-- from the move. The player's machine and the server run the same lines and agree.
local DashAbility = class("DashAbility", "ActorComponent")

DashAbility.properties {
	Speed = float(850, { min = 0 }), -- uu/s
	Lift = float(170, { min = 0 }), -- uu/s upwards
	Stray = float(3, { min = 0, max = 45 }), -- degrees to either side by which chance turns a dash
	Interval = int(1500, { min = 0, max = 60000 }), -- ms between two dashes

	bDash = false, -- the key was pressed: the next move carries it, then it is false again
	Wait = int(0, { min = 0, max = 60000 }), -- ms until the next dash
}

DashAbility.moves { presses = { "bDash" }, state = { "Wait" } }

-- A component is not visible, but it may have effects: they are shown at its pawn.
DashAbility.looks { on = { Dash = "effects/dash.toml" } }

-- The key was pressed, on the player's machine or for a bot on the server. A player's next move carries it. A
-- bot on the server makes no moves, so it dashes at once.
function DashAbility:Press()
	local mind = self:GetOwner().Controller
	if mind and mind:IsA("PlayerController") then
		self.bDash = true
	elseif self:GetDistance() > 0 then
		self.readyAt = world.TimeSeconds + self.Interval / 1000
		self:Dash(math.random())
	end
end

-- Performs a move: on the player's machine, on the server, and again after a correction.
function DashAbility:ProcessMove(move)
	self.Wait = math.max(0, self.Wait - math.floor(move.Delta * 1000 + 0.5))
	if self.bDash and self.Wait == 0 then
		self.Wait = self.Interval
		self:Dash(self:GetOwner().Controller:MoveRandom(1))
	end
end

-- Leaps in the running direction, or in the direction of the view if the pawn stands. chance, from 0 to 1,
-- turns it.
function DashAbility:Dash(chance)
	local pawn = self:GetOwner()
	local way = pawn.Acceleration:With{ Z = 0 }
	local yaw = (way:Size() > 0 and way:Rotation() or pawn.Rotation).Yaw
	yaw = math.floor(yaw + (chance * 2 - 1) * self.Stray * 65536 / 360)
	pawn.Velocity = rotator(0, yaw % 65536, 0):Vector() * self.Speed + vector(0, 0, self.Lift)
	pawn:SetPhysics(PHYS_Falling)
	if self:HasAuthority() then
		pawn:PlaySound("sounds/jump.toml")
	end
end

-- Returns how far a dash carries over level ground now, in uu; 0 while none is possible. Brains call it.
function DashAbility:GetDistance()
	local pawn = self:GetOwner()
	local due = self.Wait == 0 and world.TimeSeconds >= (self.readyAt or 0)
	local stands = pawn.Physics == PHYS_Walking and not pawn.bCrouching
	local fall = -world.Gravity * pawn.GravityScale
	if not due or not stands or fall <= 0 then
		return 0
	end
	return self.Speed * 2 * self.Lift / fall
end

return DashAbility
