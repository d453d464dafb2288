package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/archive"
)

// actor writes the state of an actor.
func (s *saver) actor(a *Actor) {
	s.natives(a)
	s.variables(a)
	s.body(a)
	s.netState(a)
	s.animations(a)
}

// nativesOf returns the native variables of a class that are written.
func (s *saver) nativesOf(c *Class) []plainNative {
	list, known := s.native[c]
	if known {
		return list
	}
	def := Actor{Vars: c.defVars, Class: c}
	part := Actor{Outer: &def}
	for _, p := range c.Properties {
		n := p.Native
		if n == nil || skipsNative(n, &def) {
			continue
		}
		x := plainNative{NativeProperty: n, part: skipsNative(n, &part)}
		switch {
		case n.vec != nil:
			x.defVec = *n.vec(&def)
		case n.text != nil:
			x.defText = n.text(&def)
		default:
			x.def = n.word(&def)
		}
		list = append(list, x)
	}
	s.native[c] = list
	return list
}

// natives writes the native variables that differ from the defaults of the class.
func (s *saver) natives(a *Actor) {
	out := s.out
	list := s.nativesOf(a.Class)
	for i := range list {
		n := &list[i]
		if n.part && a.Outer != nil {
			continue
		}
		switch {
		case n.vec != nil:
			if v := *n.vec(a); !sameBits(v, n.defVec) {
				out.Uint(uint64(n.ID) + 1)
				saveVector(out, v)
			}
		case n.text != nil:
			if t := n.text(a); t != n.defText {
				out.Uint(uint64(n.ID) + 1)
				out.String(t)
			}
		default:
			x := n.word(a)
			if x == n.def {
				continue
			}
			out.Uint(uint64(n.ID) + 1)
			if n.Type.Kind == KindRef {
				SaveID(out, ActorID(x))
			} else {
				out.Word(x)
			}
		}
	}
	out.Uint(0)
}

// sameBits reports whether two vectors are equal to the bit: 0 and -0 are not, as in a hash.
func sameBits(a, b vec) bool {
	bits := math.Float64bits
	return bits(a.X) == bits(b.X) && bits(a.Y) == bits(b.Y) && bits(a.Z) == bits(b.Z)
}

// variables writes the declared variables that differ from the defaults of the class, by their numbers among the declared ones.
func (s *saver) variables(a *Actor) {
	out, c := s.out, a.Class
	number := uint64(0)
	for _, p := range c.Properties {
		if p.Native != nil {
			continue
		}
		number++
		if p.Type.Kind == KindFastArray {
			if f := a.fasts[p.fast]; f != nil {
				out.Uint(number)
				s.fastArray(f, p.Type.Elem)
			}
			continue
		}
		words, strs := a.Words(p), a.Strs(p)
		if equalWords(words, c.defWords[p.word:]) && equalStrs(strs, c.defStrs[p.str:]) {
			continue
		}
		out.Uint(number)
		saveStored(out, c.set, p.Type, words, strs)
	}
	out.Uint(0)
}

func (s *saver) fastArray(f *FastArray, elem *Type) {
	out := s.out
	out.Uint(uint64(f.next))
	out.Uint(uint64(len(f.items)))
	for i := range f.items {
		it := &f.items[i]
		out.Uint(uint64(it.Key))
		out.Uint(uint64(it.Rev))
		saveStored(out, s.w.Classes, elem, it.Words, it.Strs)
	}
}

// saveStored writes a value in its stored form (storage.go). A class is written by its name.
func saveStored(out *archive.Writer, cs *Classes, t *Type, words []uint64, strs []string) {
	switch t.Kind {
	case KindBool:
		out.Byte(byte(words[0]))
	case KindInt:
		out.Int(int64(words[0]))
	case KindEnum:
		out.Uint(words[0])
	case KindRef:
		SaveID(out, ActorID(words[0]))
	case KindClass:
		name := ""
		if words[0] != 0 {
			name = cs.sorted[words[0]-1].Name
		}
		out.String(name)
	case KindString:
		out.String(strs[0])
	case KindStruct:
		for i := range t.Fields {
			f := &t.Fields[i]
			saveStored(out, cs, f.Type, words[f.word:], strs[f.str:])
		}
	case KindArray:
		for i := range t.Len {
			saveStored(out, cs, t.Elem, words[i*t.Elem.words:], strs[i*t.Elem.strs:])
		}
	default: // numbers, vectors and rotators as they are
		for _, x := range words[:t.words] {
			out.Word(x)
		}
	}
}

func (s *saver) body(a *Actor) {
	out, b := s.out, &a.body
	flags := byte(0)
	set := func(on bool, flag byte) {
		if on {
			flags |= flag
		}
	}
	set(b.rested, bodyRested)
	set(b.onFloor, bodyOnFloor)
	set(b.fell, bodyFell)
	set(b.limited, bodyLimited)
	set(b.hang != nil, bodyHangs)
	set(b.mover != nil, bodyMover)
	set(b.rigid != nil, bodyRigid)
	set(b.brushes, bodyBrushes)
	out.Byte(flags)
	out.Byte(b.wedged)
	out.Float(b.owed)
	saveVector(out, b.floor)
	saveVector(out, b.wall)
	for _, f := range [...]float64{b.turned.pitch, b.turned.yaw, b.turned.roll} {
		out.Float(f)
	}
	if b.limited {
		out.Float(b.limit)
	}
	out.Uint(uint64(len(b.touching)))
	for _, t := range b.touching {
		SaveID(out, t.id)
	}
	if b.hang != nil {
		saveVector(out, b.hang.at)
		out.Uint(uint64(b.hang.yaw))
	}
	if m := b.mover; m != nil {
		saveVector(out, m.home)
		out.Bool(m.way.on)
		out.Bool(m.way.glide)
		out.Bool(m.way.back)
		saveVector(out, m.way.from)
		saveVector(out, m.way.to)
		for _, f := range [...]float64{m.way.seconds, m.way.at, m.way.wait} {
			out.Float(f)
		}
		if b.brushes {
			saveVector(out, s.w.space.solid.MoverOffset(b.number))
		}
	}
	if p := b.rigid; p != nil {
		out.Uint(uint64(p.id))
		saveVector(out, p.at)
		out.Word(p.turn.Pack())
		saveVector(out, p.velocity)
		saveVector(out, p.shape.Half)
		out.Float(p.reach)
		out.Bool(p.sphere)
		out.Bool(p.woke)
		out.Bool(p.slept)
	}
}

// rigid writes the world of rigid bodies.
func (s *saver) rigid() {
	r := s.w.space.rigid
	s.out.Bool(r != nil)
	if r == nil {
		return
	}
	s.out.Uint(uint64(len(r.mods)))
	for _, m := range r.mods {
		s.out.String(m)
	}
	r.space.Save(s.out)
}

func (s *saver) netState(a *Actor) {
	out, n := s.out, a.net
	out.Bool(n != nil)
	if n == nil {
		return
	}
	out.Bool(n.force)
	out.Bool(n.flush)
	for _, p := range a.Class.Properties { // in their order, which that of the maps is not
		if n.inactive[p] {
			out.String(p.Name)
		}
	}
	out.String("")
	for _, p := range a.Class.Properties {
		if c, set := n.dynamic[p]; set {
			out.String(p.Name)
			out.Byte(byte(c))
		}
	}
	out.String("")
}

func (s *saver) animations(a *Actor) {
	out, m := s.out, a.anim
	out.Bool(m != nil)
	if m == nil {
		return
	}
	m.montage.Save(out)
	m.base.Save(out)
	for _, n := range [...]int{m.plays, m.bases, m.played, m.ahead} {
		out.Int(int64(n))
	}
	out.Float(m.debt)
	out.Float(m.aheadAt)
	out.Bool(m.moving)
	for _, t := range m.timelines {
		if t.gone {
			continue
		}
		out.Bool(true)
		out.String(t.name)
		t.Timeline.Save(out, s.w.animations)
		out.Uint(uint64(len(t.drives)))
		for _, d := range t.drives {
			out.String(d.curve.Name)
			out.String(d.prop.Name)
		}
	}
	out.Bool(false)
}
