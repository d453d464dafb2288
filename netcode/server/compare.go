package server

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/wire"
)

// compare takes the present values of a mask into the shadow and gives those that cross differently than before.
func (s *Server) compare(e *entity, m *wire.Mask) (changed wire.Mask) {
	k, a := e.class, e.actor
	var words [3]uint64
	var strs [1]string
	for n := m.Next(0); n >= 0 && n < len(k.Vars); n = m.Next(n + 1) {
		v := &k.Vars[n]
		s.Stats.Compared++
		if n == k.Location {
			if s.comparePosition(e) {
				changed.Set(n)
			}
			continue
		}
		switch v.Type.Kind {
		case engine.KindFastArray:
			if e.versions[v.Piece].compareFast(a.Fast(v.Prop), s.clock) {
				changed.Set(n)
			}
			continue
		case engine.KindArray:
			if s.compareArray(e, v) {
				changed.Set(n)
			}
			continue
		case engine.KindStruct:
			if s.compareStruct(e, v) {
				changed.Set(n)
			}
			continue
		default:
		}
		nw, ns := v.Type.Words(), v.Type.Strs()
		a.ReadProperty(v.Prop, words[:], strs[:])
		old := e.Words[v.Word : v.Word+nw]
		same := true
		for i := range old {
			same = same && old[i] == words[i]
		}
		if ns > 0 {
			same = same && e.Strs[v.Str] == strs[0]
		}
		if same {
			continue
		}
		crosses := true
		switch v.Type.Kind {
		case engine.KindVector:
			crosses = !sameVector(v.Type, old, words[:])
		case engine.KindRotator:
			const upper = 0x0000_ff00_ff00_ff00
			crosses = old[0]&upper != words[0]&upper
		default:
		}
		copy(old, words[:])
		if ns > 0 {
			e.Strs[v.Str] = strs[0]
		}
		if crosses {
			changed.Set(n)
		}
	}
	return changed
}

// comparePosition is compare for the actor's Location.
func (s *Server) comparePosition(e *entity) bool {
	k := e.class
	at := e.actor.Location
	engine.StoreVector(e.Words[k.Vars[k.Location].Word:], at)
	q, _ := k.Grid.Quantise(at)
	if q == e.At {
		return false
	}
	e.At = q
	if len(e.subs) == 0 {
		e.Forget()
		return true
	}
	if !e.Traced() {
		if len(s.positionsFree) == 0 { // in rows: movers are seen for the first time one by one, for long
			s.positionsFree = make([]shadow.Positions, 32)
		}
		e.Trace(&s.positionsFree[0])
		s.positionsFree = s.positionsFree[1:]
	}
	e.Note(s.update)
	return true
}

// sameVector reports whether two vectors cross alike (R5.10).
func sameVector(t *engine.Type, a, b []uint64) bool {
	g := wire.GridOf(t)
	p, _ := g.Quantise(engine.LoadVector(a))
	q, _ := g.Quantise(engine.LoadVector(b))
	return p == q
}

func (s *Server) compareArray(e *entity, v *schema.Var) bool {
	nw, ns := v.Type.Words(), v.Type.Strs()
	words, strs := s.scratch(nw, ns)
	e.actor.ReadProperty(v.Prop, words, strs)
	el := v.Type.Elem
	changed := false
	p := &e.versions[v.Piece]
	for i := range v.Type.Len {
		w, st := e.Words[v.Word+i*el.Words():][:el.Words()], e.Strs[v.Str+i*el.Strs():][:el.Strs()]
		nw, ns := words[i*el.Words():][:el.Words()], strs[i*el.Strs():][:el.Strs()]
		if sameWords(w, nw) && sameStrs(st, ns) {
			continue
		}
		if !crossesAlike(el, w, nw, st, ns) {
			changed = true
			p.elems[i] = s.clock
		}
		copy(w, nw)
		copy(st, ns)
	}
	return changed
}

func (s *Server) compareStruct(e *entity, v *schema.Var) bool {
	nw, ns := v.Type.Words(), v.Type.Strs()
	words, strs := s.scratch(nw, ns)
	e.actor.ReadProperty(v.Prop, words, strs)
	w, st := e.Words[v.Word:v.Word+nw], e.Strs[v.Str:v.Str+ns]
	alike := crossesAlike(v.Type, w, words, st, strs)
	copy(w, words)
	copy(st, strs)
	return !alike
}

// crossesAlike compares two values as far as they cross.
func crossesAlike(t *engine.Type, a, b []uint64, as, bs []string) bool {
	switch t.Kind {
	case engine.KindVector:
		return sameVector(t, a, b)
	case engine.KindRotator:
		const upper = 0x0000_ff00_ff00_ff00
		return a[0]&upper == b[0]&upper
	case engine.KindStruct:
		for i := range t.Fields {
			f := &t.Fields[i]
			if !f.Local && !crossesAlike(f.Type, a[f.Word():], b[f.Word():], as[f.Str():], bs[f.Str():]) {
				return false
			}
		}
		return true
	case engine.KindArray:
		w, st := t.Elem.Words(), t.Elem.Strs()
		for i := range t.Len {
			if !crossesAlike(t.Elem, a[i*w:], b[i*w:], as[i*st:], bs[i*st:]) {
				return false
			}
		}
		return true
	default:
		return sameWords(a[:t.Words()], b[:t.Words()]) && sameStrs(as[:t.Strs()], bs[:t.Strs()])
	}
}

func (s *Server) scratch(words, strs int) ([]uint64, []string) {
	if cap(s.main.words) < words {
		s.main.words = make([]uint64, words)
	}
	if cap(s.main.strs) < strs {
		s.main.strs = make([]string, strs)
	}
	return s.main.words[:words], s.main.strs[:strs]
}

// markVisible brings the shadow of an entity that nobody had up to what the last net update found of it.
func (s *Server) markVisible(e *entity) {
	if e.unsent.Empty() || e.tornOff {
		return
	}
	m := e.unsent
	e.unsent = wire.Mask{}
	s.compare(e, &m)
}
