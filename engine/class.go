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

// SlotKey hashes what a later set keeps from this one: names of classes and variables, and their slots. Sets
// built from equal specs after sets with equal keys are equal.
func (cs *Classes) SlotKey() [32]byte { return cs.slotKey }

// Dispatches returns the number of dispatch tables; [Dispatch.Index] numbers them.
func (cs *Classes) Dispatches() int { return cs.dispatches }

// Derive returns data computed once from the set for all users, on any goroutine: for example the network
// side's numbers, which the engine does not know. The first caller's function computes it, and must not depend
// on the caller.
func (cs *Classes) Derive(make func() any) any {
	cs.once.Do(func() { cs.derived = make() })
	return cs.derived
}

// Find returns the class of that name, or nil. It also finds the field's aliases (GameMode, GameState,
// PlayerState).
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
	Index  int // in [Classes.All]; class references are stored as Index+1

	// Properties are the declared and native variables, inherited ones first.
	Properties []*Property
	// Replicated are the properties named in a replication block, in the order of their numbers.
	Replicated []*Property
	// Functions are all functions by name, inherited ones included.
	Functions map[string]*Function
	// States are all states by name, inherited ones included.
	States map[string]*State
	// Components are the static components, inherited ones first.
	Components []ComponentSpec
	// MoveVars are the variables by which instances take part in the moves of a player, inherited ones first;
	// JoinsMoves is set if the class or a parent declares .moves, even without variables.
	MoveVars   []MoveVar
	JoinsMoves bool
	// AutoState is the state an actor starts in, or nil.
	AutoState *State
	// Looks defines how instances appear, opaque here; nil if neither the class nor a parent defines it. The
	// code that reads the class files sets it, with Function.Cued, before anybody else has the set.
	Looks Looks
	// Actions are those that the class and its parents declare (W4.3), the parents' first; set as Looks is.
	Actions []Action

	// Dispatch is the table of functions outside of any state.
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
	stateful           bool // a condition reads more than the actor's variables, such as its state

	// Properties that physics sets, so that it need not look them up by name.
	location, rotation, velocity, physics, base *Property
}

// Looks defines how the instances of a class appear (W3.1); package look implements it.
type Looks interface {
	// Wants reports whether viewers need an animation notify, an event or a function of that name.
	Wants(name string) bool
}

// classKind marks the base classes that the engine treats specially; a child has its parent's bits.
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

// Property returns the variable of that name, or nil.
func (c *Class) Property(name string) *Property { return c.byName[name] }

// Slots is the highest script slot that any property of the class has, or had before a reload.
func (c *Class) Slots() int { return c.slots }

// BySlot lists the declared variables by slot, nil for unused slots; slot 0 is never used. It must not be
// changed.
func (c *Class) BySlot() []*Property { return c.bySlot }

// Set returns the set of classes that the class belongs to.
func (c *Class) Set() *Classes { return c.set }

// DefaultWords returns the class's default of a declared property in its stored form.
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
	Class *Class // the class that declares it
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
	// Judge is a function of one parameter whose validator checks values that a client sends for the variable
	// (R5.16), or nil.
	Judge *Function
	// Persistent says that a player's profile keeps it (C2): only PlayerReplicationInfo and its children have such.
	Persistent bool

	word, str, fast int
	watch           marks // what a change of it marks; see Classes.Watch
}

// Word returns the offset of the variable in an actor's words.
func (p *Property) Word() int { return p.word }

// Str returns the offset of the variable in an actor's strings.
func (p *Property) Str() int { return p.str }

// Rule is one rule of a replication block, resolved.
type Rule struct {
	*RuleSpec
	Class *Class
	Props []*Property
	// Upstream is set if the condition requires Role < ROLE_Authority: the owner sends to the server (R5.16).
	Upstream bool
	Index    int // in the set of classes
}

// Function is a function of a class or of a state, resolved.
type Function struct {
	Spec      *FunctionSpec
	Name      string
	Class     *Class // the class that defines this body
	State     string // "" outside states
	Simulated bool
	Kind      CallKind
	Reliable  bool
	// Params are the types of the arguments; a replicated function has all of them.
	Params []Param
	Pos    Pos
	// Script and Validator are the bodies, opaque here.
	Script, Validator any
	// ValidatorClass is the class that defines the validator.
	ValidatorClass *Class
	// Cued is set if the looks of any class with the function name it in `on`: see [Actor.Cue].
	Cued bool
}

// State is a state of a class with everything inherited resolved (R7.2).
type State struct {
	Name      string
	Class     *Class // the class of this resolution
	Simulated bool
	// Parents are the names of the states it extends, nearest first.
	Parents []string
	// Code is the latent code, opaque here, nil where there is none; CodeClass defines it.
	Code      any
	CodeClass *Class
	// CodeState is the state of CodeClass that defines the code: this one or one it extends.
	CodeState string
	// Dispatch is the table of functions in this state.
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

// Dispatch is the table of functions that run on an actor of one class in one state.
//
// Invariant: Event[e] == Functions[e.String()], and neither holds an ignored name.
type Dispatch struct {
	Class     *Class
	State     *State // nil outside states
	Event     [NumEvents]*Function
	Functions map[string]*Function
	// Ignored names do nothing in this state.
	Ignored map[string]bool
	// Index numbers the dispatches of a set of classes, from 0, so that the script side can keep data in a
	// slice.
	Index int
}

// known is a variable that base classes declare in Lua and the engine reads by name, so that scripts can
// declare physics parameters like any other.
type known uint8

// MoveVar is a variable by which instances of a class take part in moves.
type MoveVar struct {
	Prop *Property
	Use  MoveUse
	// Pos is where the .moves block of Class names it.
	Pos   Pos
	Class *Class
}

// NativeProperty is a variable of the engine's own: it is stored in [Vars] and accessed by methods, because
// setting it has effects (moving, re-hashing, changing an owner).
type NativeProperty struct {
	Name string
	Type *Type
	// Doc is one line for the reference that is generated from this table.
	Doc string

	roots    uint8 // which NativeRoots have it, a bit each
	readOnly bool
	get      func(*Actor) Value
	// put stores a checked value without side effects: for defaults, undo and replication.
	put func(*Actor, Value)
	// set, if not nil, replaces put for a script's assignment.
	set func(*Actor, Value) error
	// ID is the index in NativeProperties.
	ID int

	// One of these reads it in its stored form (storage.go), by its type: one word, a vector, a string.
	word func(*Actor) uint64
	vec  func(*Actor) *vec
	text func(*Actor) string
	// flag and real return the address of a bool or a float, nil for a value that is computed.
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

// PropertyNames returns the names of all variables, native ones first.
func (c *Class) PropertyNames() []string {
	names := make([]string, len(c.Properties))
	for i, p := range c.Properties {
		names[i] = p.Name
	}
	return names
}

// ReadOnly reports whether scripts may not set it.
func (n *NativeProperty) ReadOnly() bool { return n.readOnly }

// IsPlace reports whether the variable is a vector that is a location; other vectors are velocities or
// strengths.
func (n *NativeProperty) IsPlace() bool { return n.Name == "Location" || n.Name == "RelativeLocation" }

// Read returns the variable's value on an actor.
func (n *NativeProperty) Read(a *Actor) Value { return n.get(a) }

// Stored returns the function that reads the variable in its stored form (storage.go): a vector, a string, or,
// for all other types, one word. The other two are nil.
func (n *NativeProperty) Stored() (word func(*Actor) uint64, vector func(*Actor) *vec, text func(*Actor) string) {
	return n.word, n.vec, n.text
}

// Pointers returns the functions that give the address of a bool or a float, for frequent reads; both are nil
// for other variables.
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
