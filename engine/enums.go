package engine

// NetMode says which kind of peer a world is (R1.5).
type NetMode uint8

// ORDER: netmodes. Scripts see these numbers as NM_*.
const (
	NMStandalone NetMode = iota
	NMDedicatedServer
	NMListenServer
	NMClient
	numNetModes
)

var netModeNames = [numNetModes]string{"NM_Standalone", "NM_DedicatedServer", "NM_ListenServer", "NM_Client"}

func (m NetMode) String() string { return enumName(netModeNames[:], int(m), "NetMode") }

// NetModeNames are the names in order of their numbers.
func NetModeNames() []string { return append([]string(nil), netModeNames[:]...) }

// Role says what a peer's copy of an actor is (R2.1). The order matters: None < SimulatedProxy <
// AutonomousProxy < Authority.
type Role uint8

// ORDER: roles. Scripts see these numbers as ROLE_*.
const (
	RoleNone Role = iota
	RoleSimulatedProxy
	RoleAutonomousProxy
	RoleAuthority
	numRoles
)

var roleNames = [numRoles]string{"ROLE_None", "ROLE_SimulatedProxy", "ROLE_AutonomousProxy", "ROLE_Authority"}

func (r Role) String() string { return enumName(roleNames[:], int(r), "Role") }

// RoleNames are the names in order of their numbers.
func RoleNames() []string { return append([]string(nil), roleNames[:]...) }

// Physics is the movement mode of an actor.
type Physics uint8

// ORDER: physics. Scripts see these numbers as PHYS_*.
const (
	PhysNone Physics = iota
	PhysWalking
	PhysFalling
	PhysFlying
	PhysProjectile
	PhysRotating
	PhysInterpolating
	PhysRigidBody
	PhysSwimming
	numPhysics
)

var physicsNames = [numPhysics]string{
	"PHYS_None", "PHYS_Walking", "PHYS_Falling", "PHYS_Flying", "PHYS_Projectile", "PHYS_Rotating",
	"PHYS_Interpolating", "PHYS_RigidBody", "PHYS_Swimming",
}

func (p Physics) String() string { return enumName(physicsNames[:], int(p), "Physics") }

// PhysicsNames are the names in order of their numbers.
func PhysicsNames() []string { return append([]string(nil), physicsNames[:]...) }

// Dormancy is whether an actor is skipped by the net update (R4.7).
type Dormancy uint8

// ORDER: dormancy. Scripts see these numbers as DORM_*.
const (
	DormNever Dormancy = iota
	DormAwake
	DormDormantAll
	DormInitial
	numDormancies
)

var dormancyNames = [numDormancies]string{"DORM_Never", "DORM_Awake", "DORM_DormantAll", "DORM_Initial"}

func (d Dormancy) String() string { return enumName(dormancyNames[:], int(d), "Dormancy") }

// DormancyNames are the names in order of their numbers.
func DormancyNames() []string { return append([]string(nil), dormancyNames[:]...) }

// NetCondition is a named replication condition (R5.7).
type NetCondition uint8

// ORDER: conditions. Scripts see these numbers as COND_*.
const (
	CondNone NetCondition = iota
	CondInitialOnly
	CondOwnerOnly
	CondSkipOwner
	CondSimulatedOnly
	CondAutonomousOnly
	CondSimulatedOrPhysics
	CondInitialOrOwner
	CondCustom
	CondReplayOrOwner
	CondReplayOnly
	CondSimulatedOnlyNoReplay
	CondSimulatedOrPhysicsNoReplay
	CondSkipReplay
	CondDynamic
	CondNever
	CondNetGroup
	numNetConditions
)

var netConditionNames = [numNetConditions]string{
	"COND_None", "COND_InitialOnly", "COND_OwnerOnly", "COND_SkipOwner", "COND_SimulatedOnly",
	"COND_AutonomousOnly", "COND_SimulatedOrPhysics", "COND_InitialOrOwner", "COND_Custom",
	"COND_ReplayOrOwner", "COND_ReplayOnly", "COND_SimulatedOnlyNoReplay",
	"COND_SimulatedOrPhysicsNoReplay", "COND_SkipReplay", "COND_Dynamic", "COND_Never", "COND_NetGroup",
}

func (c NetCondition) String() string { return enumName(netConditionNames[:], int(c), "NetCondition") }

// NetConditionNames are the names in order of their numbers.
func NetConditionNames() []string { return append([]string(nil), netConditionNames[:]...) }

// CallKind is where a replicated function runs (R6.1).
type CallKind uint8

// ORDER: callkinds.
const (
	CallLocal CallKind = iota // not replicated
	CallServer
	CallClient
	CallMulticast
	CallRemote
	numCallKinds
)

var callKindNames = [numCallKinds]string{"local", "server", "client", "multicast", "remote"}

func (k CallKind) String() string { return enumName(callKindNames[:], int(k), "CallKind") }

// Event is a function that the engine calls.
type Event uint8

// ORDER: events. The names are what scripts define.
const (
	EvPreBeginPlay Event = iota
	EvBeginPlay
	EvPostBeginPlay
	EvPostNetBeginPlay
	EvTick
	EvPlayerTick
	EvInputAction
	EvTimer
	EvTouch
	EvUnTouch
	EvBump
	EvHitWall
	EvLanded
	EvFalling
	EvBaseChange
	EvDestroyed
	EvTornOff
	EvReplicatedEvent
	EvTakeDamage
	EvPossessed
	EvUnPossessed
	EvBeginState
	EvEndState
	EvPushedState
	EvPoppedState
	EvPausedState
	EvContinuedState
	EvReloaded
	EvRestored
	EvHearNoise
	EvFellOutOfWorld
	EvEncroachedBy
	EvReachedDestination
	EvAttach
	EvDetach
	EvNotifyLocalPlayerTeamReceived
	EvIsNetRelevantFor
	EvAnimNotify
	EvAnimNotifyBegin
	EvAnimNotifyEnd
	EvMontageEnded
	EvAnimEnd
	EvTimelineEvent
	EvTimelineFinished
	EvRigidBodyCollision
	EvOnWakeRBPhysics
	EvOnSleepRBPhysics
	EvDrawHUD
	NumEvents
)

var eventNames = [NumEvents]string{
	"PreBeginPlay", "BeginPlay", "PostBeginPlay", "PostNetBeginPlay", "Tick", "PlayerTick", "InputAction", "Timer",
	"Touch", "UnTouch", "Bump", "HitWall", "Landed", "Falling", "BaseChange", "Destroyed", "TornOff",
	"ReplicatedEvent", "TakeDamage", "Possessed", "UnPossessed", "BeginState", "EndState",
	"PushedState", "PoppedState", "PausedState", "ContinuedState", "Reloaded", "Restored",
	"HearNoise", "FellOutOfWorld", "EncroachedBy", "ReachedDestination",
	"Attach", "Detach", "NotifyLocalPlayerTeamReceived", "IsNetRelevantFor",
	"AnimNotify", "AnimNotifyBegin", "AnimNotifyEnd", "MontageEnded", "AnimEnd", "TimelineEvent", "TimelineFinished",
	"RigidBodyCollision", "OnWakeRBPhysics", "OnSleepRBPhysics",
	"DrawHUD",
}

func (e Event) String() string { return enumName(eventNames[:], int(e), "Event") }

// EventNames are the names in order of their numbers.
func EventNames() []string { return append([]string(nil), eventNames[:]...) }

func enumName(names []string, i int, kind string) string {
	if i >= 0 && i < len(names) {
		return names[i]
	}
	return kind + "(?)"
}
