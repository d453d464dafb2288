package engine

import "sync"

// Classes is a consistent set of classes: every parent, type and default has been checked. It is
// immutable once built, and any number of worlds may share it; a reload builds another and hands it to [World.Reclass].
type Classes struct {
	byName     map[string]*Class
	sorted     []*Class // parents before children, then by name
	rules      int
	dispatches int
	slotKey    [32]byte

	once    sync.Once
	derived any
}

// SlotKey stands for what a later set takes over from this one: names of classes and variables, and their slots. Sets that
// are built of the same specs behind sets of the same key are the same.
func (cs *Classes) SlotKey() [32]byte { return cs.slotKey }

// Dispatches is how many tables of functions there are; each has its place by [Dispatch.Index].
func (cs *Classes) Dispatches() int { return cs.dispatches }

// Derive gives what is made of the set once for all who share it, on whatever goroutine they are: the network side's
// numbers, which the engine knows nothing of. The first caller's function makes it, and it must not depend on who calls.
func (cs *Classes) Derive(make func() any) any {
	cs.once.Do(func() { cs.derived = make() })
	return cs.derived
}

// Find is the class of that name, or nil. Aliases of the field (GameMode, GameState, PlayerState) are found too.
func (cs *Classes) Find(name string) *Class {
	if c := cs.byName[name]; c != nil {
		return c
	}
	if alias, ok := classAliases[name]; ok {
		return cs.byName[alias]
	}
	return nil
}

// classAliases are the newer names of three base classes (R8.1, R8.6).
var classAliases = map[string]string{
	"GameMode":    "GameInfo",
	"GameState":   "GameReplicationInfo",
	"PlayerState": "PlayerReplicationInfo",
}

// CanonicalClass turns an alias into the class's own name and leaves every other name alone.
func CanonicalClass(name string) string {
	if a, ok := classAliases[name]; ok {
		return a
	}
	return name
}

// All lists the classes, parents before children.
func (cs *Classes) All() []*Class { return cs.sorted }

// Class is one class as data. All fields are read-only after [BuildClasses].
type Class struct {
	Name   string
	Parent *Class
	Spec   *ClassSpec
	Index  int // in [Classes.All]; class references are held as Index+1

	// Properties are the declared and native variables, inherited ones first.
	Properties []*Property
	// Replicated are the properties that stand in a replication block, in the order of their numbers.
	Replicated []*Property
	// Functions are all functions by name, inherited ones included.
	Functions map[string]*Function
	// States are all states by name, inherited ones included.
	States map[string]*State
	// Components are the static components, inherited ones first.
	Components []ComponentSpec
	// MoveVars are the variables by which instances take part in the moves of a player, inherited ones first; JoinsMoves
	// is set where the class or a parent declares that they do, be it without variables.
	MoveVars   []MoveVar
	JoinsMoves bool
	// AutoState is the state an actor starts in, or nil.
	AutoState *State
	// Looks is how instances appear, opaque here; nil where neither the class nor a parent says so. The code that reads the class files sets
	// it, with Function.Cued, before anybody else has the set.
	Looks Looks
	// Actions are those that the class and its parents declare (W4.3), the parents' first; set as Looks is.
	Actions []Action

	// Dispatch is what is called outside any state.
	Dispatch *Dispatch

	set    *Classes
	byName map[string]*Property
	depth  int
	native NativeRoot
	kind   classKind

	words, strs, fasts int // storage an actor needs
	slots              int // highest script slot
	bySlot             []*Property
	defWords           []uint64
	defStrs            []string
	defVars            Vars
	known              [numKnown]*Property
	stateful           bool // a condition looks at more than the actor's variables: its state, say

	// What physics sets, so that it need not be looked up by name.
	location, rotation, velocity, physics, base *Property
}

// Looks is how the instances of a class appear (W3.1); package look has it. The engine asks one thing of it.
type Looks interface {
	// Wants reports whether viewers are to be told of an animation notify, an event or a function of that name.
	Wants(name string) bool
}

// classKind marks the base classes that the engine treats on their own; a child has its parent's bits.
type classKind uint16

const (
	kindController classKind = 1 << iota
	kindPlayerController
	kindPawn
	kindInfo
	kindGameInfo
	kindComponent
	kindMover
	kindProjectile
	kindGameState
	kindVolume
)

var kindOfClass = map[string]classKind{
	"Controller":       kindController,
	"PlayerController": kindPlayerController,
	"Pawn":             kindPawn,
	"Info":             kindInfo,
	"GameInfo":         kindGameInfo,
	"ActorComponent":   kindComponent,
	"Mover":            kindMover,
	"Projectile":       kindProjectile,
	"PhysicsVolume":    kindVolume,

	"GameReplicationInfo": kindGameState,
}

// IsA reports whether the class is, or descends from, the class of that name.
func (c *Class) IsA(name string) bool {
	name = CanonicalClass(name)
	for ; c != nil; c = c.Parent {
		if c.Name == name {
			return true
		}
	}
	return false
}

// IsComponent reports whether instances live inside an actor (R5.20).
func (c *Class) IsComponent() bool { return c.kind&kindComponent != 0 }

// IsPawn reports whether the class descends from Pawn.
func (c *Class) IsPawn() bool { return c.kind&kindPawn != 0 }

// IsController reports whether the class descends from Controller.
func (c *Class) IsController() bool { return c.kind&kindController != 0 }

// IsPlayerController reports whether the class descends from PlayerController.
func (c *Class) IsPlayerController() bool { return c.kind&kindPlayerController != 0 }

// Property is the variable of that name, or nil.
func (c *Class) Property(name string) *Property { return c.byName[name] }

// Slots is the highest script slot that any property of the class has, or had before a reload.
func (c *Class) Slots() int { return c.slots }

// BySlot lists the declared variables by slot, nil where the class has none; slot 0 is nobody's. It must not be changed.
func (c *Class) BySlot() []*Property { return c.bySlot }

// Set is the set of classes that the class belongs to.
func (c *Class) Set() *Classes { return c.set }

// DefaultWords are the class's defaults of a declared property as they are stored.
func (c *Class) DefaultWords(p *Property) []uint64 {
	return c.defWords[p.word : p.word+p.Type.words]
}

func (c *Class) String() string { return c.Name }

// Mod is the mod that declares the class, "" for core and the game (docs/rules.md, G).
func (c *Class) Mod() string { return c.Spec.Mod }

// Property is a typed variable of a class.
type Property struct {
	Name  string
	Type  *Type
	Class *Class // that declares it
	Pos   Pos
	// Native is set for the engine's own variables, which live in [Vars].
	Native *NativeProperty
	// Slot is the script's number for a declared variable, from 1; it stays the same over reloads.
	// 0 for native ones.
	Slot int
	// Rep is the number among the class's replicated variables, or −1.
	Rep int
	// Rule is the replication rule that names the variable, or nil.
	Rule *Rule
	// Judge is a function of one parameter whose validator judges what a client sends of the variable (R5.16), or nil.
	Judge *Function

	word, str, fast int
	watch           marks // what a change of it marks; see Classes.Watch
}

// Word is the offset of the variable in an actor's words.
func (p *Property) Word() int { return p.word }

// Str is the offset of the variable in an actor's strings.
func (p *Property) Str() int { return p.str }

// Rule is one rule of a replication block, resolved.
type Rule struct {
	*RuleSpec
	Class *Class
	Props []*Property
	// Upstream is set where the condition requires Role < ROLE_Authority: owner to server (R5.16).
	Upstream bool
	Index    int // in the set of classes
}

// Function is a function of a class or of a state, resolved.
type Function struct {
	Spec      *FunctionSpec
	Name      string
	Class     *Class // that defines this body
	State     string // "" outside states
	Simulated bool
	Kind      CallKind
	Reliable  bool
	// Params are the arguments: of a replicated function, all of them.
	Params []Param
	Pos    Pos
	// Script and Validator are the bodies, opaque here.
	Script, Validator any
	// ValidatorClass is the class that defines the validator.
	ValidatorClass *Class
	// Cued is set where the looks of some class that has the function name it in `on`: see [Actor.Cue].
	Cued bool
}

// State is a state of a class with everything inherited resolved (R7.2).
type State struct {
	Name      string
	Class     *Class // the class this resolution is for
	Simulated bool
	// Parents are the names of the states it extends, nearest first.
	Parents []string
	// Code is the latent code, opaque here, nil where there is none; CodeClass defines it.
	Code      any
	CodeClass *Class
	// CodeState is the state of CodeClass that has the code: this one or one it extends.
	CodeState string
	// Dispatch is what is called in this state.
	Dispatch *Dispatch
}

// Is reports whether the state is, or extends, the one of that name.
func (s *State) Is(name string) bool {
	if s == nil {
		return false
	}
	if s.Name == name {
		return true
	}
	for _, p := range s.Parents {
		if p == name {
			return true
		}
	}
	return false
}

// Dispatch is the table of what is called on an actor of one class in one state.
//
// Invariant: Event[e] == Functions[e.String()], and neither holds an ignored name.
type Dispatch struct {
	Class     *Class
	State     *State // nil outside states
	Event     [NumEvents]*Function
	Functions map[string]*Function
	// Ignored names do nothing in this state.
	Ignored map[string]bool
	// Index counts the dispatches of a set of classes, from 0: a place for a slice of the script side's own.
	Index int
}

// known is a variable that base classes declare in Lua and the engine reads by name, so that physics
// parameters stand in scripts like any other.
type known uint8

// MoveVar is a variable by which instances of a class take part in moves.
type MoveVar struct {
	Prop *Property
	Use  MoveUse
	// Pos is where the class names it in its .moves block, Class is that class.
	Pos   Pos
	Class *Class
}

// NativeProperty is a variable of the engine's own: it lives in [Vars] and is read and written by
// methods, because setting it means something (moving, re-hashing, changing an owner).
type NativeProperty struct {
	Name string
	Type *Type
	// Doc is one line for the reference that is made from this table.
	Doc string

	roots    uint8 // which NativeRoots have it, a bit each
	readOnly bool
	get      func(*Actor) Value
	// put stores a checked value with no consequence: defaults, undo, replication.
	put func(*Actor, Value)
	// set, where not nil, is what a script's assignment does instead of put.
	set func(*Actor, Value) error
	// ID is the property's place in NativeProperties.
	ID int

	// One of these reads it as it is stored (storage.go), by its type: one word, a vector, a string.
	word func(*Actor) uint64
	vec  func(*Actor) *vec
	text func(*Actor) string
	// flag and real are where a bool or a float of its own stands, nil for one that does not stand anywhere.
	flag func(*Actor) *bool
	real func(*Actor) *float64
}

// ORDER: known.
const (
	knGroundSpeed known = iota
	knAirSpeed
	knAccelRate
	knAirControl
	knJumpZ
	knMaxStepHeight
	knGravityScale
	knEyeHeight
	knSpeed
	knMaxSpeed
	knBounce
	knController
	knPawn
	knPlayerReplicationInfo
	knAForward
	knAStrafe
	knAUp
	knBJump
	knBFire
	knBAltFire
	knBCrouch
	knBRun
	knBAim
	knBReload
	knBUse
	knWeaponKey
	knViewRotation
	knDestination
	knMoveSpeed
	knCanFly
	knGroundFriction
	knEncroachType
	knEncroachDamage
	knViewTarget
	knReplicatedMontage
	knRootMotionVelocity
	knAnimTickOption
	knMass
	knBodyShape
	knBodyExtent
	knBodyLift
	knFriction
	knRestitution
	knLinearDamping
	knAngularDamping
	knGenerateHitEvents
	knStartAsleep
	knRigidBodyState
	knCrouching
	knRunning
	knAiming
	knCrouchedPct
	knWaterSpeed
	knBuoyancy
	knGravityZ
	knZoneVelocity
	knFluidFriction
	knWaterVolume
	knPriority
	knRunningSpeedModifier
	knTargetingSpeedModifier
	numKnown
)

var knownNames = [numKnown]string{
	"GroundSpeed", "AirSpeed", "AccelRate", "AirControl", "JumpZ", "MaxStepHeight", "GravityScale",
	"EyeHeight", "Speed", "MaxSpeed", "Bounce", "Controller", "Pawn", "PlayerReplicationInfo",
	"aForward", "aStrafe", "aUp", "bJump", "bFire", "bAltFire", "bCrouch", "bRun", "bAim", "bReload",
	"bUse", "WeaponKey", "ViewRotation", "Destination", "MoveSpeed", "bCanFly",
	"GroundFriction", "EncroachType", "EncroachDamage", "ViewTarget",
	"ReplicatedMontage", "RootMotionVelocity", "AnimTickOption",
	"Mass", "BodyShape", "BodyExtent", "BodyLift", "Friction", "Restitution", "LinearDamping", "AngularDamping",
	"bGenerateHitEvents", "bStartAsleep", "RigidBodyState",
	"bCrouching", "bRunning", "bAiming", "CrouchedPct",
	"WaterSpeed", "Buoyancy", "GravityZ", "ZoneVelocity", "FluidFriction", "bWaterVolume", "Priority",
	"RunningSpeedModifier", "TargetingSpeedModifier",
}

// PropertyNames are the names of all variables, native ones first.
func (c *Class) PropertyNames() []string {
	names := make([]string, len(c.Properties))
	for i, p := range c.Properties {
		names[i] = p.Name
	}
	return names
}

// ReadOnly reports whether scripts may not set it.
func (n *NativeProperty) ReadOnly() bool { return n.readOnly }

// IsPlace reports whether the variable is a vector that says where something is; other vectors say how fast or how strong.
func (n *NativeProperty) IsPlace() bool { return n.Name == "Location" || n.Name == "RelativeLocation" }

// Read is the variable's value on an actor.
func (n *NativeProperty) Read(a *Actor) Value { return n.get(a) }

// Stored is what reads the variable as it is stored (storage.go): a vector, a string, or, for all other types, one word. The
// other two are nil.
func (n *NativeProperty) Stored() (word func(*Actor) uint64, vector func(*Actor) *vec, text func(*Actor) string) {
	return n.word, n.vec, n.text
}

// Pointers is what finds a bool or a float where it stands, for those who read it often; both are nil for other variables.
func (n *NativeProperty) Pointers() (flag func(*Actor) *bool, real func(*Actor) *float64) {
	return n.flag, n.real
}

// Descends reports whether the class is, or is a child of, another of the same set.
func (c *Class) Descends(of *Class) bool {
	for c != nil && c.depth > of.depth {
		c = c.Parent
	}
	return c == of
}
