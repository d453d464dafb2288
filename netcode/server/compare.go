package server

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/wire"
)

// compare copies the present values of the marked variables into the shadow. It returns those whose wire value
// changed, of the ones that are sent to clients.
func (s *Server) compare(e *entity) (changed wire.Mask) {
	k := e.class
	for i, m := range e.unsent {
		e.unsent[i] = 0
		for ; m != 0; m &= m - 1 {
			n := i<<6 + trailing(m)
			if n >= len(k.Vars) {
				break
			}
			s.Stats.Compared++
			count.Add(count.Compared, 1)
			if (n == k.Location && s.comparePosition(e) || n != k.Location && s.compareValue(e, &k.Vars[n])) && k.Down.Has(n) {
				changed.Set(n)
			}
		}
	}
	return changed
}

// compareValue is compare for one variable other than Location. For an array it records which elements changed.
func (s *Server) compareValue(e *entity, v *schema.Var) (changed bool) {
	if v.Type.Kind == engine.KindFastArray {
		return e.versions[v.Piece].compareFast(e.actor.Fast(v.Prop), s.clock)
	}
	words, strs := s.present(e, v)
	oldWords, oldStrs := v.In(e.Words, e.Strs)
	if slices.Equal(words, oldWords) && slices.Equal(strs, oldStrs) {
		return false
	}
	if el := v.Type.Elem; v.Type.Kind == engine.KindArray {
		w, st := el.Words(), el.Strs()
		for i := range v.Type.Len {
			if !crossesAlike(el, oldWords[i*w:], words[i*w:], oldStrs[i*st:], strs[i*st:]) {
				e.versions[v.Piece].elems[i], changed = s.clock, true
			}
		}
	} else {
		changed = !crossesAlike(v.Type, oldWords, words, oldStrs, strs)
	}
	copy(oldWords, words)
	copy(oldStrs, strs)
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
		if len(s.positionsFree) == 0 { // in rows: movers appear one by one over a long time
			s.positionsFree = make([]shadow.Positions, 32)
		}
		e.Trace(&s.positionsFree[0])
		s.positionsFree = s.positionsFree[1:]
	}
	e.Note(s.update)
	return true
}

// crossesAlike reports whether two values are the same on the wire.
func crossesAlike(t *engine.Type, a, b []uint64, as, bs []string) bool {
	switch t.Kind {
	case engine.KindVector:
		g := wire.GridOf(t) // R5.10
		p, _ := g.Quantise(engine.LoadVector(a))
		q, _ := g.Quantise(engine.LoadVector(b))
		return p == q
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
		return slices.Equal(a[:t.Words()], b[:t.Words()]) && slices.Equal(as[:t.Strs()], bs[:t.Strs()])
	}
}

// present returns the present value of the actor's variable. It is valid until the next call.
func (s *Server) present(e *entity, v *schema.Var) (words []uint64, strs []string) {
	words, strs = s.main.scratch.For(v.Type)
	e.actor.ReadProperty(v.Prop, words, strs)
	return words, strs
}

// markVisible updates the shadow of an entity that no connection had to what the last net update saw of it.
func (s *Server) markVisible(e *entity) {
	if !e.tornOff {
		s.compare(e)
	}
}
