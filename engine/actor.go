package engine

import (
	"fmt"

	"github.com/tidelock/tidelock/engine/geom"
)

// ActorID names an actor of one world forever: the low 32 bits are a place in the table, the high 32
// how often the place was used before. 0 is no actor. An id never names another actor later.
type ActorID uint64

func makeID(index int, gen uint32) ActorID { return ActorID(uint64(gen)<<32 | uint64(index+1)) }

func (id ActorID) index() int { return int(uint32(id)) - 1 }

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

// Get reads any variable as a value; scripts have faster ways.
func (a *Actor) Get(p *Property) Value {
	if p.Native != nil {
		return p.Native.get(a)
	}
	return loadValue(a.world.Classes, p.Type, a.words[p.word:], a.strs[p.str:])
}

// Word reads a variable of one word as it is stored (see storage.go).
func (a *Actor) Word(p *Property) uint64 { return a.words[p.word] }

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

// GetPart reads a part of a declared variable.
func (a *Actor) GetPart(pt Part) Value {
	return loadValue(a.world.Classes, pt.Type, a.words[pt.Prop.word+pt.Word:], a.strs[pt.Prop.str+pt.Str:])
}

// Set checks and stores a variable as a script's assignment would: the old value stays on an error. It
// journals, marks and, for native variables, does what the variable means.
func (a *Actor) Set(p *Property, v Value) error {
	if p.Native != nil {
		v, err := p.Type.Check(a.world, v)
		if err != nil {
			return err
		}
		return a.setNative(p, v)
	}
	return a.SetPart(p.Whole(), v)
}

// SetPart is [Actor.Set] for an element or a member.
func (a *Actor) SetPart(pt Part, v Value) error {
	if pt.Type.Kind == KindFastArray {
		return fmt.Errorf("a fastarray is changed by Add, Set and Remove")
	}
	v, err := pt.Type.Check(a.world, v)
	if err != nil {
		return err
	}
	p := pt.Prop
	w0, w1 := p.word+pt.Word, p.word+pt.Word+pt.Type.words
	s0, s1 := p.str+pt.Str, p.str+pt.Str+pt.Type.strs
	scratch := a.world.scratch(pt.Type.words, pt.Type.strs)
	storeValue(a.world.Classes, pt.Type, scratch.words, scratch.strs, v)
	if equalWords(a.words[w0:w1], scratch.words) && equalStrs(a.strs[s0:s1], scratch.strs) {
		return nil
	}
	a.world.journalPart(a, p, w0, w1, s0, s1)
	copy(a.words[w0:w1], scratch.words)
	copy(a.strs[s0:s1], scratch.strs)
	a.noteRefs(pt)
	a.Touched(p)
	return nil
}

// StoreProperty sets a declared variable, of a type without references, to what is stored in words and strs, which the
// caller has checked. It reports whether that was another value; the script's copy is the caller's affair.
func (a *Actor) StoreProperty(p *Property, words []uint64, strs []string) bool {
	w0, w1 := p.word, p.word+p.Type.words
	s0, s1 := p.str, p.str+p.Type.strs
	if equalWords(a.words[w0:w1], words[:w1-w0]) && equalStrs(a.strs[s0:s1], strs[:s1-s0]) {
		return false
	}
	a.world.journalPart(a, p, w0, w1, s0, s1)
	copy(a.words[w0:w1], words)
	copy(a.strs[s0:s1], strs)
	a.Touched(p)
	return true
}

// SetWord stores a variable of one word that the caller has checked. It is the hot path of scripts.
func (a *Actor) SetWord(p *Property, w uint64) {
	if a.words[p.word] == w {
		return
	}
	a.world.journalWord(a, p)
	a.words[p.word] = w
	if p.watch != 0 {
		a.Touched(p)
	}
}

// SetRef stores a reference that the caller has checked.
func (a *Actor) SetRef(p *Property, to *Actor) {
	var id ActorID
	if to != nil {
		id = to.id
	}
	if a.words[p.word] == uint64(id) {
		return
	}
	a.SetWord(p, uint64(id))
	if to != nil {
		to.addRef(refEdge{a.id, p, 0})
	}
}

// noteRefs registers every reference inside a part that was just stored.
func (a *Actor) noteRefs(pt Part) {
	switch pt.Type.Kind {
	case KindRef:
		if t := a.world.Actor(ActorID(a.words[pt.Prop.word+pt.Word])); t != nil {
			t.addRef(refEdge{a.id, pt.Prop, int32(pt.Word)})
		}
	case KindStruct:
		for i := range pt.Type.Fields {
			a.noteRefs(pt.Member(&pt.Type.Fields[i]))
		}
	case KindFastArray:
		for _, it := range a.fasts[pt.Prop.fast].Items() {
			a.noteFastRefs(pt.Prop, it.Words)
		}
	case KindArray:
		if k := pt.Type.Elem.Kind; k == KindRef || k == KindStruct {
			for i := 0; i < pt.Type.Len; i++ {
				a.noteRefs(pt.Elem(i))
			}
		}
	default:
	}
}

// addRef remembers that somebody refers to the actor. The list is pruned whenever it would grow, so it
// stays within twice what really refers.
func (a *Actor) addRef(e refEdge) {
	if len(a.refs) == cap(a.refs) && len(a.refs) >= 8 {
		kept := a.refs[:0]
		for _, r := range a.refs {
			if a.world.refersTo(r, a.id) && r != e {
				kept = append(kept, r)
			}
		}
		a.refs = kept
	}
	a.refs = append(a.refs, e)
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
