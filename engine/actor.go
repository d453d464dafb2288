package engine

import (
	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/engine/geom"
)

// Vars are the variables that every actor has and the engine itself works with; scripts see them under
// the same names. What a field means stands in docs/lua-api.md, made from [NativeProperty.Doc].
type Vars struct {
	Location     geom.Vector
	Rotation     geom.Rotator
	Velocity     geom.Vector
	Acceleration geom.Vector
	// RotationRate is in rotator units a second, signed: Physics Rotating turns by it.
	RotationRate geom.Rotator

	Owner, Instigator, Base ActorID

	CollisionRadius, CollisionHeight float64

	NetPriority, NetUpdateFrequency, MinNetUpdateFrequency, NetCullDistance float64

	SoundRadius, DrawScale float64
	AmbientSound, Tag      string

	Physics          Physics
	Role, RemoteRole Role
	NetDormancy      Dormancy

	lifeSpan float64 // a class's default; a live actor has expires

	BHidden, BTearOff, BNetTemporary, BAlwaysRelevant, BOnlyRelevantToOwner, BNetUseOwnerRelevancy, BReplicates,
	BCollideActors, BCollideWorld, BBlockPlayers, BBlockActors, BNetInitialRotation, BUpdateSimulatedPosition,
	BReplicateInstigator, BReplicateMovementToOwner, BSkipActorPropertyReplication, BOnlyDirtyReplication, BStatic, BNoDelete,
	BSimulateGravity, BSimGravityDisabled, BAttached bool
}

// defaultVars are the defaults of class Actor before its own file changes any (docs/lua-api.md).
func defaultVars() Vars {
	return Vars{
		CollisionRadius: 22, CollisionHeight: 22,
		NetPriority: 1, NetUpdateFrequency: 100, MinNetUpdateFrequency: 2, NetCullDistance: 15000,
		SoundRadius: 1500, DrawScale: 1,
		Role: RoleAuthority, RemoteRole: RoleSimulatedProxy, NetDormancy: DormAwake,
		BReplicates: true,
	}
}

// Actor is one object of the world. It is owned by its world and touched only by the goroutine that
// steps it. Fields of [Vars] may be read at will; they are set by methods, which keep the marks, the
// spatial index and references right.
type Actor struct {
	Vars
	Class *Class

	// What setting variables and the net update touch of every actor that changed lies together, in two cache lines:
	// ten thousand actors do not fit the caches.
	world *World
	id    ActorID
	net   *netState // what scripts said about replication, nil for nothing
	dirty [MaxReplicatedProperties / 64]uint64
	marks marks    // see marks.go
	copy  copyKind // see copy.go
	// postNet: PostNetBeginPlay is still to come; lapsed: LifeSpan ended while it was not ours to end; owned: the
	// server says that some player owns it.
	postNet, lapsed, owned bool
	told                   bool // the network code knows of it, or may
	deleted                bool // bDeleteMe
	destroying             bool
	words                  []uint64
	body                   bodyState // what movement keeps between ticks

	// Name is the name in the level (targetname) or one made from class and number.
	Name string
	// LevelName is the actor's name in its level, "" for one spawned while playing.
	LevelName string
	// State is the state the actor is in, nil outside any.
	State *State
	// Dispatch is what is called on the actor in its state.
	Dispatch *Dispatch
	// Script is the script side's own record of the actor.
	Script any
	// Outer is the actor a component belongs to, nil for actors.
	Outer *Actor
	// Components are the actor's components in the order they were added.
	Components []*Actor
	// ComponentName is the name a component has in its actor.
	ComponentName string
	// Added is set on a component that was added at run time; its actor's class did not make it.
	Added bool

	seq   uint64 // order of spawning, over the world's life
	strs  []string
	fasts []*FastArray
	wish  *hangWish // of a copy: where it hangs, see receive.go

	refs []refEdge // who may refer to this actor

	spawnFrame  uint64
	tickFrame   uint64 // the frame in which it last ticked
	tickable    bool   // stands in a tick list
	tickOff     bool   // SetActorTickEnabled(false)
	initialized bool   // BeginPlay and its kin are done

	expires float64 // world time at which LifeSpan ends, 0 for never
	timers  []*timer
	stack   []*State // what PushState left, oldest first

	census *census    // that it is counted in, nil for none
	anim   *animState // what plays on it, nil for nothing; see animate.go
}

// refEdge says that a word of an actor's variable may hold a reference.
type refEdge struct {
	from ActorID
	prop *Property
	word int32 // offset inside the property, for arrays and structs
}

// ID is the actor's name forever.
func (a *Actor) ID() ActorID { return a.id }

// World is the world the actor lives in.
func (a *Actor) World() *World { return a.world }

// Deleted is bDeleteMe: the actor was destroyed and only its identity is left.
func (a *Actor) Deleted() bool { return a.deleted }

// Order is the actor's place in the order of spawning; later actors have larger ones.
func (a *Actor) Order() uint64 { return a.seq }

// String names the actor as messages do.
func (a *Actor) String() string {
	if a == nil {
		return "nil"
	}
	return a.Name
}

// IsA reports whether the actor's class is, or descends from, the class of that name.
func (a *Actor) IsA(class string) bool { return a.Class.IsA(class) }

// HasAuthority reports whether this peer's copy is the true one (R2.1).
func (a *Actor) HasAuthority() bool { return a.role() == RoleAuthority }

// role of a component is its actor's.
func (a *Actor) role() Role {
	if a.Outer != nil {
		return a.Outer.Role
	}
	return a.Role
}

// TopOwner is the end of the chain of owners, the actor itself where it has none. A loop cannot arise:
// SetOwner refuses it.
func (a *Actor) TopOwner() *Actor {
	if a.Outer != nil {
		a = a.Outer
	}
	for {
		o := a.world.Actor(a.Owner)
		if o == nil {
			return a
		}
		a = o
	}
}

// maxChain bounds walks along chains of owners.
const maxChain = 1 << 10

// Word reads a variable of one word as it is stored (see storage.go).
func (a *Actor) Word(p *Property) uint64 { return a.words[p.word] }

// WordAt reads a word of the actor's declared variables by its place; see [Property.Word].
func (a *Actor) WordAt(i int) uint64 { return a.words[i] }

// StrAt reads a string by its place; see [Property.Str].
func (a *Actor) StrAt(i int) string { return a.strs[i] }

// Words reads a declared variable's storage. The caller must not write to it.
func (a *Actor) Words(p *Property) []uint64 {
	return a.words[p.word : p.word+p.Type.words : p.word+p.Type.words]
}

// Strs reads a declared variable's strings. The caller must not write to them.
func (a *Actor) Strs(p *Property) []string {
	return a.strs[p.str : p.str+p.Type.strs : p.str+p.Type.strs]
}

// Part is a place inside a declared variable: the whole, an element, a member.
type Part struct {
	Prop      *Property
	Type      *Type // of the part
	Word, Str int   // offsets from the start of the variable
}

// animState is what an actor plays.
type animState struct {
	montage, base animation.Player
	plays         int // montages started so far: who fires notifies sees by it that another one plays
	bases         int
	played        int     // Play of the ReplicatedMontage that was last taken up
	debt          float64 // seconds not played yet: what is far away is played less often
	timelines     []*timeline
	listed        bool
	ending        string // the montage that came to its end and whose last notifies are being told, "" for none
	moving        bool   // RootMotionVelocity is not zero

	// The last montage that was started here ahead of the server, and when in this world's time.
	ahead   int
	aheadAt float64
}

// timeline is a timeline by its name on its actor.
type timeline struct {
	animation.Timeline
	name   string
	drives []drive
	gone   bool
}

// drive is a curve that sets a variable.
type drive struct {
	curve *animation.Curve
	prop  *Property
}

// census counts the actors of a payer.
type census struct {
	live    int    // alive
	frame   uint64 // in which spawned is counted
	spawned int    // made in that frame
	most    int    // may be alive
	mod     *census
	name    string // of a mod's own
	moved   uint64 // what its actors took to move, see moved.go
	every   uint64 // in which of so many ticks they move
}

// copyKind says whose an actor is. It is kept in components, too.
type copyKind uint8

const (
	copyNone     copyKind = iota // this peer's own
	copyLevel                    // of a client's level and may replicate; the server has said nothing of it yet
	copyServers                  // the server's
	copyReleased                 // bNetTemporary, after its channel closed
)

// FastArray is a keyed array of structs that crosses as adds, changes and removes (R5.12, Unreal's
// FFastArraySerializer). Keys count up from 1 and are never used twice; order is that of adding.
type FastArray struct {
	next  uint32
	items []FastItem
}

// FastItem is one struct of a fast array. Words and Strs are its storage.
type FastItem struct {
	Key uint32
	// Rev counts the changes of the item, so that a net update can tell what a connection lacks.
	Rev   uint32
	Words []uint64
	Strs  []string
}

type marks uint8

const (
	markRep    marks = 1 << iota // a replicated variable was set: its bit is in dirty
	markCond                     // something that a replication condition reads
	markNet                      // something that relevancy, priority or the pace of updates depends on
	markMoved                    // Location
	markQueued                   // stands in World.dirty; of actors only
)

// netState is kept only by actors that said something.
type netState struct {
	inactive map[*Property]bool // COND_Custom switched off
	dynamic  map[*Property]NetCondition
	force    bool
	flush    bool
}

// hangWish is where the server says that an actor hangs on its Base. Location cannot tell: the base moves, and
// each is told at a time of its own.
type hangWish struct {
	attached bool
	at       vec
	yaw      uint16
}

// timer is one SetTimer of an actor, in the world's heap by due time, then by the order of setting.
type timer struct {
	actor    ActorID
	function string
	due      float64 // world time
	every    float64 // seconds, 0 for once
	seq      uint64
	index    int // in the heap, −1 when out
	// heldSince is when it was due first, of one that the scripts hold back; 0 for none.
	heldSince float64
}

// Whole is the part that is all of a variable.
func (p *Property) Whole() Part { return Part{Prop: p, Type: p.Type} }

// Elem is the i-th element, from 0, of an array part; the caller has checked the bound.
func (pt Part) Elem(i int) Part {
	e := pt.Type.Elem
	return Part{pt.Prop, e, pt.Word + i*e.words, pt.Str + i*e.strs}
}

// Member is a member of a struct part.
func (pt Part) Member(f *Field) Part {
	return Part{pt.Prop, f.Type, pt.Word + f.word, pt.Str + f.str}
}

func equalWords(a, b []uint64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func equalStrs(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
