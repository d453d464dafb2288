-- JetPack: a component that lifts its pawn while its player holds the key to rise (aUp; J in host join). Fuel
-- refills on its own. Bots do not hold that key, so they do not use it.
--
-- It shows an ability that lasts as long as a key is held (R9.9). Any number of such components can be on one
-- pawn: the loader gives each its position in a move, here next to DashAbility.
local JetPack = class("JetPack", "ActorComponent")

JetPack.properties {
	Thrust = float(1.3, { min = 1, max = 10 }), -- thrust as a multiple of its pawn's weight
	BurnTime = float(0.8, { min = 0.1, max = 60 }), -- seconds that a full tank lasts
	RefillTime = float(4, { min = 0.1, max = 60 }), -- seconds from an empty tank to a full one
	Restart = float(0.25, { min = 0, max = 1 }), -- share of a tank without which it does not start

	bThrust = false, -- the key is held: every move carries it
	Fuel = float(1, { min = 0, max = 1 }), -- share of a full tank
	bBurning = false, -- it lifts the pawn
}

JetPack.moves { flags = { "bThrust" }, state = { "Fuel", "bBurning" } }

-- Called when a move is created, on the player's machine: the move carries the key.
function JetPack:FillMove(_)
	local pawn = self:GetOwner()
	local moves = pawn.Physics == PHYS_Walking or pawn.Physics == PHYS_Falling
	local mind = pawn.Controller -- nil while its player drives a vehicle
	self.bThrust = moves and mind ~= nil and mind.aUp > 0
end

-- Performs a move: on the player's machine, on the server, and again after a correction.
function JetPack:ProcessMove(move)
	local pawn = self:GetOwner()
	local burned = self.bBurning
	self:SetBurning(self.bThrust and self.Fuel > (burned and 0 or self.Restart))
	move.bJetSwitched = self.bBurning ~= burned
	if self.bBurning and pawn.Physics == PHYS_Walking then
		pawn:SetPhysics(PHYS_Falling)
	end
	local change = self.bBurning and -move.Delta / self.BurnTime or move.Delta / self.RefillTime
	self.Fuel = math.max(0, math.min(1, self.Fuel + change))
end

-- When it starts or stops, the result depends on the exact end of the move: the server must not miss it.
function JetPack:IsImportantMove(move, next)
	return move.bJetSwitched or next.bJetSwitched
end

-- Lifts by reversing the pawn's weight, so that physics integrates the thrust exactly for every length of a
-- move. Calls JetSwitched(on) of a pawn that has such a function.
function JetPack:SetBurning(on)
	local pawn = self:GetOwner()
	self.bBurning = on
	local weight = world:DefaultOf(pawn:GetClass(), "GravityScale")
	pawn.GravityScale = on and weight * (1 - self.Thrust) or weight
	if pawn.JetSwitched then
		pawn:JetSwitched(on)
	end
end

return JetPack
