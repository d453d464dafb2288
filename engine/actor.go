package engine

import (
	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/engine/geom"
)

// Vars holds the variables that every actor has and that the engine itself uses; scripts see them under the
// same names. docs/lua-api.md describes the fields; it is generated from [NativeProperty.Doc].
type Vars struct {
	Location     geom.Vector
	Rotation     geom.Rotator
	Velocity     geom.Vector
	Acceleration geom.Vector
	// RotationRate is in rotator units per second, signed; Physics Rotating turns the actor by it.
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

// defaultVars returns the defaults of class Actor before its own script changes any (docs/lua-api.md).
func defaultVars() Vars {
	return Vars{
		CollisionRadius: 22, CollisionHeight: 22,
		NetPriority: 1, NetUpdateFrequency: 100, MinNetUpdateFrequency: 2, NetCullDistance: 15000,
		SoundRadius: 1500, DrawScale: 1,
		Role: RoleAuthority, RemoteRole: RoleSimulatedProxy, NetDormancy: DormAwake,
		BReplicates: true,
	}
}

// Actor is one object of the world. It is owned by its world and touched only by the goroutine that steps it.
// Fields of [Vars] may be read directly; methods set them, because these keep the dirty marks, the spatial
// index and references consistent.
type Actor struct {
	Vars
	Class *Class

	// The fields that setting variables and the net update touch for every changed actor are stored together,
	// in two cache lines: ten thousand actors do not fit into the caches.
	world *World
	id    ActorID
	net   *netState // what scripts set about replication, nil for nothing
	dirty [MaxReplicatedProperties / 64]uint64
	marks marks    // see marks.go
	copy  copyKind // see copy.go
	// postNet: PostNetBeginPlay is still to be called; lapsed: LifeSpan ended while the server decides about
	// the end; owned: the server reports that some player owns it.
	postNet, lapsed, owned bool
	told                   bool // the network code knows it, or may
	deleted                bool // bDeleteMe
	destroying             bool
	words                  []uint64
	body                   bodyState // what movement keeps between ticks

	// Name is the name in the level (targetname) or one made from class and number.
	Name string
	// LevelName is the actor's name in its level, "" for one spawned while playing.
	LevelName string
	// State is the state that the actor is in, nil for none.
	State *State
	// Dispatch is the table of functions for the actor's present state.
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

	seq   uint64 // order of spawning, unique in the world
	strs  []string
	fasts []*FastArray
	wish  *hangWish // of a copy: its requested attachment, see receive.go

	refs []refEdge // variables that may refer to this actor

	spawnFrame  uint64
	tickFrame   uint64 // the frame in which it last ticked
	tickable    bool   // is in a tick list
	tickOff     bool   // SetActorTickEnabled(false)
	initialized bool   // BeginPlay and the calls after it have run

	expires float64 // world time at which LifeSpan ends, 0 for never
	timers  []*timer
	stack   []*State // the stack of PushState, oldest first

	census *census    // the census that counts it, nil for none
	anim   *animState // its animation state, nil for none; see animate.go
}

// refEdge records that a word of an actor's variable may hold a reference.
type refEdge struct {
	from ActorID
	prop *Property
	word int32 // offset inside the property, for arrays and structs
}

// ID returns the actor's permanent id.
func (a *Actor) ID() ActorID { return a.id }

// World is the world the actor lives in.
func (a *Actor) World() *World { return a.world }

// Deleted is bDeleteMe: the actor was destroyed and only its identity is left.
func (a *Actor) Deleted() bool { return a.deleted }

// Order returns the actor's position in the order of spawning; later actors have larger ones.
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

// HasAuthority reports whether this peer's copy is authoritative (R2.1).
func (a *Actor) HasAuthority() bool { return a.role() == RoleAuthority }

// role returns the actor's role; a component has the role of its actor.
func (a *Actor) role() Role {
	if a.Outer != nil {
		return a.Outer.Role
	}
	return a.Role
}

// TopOwner returns the end of the chain of owners, the actor itself if it has no owner. SetOwner refuses loops,
// so the chain ends.
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

// WordAt reads a word of the actor's declared variables by its offset; see [Property.Word].
func (a *Actor) WordAt(i int) uint64 { return a.words[i] }

// StrAt reads a string by its offset; see [Property.Str].
func (a *Actor) StrAt(i int) string { return a.strs[i] }

// Words reads a declared variable's storage. The caller must not write to it.
func (a *Actor) Words(p *Property) []uint64 {
	return a.words[p.word : p.word+p.Type.words : p.word+p.Type.words]
}

// Strs reads a declared variable's strings. The caller must not write to them.
func (a *Actor) Strs(p *Property) []string {
	return a.strs[p.str : p.str+p.Type.strs : p.str+p.Type.strs]
}

// Part is a part of a declared variable: the whole, an element, a member.
type Part struct {
	Prop      *Property
	Type      *Type // type of the part
	Word, Str int   // offsets from the start of the variable
}

// animState holds the animations that an actor plays.
type animState struct {
	montage, base animation.Player
	plays         int // montages started so far: a loop over notifies detects a new montage by it
	bases         int
	played        int     // Play of the ReplicatedMontage applied last
	debt          float64 // seconds not played yet: distant actors are updated less often
	timelines     []*timeline
	listed        bool
	ending        string // the montage that has ended and whose last notifies are running, "" for none
	moving        bool   // RootMotionVelocity is not zero

	// The last montage that was started here before the server's call, and its start in this world's time.
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

// census counts the actors of one payer.
type census struct {
	live    int    // alive
	frame   uint64 // the frame that spawned counts
	spawned int    // actors spawned in that frame
	most    int    // the most that may be alive
	mod     *census
	name    string // name of the mod
	moved   uint64 // cost of moving its actors, see moved.go
	every   uint64 // its actors move once in so many ticks
}

// copyKind says which peer controls an actor. Components have it, too.
type copyKind uint8

const (
	copyNone     copyKind = iota // this peer's own
	copyLevel                    // from a client's level, may replicate; the server has not opened it yet
	copyServers                  // the server's
	copyReleased                 // bNetTemporary, after its channel closed
)

// FastArray is a keyed array of structs that replicates as adds, changes and removes (R5.12, Unreal's
// FFastArraySerializer). Keys count up from 1 and are never reused.
//
// Invariant: items are in order of their keys, which is the order of adding.
type FastArray struct {
	next uint32 // the last key that was given
	// lost is the highest Rev of an item that was removed. One that [Actor.FastRestore] brings back gets a higher one, so that a net
	// update does not take it for the item that it was. A world that is loaded from a file has no earlier net update: it is not saved.
	lost  uint32
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
	markCond                     // something that a replication condition reads was set
	markNet                      // something that relevancy, priority or the update rate depends on was set
	markMoved                    // Location
	markQueued                   // is in World.dirty; only for actors
)

// netState exists only for actors whose scripts changed replication.
type netState struct {
	inactive map[*Property]bool // COND_Custom variables that are switched off
	dynamic  map[*Property]NetCondition
	force    bool
	flush    bool
}

// hangWish is the attachment to Base that the server sent. Location cannot replace it: the base moves, and the
// two are updated at different times.
type hangWish struct {
	attached bool
	at       vec
	yaw      uint16
}

// timer is one SetTimer of an actor, in the world's heap, ordered by due time and then by the order of setting.
type timer struct {
	actor    ActorID
	function string
	due      float64 // world time
	every    float64 // seconds, 0 for once
	seq      uint64
	index    int // index in the heap, −1 when removed
	// heldSince is when a timer that the scripts postpone was first due; 0 for none.
	heldSince float64
}

// Whole returns the part that covers a whole variable.
func (p *Property) Whole() Part { return Part{Prop: p, Type: p.Type} }

// Elem returns the i-th element, from 0, of an array part; the caller has checked the bound.
func (pt Part) Elem(i int) Part {
	e := pt.Type.Elem
	return Part{pt.Prop, e, pt.Word + i*e.words, pt.Str + i*e.strs}
}

// Member returns a member of a struct part.
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
