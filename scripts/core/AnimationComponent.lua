-- AnimationComponent: animates a pawn while no montage plays: standing, walking, running, falling and
-- landing. It is a state machine of simulated states, which runs on each machine with a view. The states
-- follow only from the pawn's Physics, Velocity and flags, so nothing is replicated (R12.7). A pawn class
-- adds it with
--   Hero.components { Animation = "AnimationComponent" }
-- A child class adds states or other animations.
local AnimationComponent = class("AnimationComponent", "ActorComponent")

AnimationComponent.properties {
	-- A blend space over speed along the ground, in uu/s.
	GroundSpace = str("animations/locomotion.toml", { max = 64 }),
	FallAnim = str("animations/fall.toml", { max = 64 }), -- while the pawn falls
	LandAnim = str("animations/land.toml", { max = 64 }), -- when the pawn lands
	LandSpeed = float(300, { min = 0 }), -- uu/s downwards; a slower landing is not shown

	-- State for viewers.
	Phase = float(0), -- phase of the step, 0 to 1, shared by all blended animations
	Leader = str("", { max = 64 }), -- the animation with the greatest weight
}

AnimationComponent.state("Grounded", { simulated = true })
AnimationComponent.state("Airborne", { simulated = true })
AnimationComponent.state("Landing", { simulated = true, extends = "Grounded" })
AnimationComponent.auto_state = "Grounded"

-- Disables Tick on a dedicated server that runs only montages (AnimTickOption).
function AnimationComponent.simulated:PostNetBeginPlay()
	if world.NetMode == NM_DedicatedServer and self:GetOwner().AnimTickOption == "montage_only" then
		self:SetTickEnabled(false) -- nobody sees the pawn
	end
end

-- Chooses the state and lets that state animate the pawn.
function AnimationComponent.simulated:Tick(dt)
	local pawn = self:GetOwner()
	local name = self:ChooseState(pawn)
	if name ~= self:GetStateName() then
		self:GotoState(name)
	end
	self.fallSpeed = pawn.Physics == PHYS_Falling and -pawn.Velocity.Z or 0
	self:Animate(pawn, dt)
end

-- Returns the name of the state that fits what the pawn does. A child class considers more: crouching,
-- swimming, the item in the hand.
function AnimationComponent.simulated:ChooseState(pawn)
	if pawn.Physics == PHYS_Falling then
		return "Airborne"
	elseif self:IsInState("Airborne") and (self.fallSpeed or 0) > self.LandSpeed then
		return "Landing"
	elseif self:IsInState("Landing") and self:GetTimerLeft("Landed") then
		return "Landing"
	end
	return "Grounded"
end

-- Animates the pawn for one tick; every state overrides it.
function AnimationComponent.simulated:Animate(_, _) end

-- Returns the weights of the animations now: a table by name, whose sum is 1.
function AnimationComponent.simulated:GetWeights()
	return self.weights or {}
end

-- On the ground: blends by speed. The animation with the greatest weight leads, and its notifies are the
-- footsteps that are heard.
function AnimationComponent.state.Grounded.simulated:Animate(pawn, dt)
	local speed = pawn.Velocity:Size2D()
	self.weights = world:BlendWeights(self.GroundSpace, speed) or {}
	local phase, leader = world:SyncPhase(self.Phase, dt, self.weights)
	self.Phase = phase
	if not leader then
		return
	end
	if leader ~= self.Leader then
		self.Leader = leader
		pawn:LoopAnim(leader)
		pawn:SetAnimPosition(phase * world:AnimLength(leader)) -- in phase with the animation before
	end
end

function AnimationComponent.state.Airborne.simulated:BeginState(_)
	local pawn = self:GetOwner()
	self.weights, self.Leader = { [self.FallAnim] = 1 }, self.FallAnim
	pawn:LoopAnim(self.FallAnim)
end

function AnimationComponent.state.Landing.simulated:BeginState(_)
	local pawn = self:GetOwner()
	self.weights, self.Leader = { [self.LandAnim] = 1 }, self.LandAnim
	self:SetTimer(math.max(0.01, pawn:PlayAnim(self.LandAnim)), false, "Landed")
end

-- A pawn that keeps running ends the landing early.
function AnimationComponent.state.Landing.simulated:Animate(pawn, _)
	if pawn.Velocity:Size2D() > 100 then
		self:ClearTimer("Landed")
	end
end

-- The landing animation has ended: the next tick chooses a state again.
function AnimationComponent.simulated:Landed() end

return AnimationComponent
