package engine

import (
	"fmt"
	"math"

	"github.com/tidelock/tidelock/engine/archive"
)

// saver is one Save in progress.
type saver struct {
	out    *archive.Writer
	w      *World
	actors []*Actor // alive, in order of spawning
	class  map[*Class]int
	native map[*Class][]plainNative
	seq    uint64 // of the last head
}

// plainNative is a native variable of a class with its default in the class, in its stored form.
type plainNative struct {
	*NativeProperty
	part    bool // not written for components
	def     uint64
	defVec  vec
	defText string
}

// id writes an id, 0 for that of an actor that does not live.
func (s *saver) id(id ActorID) {
	if a := s.w.Actor(id); a == nil || a.deleted {
		s.out.Uint(0)
		return
	}
	SaveID(s.out, id)
}

// SaveID writes an id as it is: one byte for 0, two or more for others.
func SaveID(out *archive.Writer, id ActorID) {
	out.Uint(uint64(uint32(id)))
	if uint32(id) != 0 {
		out.Uint(uint64(id >> 32))
	}
}

func saveVector(out *archive.Writer, v vec) {
	out.Float(v.X)
	out.Float(v.Y)
	out.Float(v.Z)
}

// Bounds of an archive of a world beyond those of the world itself.
const (
	maxSavedName   = 1024    // bytes of a name
	maxSavedSlots  = 1 << 21 // ids that were used so far
	maxSavedTimers = MaxActors * (MaxTimers + 1)
	maxSavedProps  = 4096 // variables of a class
	maxSavedNodes  = 4096 // parts of the types of a class
	maxSavedGroups = 256  // net groups of a connection
	maxSavedNotes  = 100  // lines that Load returns
	maxSavedTime   = 1e10 // seconds of world time
	maxSavedParts  = 1024 // components of an actor
)

// loader is one Load in progress.
type loader struct {
	w       *World
	in      *archive.Reader
	class   []savedClass
	natives []savedNative
	notes   []string
	noted   map[string]bool
	heads   []savedHead
	free    []int
	spaces  int            // length of space.actors
	lastSeq uint64         // of the last head
	moved   map[*Actor]vec // offsets of movers
}

// savedClass is a class as it was saved; now is the present one, nil if there is none.
type savedClass struct {
	name  string
	now   *Class
	props []savedProp
}

type savedProp struct {
	name string
	typ  *Type
	now  *Property // nil if it cannot be loaded
}

type savedNative struct {
	name string
	kind Kind
	now  *NativeProperty
}

// savedHead is an actor whose head was read; actor is nil if it is left out.
type savedHead struct {
	actor *Actor
	class *savedClass
	flags byte
	body  int32
}

// note adds a line once.
func (l *loader) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if l.noted[text] || len(l.notes) > maxSavedNotes {
		return
	}
	l.noted[text] = true
	if len(l.notes) == maxSavedNotes {
		text = "and more"
	}
	l.notes = append(l.notes, text)
}

func (l *loader) ok() bool { return l.in.Err() == nil }

// LoadID reads what [SaveID] wrote.
func LoadID(in *archive.Reader) ActorID {
	n := in.Uint(math.MaxUint32)
	if n == 0 {
		return 0
	}
	return ActorID(in.Uint(math.MaxUint32)<<32 | n)
}

// ref reads an id; that of an actor that was left out is 0.
func (l *loader) ref(in *archive.Reader) ActorID {
	id := LoadID(in)
	if l.w.Actor(id) == nil {
		return 0
	}
	return id
}

func loadVector(in *archive.Reader) vec { return vec{X: in.Float(), Y: in.Float(), Z: in.Float()} }

// next reads the id of a list that ends with 0; the actor is nil if it was left out.
func (l *loader) next(in *archive.Reader) (a *Actor, more bool) {
	id := LoadID(in)
	return l.w.Actor(id), id != 0
}

// The flags of a head.
const (
	headInitialized = 1 << iota
	headTickOff
	headAdded
	headLapsed
	headState   // is in a state
	headStack   // has pushed states
	headCounted // a census counts it
	headPart    // is a component
)

// The flags of a body.
const (
	bodyRested = 1 << iota
	bodyOnFloor
	bodyFell
	bodyLimited
	bodyHangs
	bodyMover
	bodyRigid
	bodyBrushes
)

// skipsNative lists the native variables that are not saved as such: they follow from other state.
func skipsNative(n *NativeProperty, a *Actor) bool {
	switch n.Name {
	case "LifeSpan", "Name", "bDeleteMe", "Outer", "RelativeLocation", "RelativeRotation":
		return true
	case "Owner", "Role", "RemoteRole":
		return a.Outer != nil // those of its actor
	}
	return false
}

// Ghost returns an actor of a world that was destroyed before the world was saved: only its identity is left.
func Ghost(w *World, c *Class, id ActorID, name string) *Actor {
	return &Actor{Class: c, Dispatch: c.Dispatch, world: w, id: id, Name: name, deleted: true, destroying: true}
}
