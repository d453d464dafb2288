package engine

import (
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/archive"
	"github.com/tidelock/tidelock/engine/collision"
)

// Loaded is the result of a [World.Load].
type Loaded struct {
	// Notes are lines for the log: what the present classes and the level do not have any more, each once.
	Notes []string
}

// Load fills a new world, in which nothing was spawned, from an archive that [World.Save] wrote. The world has its classes, its
// script side and its level already; they may differ from those of the saved world, as after a reload: what they do not have any
// more is left out and noted. No event is called: [Script.Restored] does that when everything else is in place.
//
// An archive may come from a stranger. The error is one line; the world is unusable after it.
func (w *World) Load(in *archive.Reader) (Loaded, error) {
	if w.nextSeq != 0 || len(w.table) != 0 || w.inStep || w.depth > 0 {
		panic("engine: Load into a world that is not new")
	}
	l := loader{w: w, in: in, noted: map[string]bool{}}
	l.all()
	if err := in.Err(); err != nil {
		return Loaded{}, err
	}
	return Loaded{Notes: l.notes}, nil
}

func (l *loader) all() {
	w := l.w
	l.world(l.in.Section("world"))
	if !l.ok() {
		return
	}
	heads := l.in.Section("heads")
	for i := range l.heads {
		l.head(heads, i)
		if !l.ok() {
			return
		}
	}
	heads.End()
	l.takeFree()
	for i := range l.heads {
		in := l.in.Section("actor")
		h := &l.heads[i]
		if h.actor == nil {
			continue
		}
		in.Reading("actor " + h.actor.Name)
		l.actor(in, h)
		if !l.ok() {
			return
		}
		in.End()
	}
	if !l.link() {
		return
	}
	for i := range l.heads {
		if a := l.heads[i].actor; a != nil {
			w.Script.Attach(a)
		}
	}
	l.rigid(l.in.Section("rigid bodies"))
	rest := l.in.Section("timers and links")
	if l.rest(rest); !l.ok() {
		return
	}
	rest.End()
	for i := range l.heads {
		if a := l.heads[i].actor; a != nil {
			for _, p := range a.Class.Properties {
				if p.Native == nil {
					w.Script.Changed(a, p)
				}
			}
			w.refreshTick(a)
		}
	}
	in := l.in.Section("scripts")
	w.Script.LoadState(in, func(line string) { l.note("%s", line) })
	l.in.End()
}

func (l *loader) world(in *archive.Reader) {
	w := l.w
	w.Time, w.Delta, w.Stood = in.Float(), in.Float(), in.Float()
	w.Gravity, w.KillZ = in.Float(), in.Float()
	if !(w.Time >= 0 && w.Time <= maxSavedTime && w.Delta >= 0 && w.Delta <= MaxDelta && w.Stood >= 0 && w.Stood <= maxSavedTime) {
		in.Failf("a world of %g seconds, with ticks of %g", w.Time, w.Delta)
	}
	w.frame, w.nextSeq, w.timerSeq = in.Uint(math.MaxUint64), in.Uint(math.MaxUint64), in.Uint(math.MaxUint64)
	var rand [4]uint64
	for i := range rand {
		rand[i] = in.Word()
	}
	w.Rand.SetState(rand)
	w.Game, w.GameState = LoadID(in), LoadID(in)
	l.class = make([]savedClass, in.Count(1<<16, 3))
	for i := range l.class {
		if l.classOf(in, &l.class[i]); !l.ok() {
			return
		}
	}
	l.natives = make([]savedNative, in.Count(1024, 2))
	for i := range l.natives {
		n := &l.natives[i]
		n.name, n.kind = in.String(maxSavedName), Kind(in.Byte())
		for _, now := range nativeProperties {
			if now.Name == n.name && now.Type.Kind == n.kind {
				n.now = now
			}
		}
		if n.kind >= numKinds {
			in.Failf("variable %s has a kind %d, which does not exist", n.name, n.kind)
		}
	}
	w.table = make([]slotEntry, in.Count(maxSavedSlots, 1))
	for i := range w.table {
		w.table[i].gen = uint32(in.Uint(math.MaxUint32))
	}
	l.free = make([]int, in.Count(len(w.table), 1))
	for i := range l.free {
		l.free[i] = int(in.Uint(uint64(max(len(w.table)-1, 0))))
	}
	l.spaces = int(in.Uint(collision.MaxBodyID))
	free := make([]int32, in.Count(l.spaces, 1))
	for i := range free {
		free[i] = int32(in.Uint(uint64(max(l.spaces-1, 0))))
	}
	w.space.free = free
	l.heads = make([]savedHead, in.Uint(min(2*MaxActors, uint64(len(w.table)))))
	if w.nextSeq < uint64(len(l.heads)) {
		in.Failf("%d actors after %d were made", len(l.heads), w.nextSeq)
	}
	if n := len(w.space.actors); l.spaces > len(l.heads)+len(free)+1 || l.spaces < n {
		in.Failf("%d places for bodies, for %d actors", l.spaces, len(l.heads))
	}
	in.End()
	if l.ok() {
		w.space.actors = make([]*Actor, l.spaces)
	}
}

// classOf reads a class, and finds what of it exists now.
func (l *loader) classOf(in *archive.Reader, c *savedClass) {
	c.name = in.String(maxSavedName)
	number := in.Uint(1 << 40)
	c.now = l.w.Classes.byName[c.name]
	if c.now != nil {
		l.w.nextNum[c.now] = int(number)
	}
	c.props = make([]savedProp, in.Count(maxSavedProps, 2))
	nodes := maxSavedNodes
	for i := range c.props {
		p := &c.props[i]
		p.name = in.String(maxSavedName)
		p.typ = loadType(in, 0, &nodes)
		if !l.ok() {
			return
		}
		p.typ.Layout()
		if c.now == nil {
			continue
		}
		now := c.now.byName[p.name]
		switch {
		case now == nil || now.Native != nil:
			l.note("%s.%s is gone: its saved values are dropped", c.name, p.name)
		case !loadable(p.typ, now.Type):
			l.note("%s.%s has another type now: it has its default", c.name, p.name)
		default:
			p.now = now
		}
	}
}

// loadable reports whether values of a saved type may fit the present one: the same kinds and members. Bounds are checked value by
// value, and a number may become one of the other kind.
func loadable(saved, now *Type) bool {
	number := func(k Kind) bool { return k == KindInt || k == KindFloat }
	if saved.Kind != now.Kind {
		return number(saved.Kind) && number(now.Kind)
	}
	if saved.Len != now.Len || len(saved.Fields) != len(now.Fields) {
		return false
	}
	for i := range saved.Fields {
		if saved.Fields[i].Name != now.Fields[i].Name || !loadable(saved.Fields[i].Type, now.Fields[i].Type) {
			return false
		}
	}
	return saved.Elem == nil || loadable(saved.Elem, now.Elem)
}

// loadType reads a type. nodes bounds its parts, together with those of the others of its class.
func loadType(in *archive.Reader, depth int, nodes *int) *Type {
	t := &Type{Kind: Kind(in.Byte())}
	switch *nodes--; {
	case t.Kind >= numKinds || t.Kind == KindNone || t.Kind == KindAny:
		in.Failf("no variable has the kind %d", t.Kind)
	case depth > MaxTypeDepth:
		in.Failf("a type is nested more than %d deep", MaxTypeDepth)
	case *nodes < 0:
		in.Failf("types have more than %d parts", maxSavedNodes)
	}
	if in.Err() != nil {
		return t
	}
	switch t.Kind {
	case KindEnum:
		t.Enum = make([]string, in.Count(1<<12, 1))
		for i := range t.Enum {
			t.Enum[i] = in.String(maxSavedName)
		}
		if len(t.Enum) == 0 {
			in.Failf("an enum without names")
		}
	case KindArray:
		t.Len = int(in.Uint(maxSavedNodes))
		if *nodes -= t.Len; *nodes < 0 {
			in.Failf("types have more than %d parts", maxSavedNodes)
			return t
		}
		t.Elem = loadType(in, depth+1, nodes)
	case KindFastArray:
		t.Elem = loadType(in, depth+1, nodes)
	case KindStruct:
		t.Fields = make([]Field, in.Count(MaxStructMembers, 2))
		for i := range t.Fields {
			t.Fields[i].Name = in.String(maxSavedName)
			if t.Fields[i].Type = loadType(in, depth+1, nodes); in.Err() != nil {
				return t
			}
		}
	default: // their kind is all
	}
	return t
}

// head reads who an actor is, and makes it unless its class is gone.
func (l *loader) head(in *archive.Reader, i int) {
	w, h := l.w, &l.heads[i]
	h.flags = in.Byte()
	id := LoadID(in)
	seq := in.Uint(w.nextSeq)
	class := in.Uint(uint64(max(len(l.class)-1, 0)))
	if !l.ok() || len(l.class) == 0 {
		in.Failf("an actor without a class")
		return
	}
	h.class = &l.class[class]
	name, levelName := in.String(maxSavedName), in.String(maxSavedName)
	in.Reading("head of " + name)
	var outer ActorID
	var part string
	if h.flags&headPart != 0 {
		outer, part = LoadID(in), in.String(maxSavedName)
	}
	state := ""
	if h.flags&headState != 0 {
		state = in.String(maxSavedName)
	}
	var stack []string
	if h.flags&headStack != 0 {
		stack = make([]string, in.Count(MaxStateStack, 1))
		for i := range stack {
			stack[i] = in.String(maxSavedName)
		}
	}
	mod := ""
	if h.flags&headCounted != 0 {
		mod = in.String(maxSavedName)
	}
	h.body = int32(in.Uint(uint64(max(l.spaces-1, 0))))
	if !l.ok() {
		return
	}
	c, at := h.class.now, id.index()
	switch {
	case at < 0 || at >= len(w.table) || w.table[at].gen != uint32(id>>32) || w.table[at].actor != nil:
		in.Failf("its id %d is not possible", id)
		return
	case seq == 0 || l.lastSeq+seq > w.nextSeq || l.lastSeq+seq < seq:
		in.Failf("it is out of order")
		return
	case c == nil:
		l.note("class %s is gone: its actors are left out", h.class.name)
		l.lastSeq += seq
		return
	case c.IsComponent() != (h.flags&headPart != 0):
		l.note("class %s is a component now, or none any more: its actors are left out", c.Name)
		l.lastSeq += seq
		return
	}
	l.lastSeq += seq
	var owner *Actor
	if outer != 0 {
		owner = w.Actor(outer)
	}
	switch {
	case !c.IsComponent():
	case owner == nil:
		return // its actor was left out
	case owner.Outer != nil || len(owner.Components) >= maxSavedParts || owner.ComponentNamed(part) != nil:
		in.Failf("%s cannot have the component %s", owner.Name, part)
		return
	}
	a := &Actor{Vars: c.defVars, Class: c, Dispatch: c.Dispatch, world: w, seq: l.lastSeq, id: id, Name: name, LevelName: levelName}
	if c.words > 0 {
		a.words = slices.Clone(c.defWords)
	}
	if c.strs > 0 {
		a.strs = slices.Clone(c.defStrs)
	}
	if c.fasts > 0 {
		a.fasts = make([]*FastArray, c.fasts)
	}
	a.initialized, a.told = true, true
	a.tickOff, a.Added, a.lapsed = h.flags&headTickOff != 0, h.flags&headAdded != 0, h.flags&headLapsed != 0
	if owner != nil {
		a.Outer, a.ComponentName = owner, part
		owner.Components = append(owner.Components, a)
	} else {
		w.live++
	}
	if h.flags&headState != 0 {
		if a.State = c.States[state]; a.State == nil {
			l.note("%s was in state %s, which is gone; it is in no state now", name, state)
		} else {
			a.Dispatch = a.State.Dispatch
		}
	}
	for _, s := range stack {
		if s == "" {
			a.stack = append(a.stack, nil)
		} else if st := c.States[s]; st != nil {
			a.stack = append(a.stack, st)
		}
	}
	if h.flags&headCounted != 0 {
		a.enlist(w.payerOf(c, mod), false)
	}
	if levelName != "" {
		w.nameInLevel(a)
	}
	w.table[at].actor = a
	w.order = append(w.order, a)
	h.actor = a
}
