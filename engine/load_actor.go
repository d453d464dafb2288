package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/engine/archive"
	"github.com/tidelock/tidelock/engine/geom"
)

// actor reads the state of an actor. Space, links to others and rigid bodies follow when all actors have theirs.
func (l *loader) actor(in *archive.Reader, h *savedHead) {
	a := h.actor
	l.loadNatives(in, a)
	l.variables(in, h)
	if !l.ok() {
		return
	}
	l.body(in, h)
	l.netState(in, a)
	l.animations(in, a)
}

func (l *loader) loadNatives(in *archive.Reader, a *Actor) {
	for l.ok() {
		i := in.Uint(uint64(len(l.natives)))
		if i == 0 {
			return
		}
		n := &l.natives[i-1]
		v, known := l.value(in, &Type{Kind: n.kind}, true)
		if !l.ok() {
			return
		}
		now := n.now
		if now == nil || !known {
			l.note("variable %s is no longer one of the engine's: its saved values are dropped", n.name)
			continue
		}
		if p := a.Class.byName[now.Name]; p == nil || p.Native != now || skipsNative(now, a) {
			in.Failf("%s has no variable %s", a.Class.Name, now.Name)
			return
		}
		if t := now.Type; t.Ranged && (v.Num < t.Min || v.Num > t.Max || t.Kind == KindInt && v.Num != math.Trunc(v.Num)) {
			in.Failf("%s: expected %s, got %g", now.Name, t, v.Num)
			return
		}
		if now.Name == "Physics" && Physics(v.Num) >= numPhysics || now.Name == "Instigator" && v.Ref != 0 && !l.w.Actor(v.Ref).Class.IsPawn() {
			in.Failf("%s: %s does not fit", now.Name, v.describe())
			return
		}
		now.put(a, v)
	}
}

// variables reads the declared variables that differ from their defaults.
func (l *loader) variables(in *archive.Reader, h *savedHead) {
	a := h.actor
	for l.ok() {
		i := in.Uint(uint64(len(h.class.props)))
		if i == 0 {
			return
		}
		p := &h.class.props[i-1]
		if p.typ.Kind == KindFastArray {
			l.fastArray(in, a, p)
			continue
		}
		v, _ := l.value(in, p.typ, false)
		if !l.ok() || p.now == nil {
			continue
		}
		v, err := p.now.Type.Check(l.w, v)
		if err != nil {
			l.note("%s.%s does not fit any more and has its default: %v", a.Class.Name, p.name, err)
			continue
		}
		storeValue(l.w.Classes, p.now.Type, a.words[p.now.word:], a.strs[p.now.str:], v)
	}
}

func (l *loader) fastArray(in *archive.Reader, a *Actor, p *savedProp) {
	f := &FastArray{next: uint32(in.Uint(math.MaxUint32))}
	last := uint32(0)
	for range in.Count(MaxFastItems, 2) {
		it := FastItem{Key: uint32(in.Uint(math.MaxUint32)), Rev: uint32(in.Uint(math.MaxUint32))}
		v, _ := l.value(in, p.typ.Elem, false)
		if !l.ok() {
			return
		}
		if it.Key <= last || it.Key > f.next {
			in.Failf("%s: key %d is out of order", p.name, it.Key)
			return
		}
		last = it.Key
		if p.now == nil {
			continue
		}
		elem := p.now.Type.Elem
		v, err := elem.Check(l.w, v)
		if err != nil {
			l.note("%s.%s: an item does not fit any more and is left out: %v", a.Class.Name, p.name, err)
			continue
		}
		it.Words, it.Strs = make([]uint64, elem.words), make([]string, elem.strs)
		storeValue(l.w.Classes, elem, it.Words, it.Strs, v)
		f.items = append(f.items, it)
	}
	if p.now != nil {
		a.fasts[p.now.fast] = f
	}
}

// value reads a value. native says that it is one of the engine's own, of which numbers are written as words. known is false for a
// kind that no such variable has.
func (l *loader) value(in *archive.Reader, t *Type, native bool) (v Value, known bool) {
	v.Kind = t.Kind
	switch t.Kind {
	case KindBool:
		if native {
			v.Num = float64(in.Word() & 1)
		} else if in.Bool() {
			v.Num = 1
		}
	case KindInt:
		if native {
			v.Num = float64(int64(in.Word()))
		} else {
			v.Num = float64(in.Int())
		}
	case KindFloat:
		v.Num = in.Float()
	case KindEnum:
		if i := in.Uint(uint64(max(len(t.Enum)-1, 0))); l.ok() && len(t.Enum) > 0 {
			v.Str = t.Enum[i]
		}
	case KindVector:
		v.Vec = loadVector(in)
	case KindRotator:
		v.Rot = geom.UnpackRotator(in.Word())
	case KindString:
		v.Str = in.String(MaxStringBytes)
	case KindRef:
		v.Ref = l.ref(in)
	case KindClass:
		v.Str = in.String(maxSavedName)
		if v.Str != "" && l.w.Classes.Find(v.Str) == nil {
			l.note("class %s is gone: variables that hold it are nil", v.Str)
			v.Str = ""
		}
	case KindStruct:
		v.List = make([]Value, len(t.Fields))
		for i := range t.Fields {
			v.List[i], _ = l.value(in, t.Fields[i].Type, false)
		}
	case KindArray:
		v.List = make([]Value, t.Len)
		for i := range v.List {
			v.List[i], _ = l.value(in, t.Elem, false)
		}
	default:
		in.Failf("there is no value of the kind %s", t.Kind)
		return v, false
	}
	return v, true
}

func (l *loader) body(in *archive.Reader, h *savedHead) {
	a := h.actor
	b := &a.body
	flags := in.Byte()
	h.flags = flags
	b.rested, b.onFloor, b.fell, b.limited = flags&bodyRested != 0, flags&bodyOnFloor != 0, flags&bodyFell != 0, flags&bodyLimited != 0
	b.wedged = in.Byte()
	b.owed = in.Float()
	b.floor, b.wall = loadVector(in), loadVector(in)
	b.turned.pitch, b.turned.yaw, b.turned.roll = in.Float(), in.Float(), in.Float()
	if b.limited {
		b.limit = in.Float()
	}
	b.touching = make([]*Actor, 0, in.Count(2*MaxActors, 2))
	for range cap(b.touching) {
		if t := l.w.Actor(LoadID(in)); t != nil && t != a && t.Outer == nil {
			b.touching = append(b.touching, t)
		}
	}
	if flags&bodyHangs != 0 {
		b.hang = &hanging{at: loadVector(in), yaw: uint16(in.Uint(math.MaxUint16))}
	}
	if flags&bodyMover != 0 {
		m := &moverPart{home: loadVector(in)}
		m.way.on, m.way.glide, m.way.back = in.Bool(), in.Bool(), in.Bool()
		m.way.from, m.way.to = loadVector(in), loadVector(in)
		m.way.seconds, m.way.at, m.way.wait = in.Float(), in.Float(), in.Float()
		b.mover = m
		if flags&bodyBrushes != 0 {
			l.offsets(a, loadVector(in))
		}
	}
	if flags&bodyRigid != 0 {
		p := &rigidPart{id: int32(in.Uint(math.MaxInt32)), at: loadVector(in)}
		p.turn = geom.UnpackRotator(in.Word())
		p.velocity = loadVector(in)
		p.shape.Half = loadVector(in)
		p.reach = in.Float()
		p.sphere, p.woke, p.slept = in.Bool(), in.Bool(), in.Bool()
		b.rigid = p
	}
	if flags&bodyBrushes != 0 && b.mover == nil {
		in.Failf("it has brushes and does not move")
	}
	if a.Outer != nil && (h.body != 0 || b.mover != nil || b.rigid != nil || len(b.touching) > 0) || a.Outer == nil && h.body == 0 {
		in.Failf("a component has a place, or an actor has none")
	}
}

// offsets notes where the brushes of a mover are.
func (l *loader) offsets(a *Actor, at vec) {
	if l.moved == nil {
		l.moved = map[*Actor]vec{}
	}
	l.moved[a] = at
}

func (l *loader) netState(in *archive.Reader, a *Actor) {
	if !in.Bool() {
		return
	}
	n := a.netStateMade()
	n.force, n.flush = in.Bool(), in.Bool()
	for l.ok() {
		name := in.String(maxSavedName)
		if name == "" {
			break
		}
		if p, err := a.ruled(name, CondCustom); err == nil {
			if n.inactive == nil {
				n.inactive = map[*Property]bool{}
			}
			n.inactive[p] = true
		}
	}
	for l.ok() {
		name := in.String(maxSavedName)
		if name == "" {
			break
		}
		c := NetCondition(in.Byte())
		if p, err := a.ruled(name, CondDynamic); err == nil && c < numNetConditions && c != CondDynamic {
			if n.dynamic == nil {
				n.dynamic = map[*Property]NetCondition{}
			}
			n.dynamic[p] = c
		}
	}
}

func (l *loader) animations(in *archive.Reader, a *Actor) {
	if !in.Bool() {
		return
	}
	m, lost := &animState{}, [2]string{}
	m.montage, lost[0] = animation.LoadPlayer(in, l.w.animations)
	m.base, lost[1] = animation.LoadPlayer(in, l.w.animations)
	for _, name := range lost {
		l.lostAnimation(name)
	}
	for _, n := range [...]*int{&m.plays, &m.bases, &m.played, &m.ahead} {
		*n = int(in.Int())
	}
	m.debt, m.aheadAt, m.moving = in.Float(), in.Float(), in.Bool()
	if p := a.Class.known[knRootMotionVelocity]; p == nil || p.Native != nil || p.Type.Kind != KindVector {
		m.moving = false
	}
	for in.Bool() {
		t := &timeline{name: in.String(maxSavedName)}
		var lost string
		t.Timeline, lost = animation.LoadTimeline(in, l.w.animations)
		l.lostAnimation(lost)
		for range in.Count(animation.MaxCurves, 2) {
			curve, prop := in.String(animation.MaxNameBytes), a.Class.byName[in.String(maxSavedName)]
			if t.Track == nil || prop == nil || prop.Type.Kind != KindFloat || prop.Native != nil && prop.Native.readOnly {
				continue
			}
			if c := t.Track.Curve(curve); c != nil {
				t.drives = append(t.drives, drive{c, prop})
			}
		}
		if !l.ok() {
			return
		}
		if t.Track != nil {
			m.timelines = append(m.timelines, t)
		}
		if len(m.timelines) > MaxTimelines {
			in.Failf("more than %d timelines", MaxTimelines)
		}
	}
	a.anim = m
}

func (l *loader) lostAnimation(name string) {
	if name != "" {
		l.note("animation %s is gone or has changed: what played it has stopped", name)
	}
}

// takeFree completes the free ids: those of actors that were left out are free, too.
func (l *loader) takeFree() {
	w := l.w
	seen := make([]bool, len(w.table))
	for _, i := range l.free {
		if seen[i] || w.table[i].actor != nil {
			l.in.Failf("an id is both free and in use")
			return
		}
		seen[i] = true
	}
	for i := range w.table {
		if w.table[i].actor == nil && !seen[i] {
			w.table[i].gen++ // a class is gone: nobody gets an id of its actors
			l.free = append(l.free, i)
		}
	}
	w.free = l.free
}

// link connects actors with each other and puts them into space. It reports whether that was possible.
func (l *loader) link() bool {
	w := l.w
	hulls := w.levelHulls()
	taken := make([]bool, l.spaces)
	for _, n := range w.space.free {
		if n == 0 || taken[n] {
			l.in.Failf("place %d is free twice, or none", n)
			return false
		}
		taken[n] = true
	}
	for i := range l.heads {
		h := &l.heads[i]
		a := h.actor
		if a == nil {
			if h.body != 0 && !taken[h.body] {
				taken[h.body] = true
				w.space.free = append(w.space.free, h.body)
			}
			continue
		}
		if err := l.chains(a); err != "" {
			l.in.Failf("%s: %s", a.Name, err)
			return false
		}
		if a.Outer != nil {
			continue
		}
		if taken[h.body] {
			l.in.Failf("%s: its place %d is taken", a.Name, h.body)
			return false
		}
		taken[h.body] = true
		a.body.number = h.body
		if h.flags&bodyBrushes != 0 {
			brushes := hulls[a.LevelName]
			if len(brushes) == 0 {
				l.note("%s has no brushes in the level any more: it is a body like any other", a.Name)
			} else {
				delete(hulls, a.LevelName)
				a.body.mover.hulls, a.body.brushes = brushes, true
			}
		}
		if b := w.Actor(a.Base); b != nil {
			b.body.addRider(a)
		} else {
			a.Base, a.BAttached = 0, false
		}
		if a.BAttached && a.body.hang == nil {
			a.body.hang = &hanging{}
		}
	}
	for i, t := range taken {
		if i > 0 && !t {
			l.in.Failf("place %d belongs to nobody", i)
			return false
		}
	}
	for i := range l.heads {
		if a := l.heads[i].actor; a != nil && a.Outer == nil {
			l.enter(a)
		}
	}
	return true
}

// chains returns what is wrong with the owners and bases of an actor: they lead to themselves, or are components.
func (l *loader) chains(a *Actor) string {
	w := l.w
	if !a.Location.IsFinite() {
		return "it is nowhere"
	}
	walk := func(next func(*Actor) ActorID, what string) string {
		n := 0
		for k := w.Actor(next(a)); k != nil; k = w.Actor(next(k)) {
			if n++; k == a || n > maxChain {
				return fmt.Sprintf("its %s are a loop, or more than %d", what, maxChain)
			}
		}
		return ""
	}
	if err := walk(func(a *Actor) ActorID { return a.Owner }, "owners"); err != "" {
		return err
	}
	if b := w.Actor(a.Base); b != nil && (b.Outer != nil || a.Outer != nil) {
		return "a component rests on something, or something on it"
	}
	return walk(func(a *Actor) ActorID { return a.Base }, "bases")
}

// enter puts an actor into space, as enterSpace does for a new one.
func (l *loader) enter(a *Actor) {
	w := l.w
	s, b := &w.space, &a.body
	a.Location = insideWorld(a.Location)
	s.actors[b.number] = a
	s.kinds.add(a)
	if b.brushes {
		s.solid.AddMover(b.number, b.mover.hulls)
		s.solid.MoveMover(b.number, l.moved[a])
	}
	b.collides = a.BCollideActors
	if b.rigid == nil { // others when their bodies are there
		s.gridOf(a).Insert(b.number, w.gridBody(a))
	}
	w.brushesChanged(a)
	w.addVolume(a)
	// Both sides of a touch know it.
	b.touching = slices.DeleteFunc(b.touching, func(t *Actor) bool { return !slices.Contains(t.body.touching, a) })
	sortBySpawn(b.touching)
	b.touching = slices.Compact(b.touching)
}

// rigid reads the world of rigid bodies.
func (l *loader) rigid(in *archive.Reader) {
	w := l.w
	if there := in.Bool(); !there {
		for i := range l.heads {
			if a := l.heads[i].actor; a != nil && a.body.rigid != nil {
				in.Failf("%s has a body, and the world none", a.Name)
			}
		}
		in.End()
		return
	}
	r := w.rigids()
	r.mods = make([]string, in.Count(1<<12, 1))
	for i := range r.mods {
		r.mods[i] = in.String(maxSavedName)
	}
	if !r.space.Load(in, 4*len(l.heads)+1024) {
		return
	}
	in.End()
	for i := range l.heads {
		a := l.heads[i].actor
		if a == nil || a.body.rigid == nil {
			continue
		}
		p := a.body.rigid
		for int(p.id) >= len(r.numOf) && len(r.numOf) < r.space.Cap() {
			r.numOf = append(r.numOf, nil)
		}
		if !r.space.Has(p.id, int64(a.id)) || r.numOf[p.id] != nil {
			in.Failf("%s: there is no rigid body %d for it", a.Name, p.id)
			return
		}
		r.numOf[p.id] = a
		p.space = r.space
		p.state.find(a.Class)
		p.shape.Axes = r.space.Body(p.id).Axes()
		r.list = append(r.list, a)
		r.shareOf(a)
		w.space.gridOf(a).Insert(a.body.number, w.gridBody(a))
	}
	r.space.Retain(func(id int32) bool { return int(id) < len(r.numOf) && r.numOf[id] != nil })
}

// rest reads timers, held keys, net groups, what is animated, and the order of references.
func (l *loader) rest(in *archive.Reader) {
	w := l.w
	for range in.Count(maxSavedTimers, 2) {
		id := LoadID(in)
		t := &timer{function: in.String(maxSavedName)}
		t.due, t.every, t.seq, t.heldSince = in.Float(), in.Float(), in.Uint(w.timerSeq), in.Float()
		a := w.Actor(id)
		if !l.ok() || a == nil {
			continue
		}
		if t.every < 0 || len(a.timers) > MaxTimers || t.function == "" && a.expires != 0 {
			in.Failf("%s: a timer of %q is not possible", a.Name, t.function)
			return
		}
		if t.function != "" && !a.Class.hasFunction(t.function) {
			l.note("%s.%s is gone: its timers are left out", a.Class.Name, t.function)
			continue
		}
		if t.function == "" {
			a.expires = t.due
		}
		t.actor = id
		i, _ := slices.BinarySearchFunc(a.timers, t, func(x, y *timer) int { return int(int64(x.seq - y.seq)) })
		a.timers = slices.Insert(a.timers, i, t)
		w.timers.push(t)
	}
	for l.ok() {
		a, more := l.next(in)
		if !more {
			break
		}
		held := l.input(in)
		if a != nil {
			w.inputs[a.id] = held
		}
	}
	for l.ok() {
		a, more := l.next(in)
		if !more {
			break
		}
		groups := make([]string, in.Count(maxSavedGroups, 1))
		for i := range groups {
			groups[i] = in.String(maxSavedName)
		}
		if a != nil {
			w.groups[a.id] = groups
		}
	}
	for range in.Count(2*MaxActors, 2) {
		a := w.Actor(LoadID(in))
		if a == nil {
			continue
		}
		if a.anim == nil || a.anim.listed {
			in.Failf("%s is animated twice, or not at all", a.Name)
			return
		}
		w.list(a)
	}
	l.edges(in)
}

// next reads the id of a list that ends with 0; the actor is nil if it was left out.
func (l *loader) next(in *archive.Reader) (a *Actor, more bool) {
	id := LoadID(in)
	return l.w.Actor(id), id != 0
}

// edges registers who refers to whom: first in the saved order, then what is not in it.
func (l *loader) edges(in *archive.Reader) {
	w := l.w
	saved := map[*Actor][]refEdge{}
	for l.ok() {
		to, more := l.next(in)
		if !more {
			break
		}
		from, name, word := w.Actor(LoadID(in)), in.String(maxSavedName), in.Uint(1<<20)
		if to == nil || from == nil || !l.ok() {
			continue
		}
		if p := from.Class.byName[name]; p != nil && (p.Type.refs && int(word) < max(p.Type.words, 1) || p.Native != nil && p.Type.Kind == KindRef) {
			if e := (refEdge{from.id, p, int32(word)}); w.refersTo(e, to.id) {
				saved[to] = append(saved[to], e)
			}
		}
	}
	for i := range l.heads {
		if a := l.heads[i].actor; a != nil {
			a.renoteRefs()
		}
	}
	seen := map[refEdge]bool{}
	for i := range l.heads {
		if a := l.heads[i].actor; a != nil {
			clear(seen)
			a.refs = slices.DeleteFunc(append(saved[a], a.refs...), func(r refEdge) bool { // the first of equal ones counts
				was := seen[r]
				seen[r] = true
				return was
			})
		}
	}
}

func (l *loader) input(in *archive.Reader) *heldInput {
	h := &heldInput{}
	h.Forward, h.Strafe, h.Up = in.Float(), in.Float(), in.Float()
	for _, b := range [...]*bool{&h.Jump, &h.Fire, &h.AltFire, &h.Crouch, &h.Run, &h.Aim, &h.Reload, &h.Use, &h.turned} {
		*b = in.Bool()
	}
	h.Weapon = int(in.Int())
	h.View = geom.UnpackRotator(in.Word())
	h.Actions = make([]ActionValue, in.Count(MaxActiveActions, 9))
	for i := range h.Actions {
		h.Actions[i] = ActionValue{in.String(maxSavedName), in.Float()}
	}
	return h
}

// hasFunction reports whether the class, in some state or in none, has a function.
func (c *Class) hasFunction(name string) bool {
	if c.Functions[name] != nil {
		return true
	}
	for _, s := range c.States { // any order: only whether there is one
		if s.Dispatch.Functions[name] != nil {
			return true
		}
	}
	return false
}
