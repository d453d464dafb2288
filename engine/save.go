package engine

import (
	"slices"
	"sort"

	"github.com/tidelock/tidelock/engine/archive"
)

// Saved worlds (C3). Save writes everything that a later tick depends on, and Load builds an equal world from it. Classes and
// variables are written with their names and types, so that a later set of scripts can load the world as a reload would; a
// variable is written only where it differs from the default of its class, so that defaults that have changed are followed.
//
// Not saved are the network side, what was prepared for viewers (effects, sounds, messages), censuses of costs, and the positions
// of latent code: package scriptvm starts it again.
//
// The content, in sections:
//
//	world    time, random generator, numbers of the next actor and timer, free ids, classes, native variables
//	heads    who the actors are: id, class, names, owner of a component, state
//	actors   one section an actor: native and declared variables, body, movement, animations
//	rigid    the rigid bodies, if there ever was one
//	rest     timers, held keys, net groups, references in their order
//	script   what the script side adds

// Save appends the world to an archive, between two ticks. It changes nothing.
func (w *World) Save(out *archive.Writer) {
	if w.inStep || w.depth > 0 {
		panic("engine: Save inside a tick")
	}
	s := saver{out: out, w: w, class: map[*Class]int{}, native: map[*Class][]plainNative{}}
	w.EachActor(func(a *Actor) { s.actors = append(s.actors, a) })
	s.world()
	at := out.Begin()
	for _, a := range s.actors {
		s.head(a)
	}
	out.End(at)
	for _, a := range s.actors {
		at := out.Begin()
		s.actor(a)
		out.End(at)
	}
	at = out.Begin()
	s.rigid()
	out.End(at)
	at = out.Begin()
	s.rest()
	out.End(at)
	at = out.Begin()
	w.Script.SaveState(out)
	out.End(at)
}

func (s *saver) world() {
	w, out := s.w, s.out
	at := out.Begin()
	out.Float(w.Time)
	out.Float(w.Delta)
	out.Float(w.Stood)
	out.Float(w.Gravity)
	out.Float(w.KillZ)
	out.Uint(w.frame)
	out.Uint(w.nextSeq)
	out.Uint(w.timerSeq)
	for _, x := range w.Rand.State() {
		out.Word(x)
	}
	s.id(w.Game)
	s.id(w.GameState)
	s.classes()
	out.Uint(uint64(len(nativeProperties)))
	for _, n := range nativeProperties {
		out.String(n.Name)
		out.Byte(byte(n.Type.Kind))
	}
	out.Uint(uint64(len(w.table)))
	for i := range w.table {
		out.Uint(uint64(w.table[i].gen))
	}
	out.Uint(uint64(len(w.free)))
	for _, i := range w.free {
		out.Uint(uint64(i))
	}
	out.Uint(uint64(len(w.space.actors)))
	out.Uint(uint64(len(w.space.free)))
	for _, n := range w.space.free {
		out.Uint(uint64(n))
	}
	out.Uint(uint64(len(s.actors)))
	out.End(at)
}

// classes writes the classes of which actors live or lived, with the types of their variables.
func (s *saver) classes() {
	list := make([]*Class, 0, 64)
	note := func(c *Class) {
		if _, known := s.class[c]; !known {
			s.class[c] = 0
			list = append(list, c)
		}
	}
	for _, a := range s.actors {
		note(a.Class)
	}
	for c := range s.w.nextNum { // any order: sorted below
		note(c)
	}
	slices.SortFunc(list, func(a, b *Class) int { return a.Index - b.Index })
	out := s.out
	out.Uint(uint64(len(list)))
	for i, c := range list {
		s.class[c] = i
		out.String(c.Name)
		out.Uint(uint64(s.w.nextNum[c]))
		n := 0
		for _, p := range c.Properties {
			if p.Native == nil {
				n++
			}
		}
		out.Uint(uint64(n))
		for _, p := range c.Properties {
			if p.Native == nil {
				out.String(p.Name)
				saveType(out, p.Type)
			}
		}
	}
}

// saveType writes what a value of a type consists of; bounds are not part of it.
func saveType(out *archive.Writer, t *Type) {
	out.Byte(byte(t.Kind))
	switch t.Kind {
	case KindEnum:
		out.Uint(uint64(len(t.Enum)))
		for _, e := range t.Enum {
			out.String(e)
		}
	case KindArray:
		out.Uint(uint64(t.Len))
		saveType(out, t.Elem)
	case KindFastArray:
		saveType(out, t.Elem)
	case KindStruct:
		out.Uint(uint64(len(t.Fields)))
		for i := range t.Fields {
			out.String(t.Fields[i].Name)
			saveType(out, t.Fields[i].Type)
		}
	default: // their kind is all
	}
}

// head writes who an actor is.
func (s *saver) head(a *Actor) {
	out := s.out
	flags := byte(0)
	set := func(on bool, flag byte) {
		if on {
			flags |= flag
		}
	}
	set(a.initialized, headInitialized)
	set(a.tickOff, headTickOff)
	set(a.Added, headAdded)
	set(a.lapsed, headLapsed)
	set(a.State != nil, headState)
	set(len(a.stack) > 0, headStack)
	set(a.census != nil, headCounted)
	set(a.Outer != nil, headPart)
	out.Byte(flags)
	SaveID(out, a.id)
	out.Uint(a.seq - s.seq)
	s.seq = a.seq
	out.Uint(uint64(s.class[a.Class]))
	out.String(a.Name)
	out.String(a.LevelName)
	if a.Outer != nil {
		s.id(a.Outer.id)
		out.String(a.ComponentName)
	}
	if a.State != nil {
		out.String(a.State.Name)
	}
	if len(a.stack) > 0 {
		out.Uint(uint64(len(a.stack)))
		for _, st := range a.stack {
			out.String(st.name())
		}
	}
	if a.census != nil {
		out.String(a.MadeBy())
	}
	out.Uint(uint64(a.body.number))
}

// rest writes what refers to several actors.
func (s *saver) rest() {
	w, out := s.w, s.out
	timers := append(timerHeap(nil), w.timers...)
	sort.Slice(timers, func(i, j int) bool { return timers.less(i, j) })
	out.Uint(uint64(len(timers)))
	for _, t := range timers {
		SaveID(out, t.actor)
		out.String(t.function)
		out.Float(t.due)
		out.Float(t.every)
		out.Uint(t.seq)
		out.Float(t.heldSince)
	}
	for _, a := range s.actors {
		if in := w.inputs[a.id]; in != nil {
			SaveID(out, a.id)
			s.input(in)
		}
	}
	out.Uint(0)
	for _, a := range s.actors {
		if groups := w.groups[a.id]; len(groups) > 0 {
			SaveID(out, a.id)
			out.Uint(uint64(len(groups)))
			for _, g := range groups {
				out.String(g)
			}
		}
	}
	out.Uint(0)
	n := 0
	for _, a := range w.animated {
		if !a.deleted {
			n++
		}
	}
	out.Uint(uint64(n))
	for _, a := range w.animated {
		if !a.deleted {
			SaveID(out, a.id)
		}
	}
	s.edges()
}

// fewEdges is how many are compared with one another one by one.
const fewEdges = 12

// edges writes, for each actor, who refers to it, in the order in which its end will be reported to them.
func (s *saver) edges() {
	out := s.out
	var few []refEdge
	many := map[refEdge]bool{}
	for _, a := range s.actors {
		few = few[:0]
		clear(many)
		for i, r := range a.refs {
			switch { // it was noted again when the variable was set again
			case i < fewEdges:
				if slices.Contains(few, r) {
					continue
				}
				few = append(few, r)
			case many[r] || slices.Contains(few, r):
				continue
			default:
				many[r] = true
			}
			if f := s.w.Actor(r.from); f != nil && !f.deleted && s.w.refersTo(r, a.id) {
				SaveID(out, a.id)
				SaveID(out, r.from)
				out.String(r.prop.Name)
				out.Uint(uint64(r.word))
			}
		}
	}
	out.Uint(0)
}

func (s *saver) input(in *heldInput) {
	out := s.out
	for _, f := range [...]float64{in.Forward, in.Strafe, in.Up} {
		out.Float(f)
	}
	for _, b := range [...]bool{in.Jump, in.Fire, in.AltFire, in.Crouch, in.Run, in.Aim, in.Reload, in.Use, in.turned} {
		out.Bool(b)
	}
	out.Int(int64(in.Weapon))
	out.Word(in.View.Pack())
	out.Uint(uint64(len(in.Actions)))
	for _, x := range in.Actions {
		out.String(x.Name)
		out.Float(x.Value)
	}
}
