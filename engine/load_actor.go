package engine

import (
	"math"

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
