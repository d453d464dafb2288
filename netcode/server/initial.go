package server

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// bNetInitial ends for an actor when the client has processed its opening (R5.5). It does not end for a variable whose
// value the client lacks all the same: one that refers to an actor which the client does not have yet (R5.13), or one
// that changed meanwhile and whose datagram was lost (R5.8). Such a variable is late, repState.late, until a datagram
// arrives that holds its whole value, or a reliable message does.
//
// Only variables whose condition depends on bNetInitial are ever late (schema.Class.Initial).

// landing is the part of a datagram under way that was sent because of bNetInitial, and complete: whether it arrives
// decides whether these variables are late.
type landing struct {
	no     uint32 // number of the datagram
	slot   int32
	serial uint32
	mask   wire.Mask
}

// makeLate keeps bNetInitial for variables.
func (r *repState) makeLate(m *wire.Mask) {
	late := and(m, &r.of.Class().Initial)
	r.late = or(&r.late, &late)
	r.isLate = !r.late.Empty()
}

// lateDue reports whether a late variable has something to send.
func (r *repState) lateDue() bool {
	return r.isLate && (r.pendsAny(&r.late) || r.repeatsAny(&r.late))
}

// arrive ends bNetInitial for variables that the client has, except those that refer by now to an actor which it lacks.
func (c *Conn) arrive(r *rec, m *wire.Mask) {
	st, ok := r.rep.Private()
	if !ok || !st.isLate {
		return
	}
	for n := m.Next(0); n >= 0; n = m.Next(n + 1) {
		if st.late.Has(n) && c.lacking(r, n) == 0 {
			st.late.Clear(n)
		}
	}
	st.isLate = !st.late.Empty()
}

// noteInitial remembers what of the datagram under way was sent because of bNetInitial. Variables that refer to actors which
// the client lacks (sender.incomplete) are not complete.
func (c *sender) noteInitial(r *repState, sent *wire.Mask) {
	m := and(sent, &r.of.Class().Initial)
	if !r.initial {
		m = and(&m, &r.late)
	}
	if m = without(&m, &c.incomplete); !m.Empty() {
		c.landings = append(c.landings, landing{c.sent, int32(r.of.Slot()), r.serial, m})
	}
}

// land takes the fate of a datagram. What was lost is late; what arrived is not, and no older datagram makes it late again.
func (c *Conn) land(no uint32, delivered bool) {
	kept := c.landings[:0]
	for _, l := range c.landings { // in order of datagrams
		r := c.recOf(l.slot, l.serial)
		switch {
		case r == nil:
		case l.no != no:
			kept = append(kept, l)
		case delivered:
			for i := range kept {
				if o := &kept[i]; o.slot == l.slot && int32(o.no-no) < 0 {
					o.mask = without(&o.mask, &l.mask)
				}
			}
			c.arrive(r, &l.mask)
		default:
			c.own(r).makeLate(&l.mask)
		}
	}
	c.landings = kept
}

// permitted are the variables whose condition holds for a connection, late ones included.
func (c *Conn) permitted(e *entity, st *repState) wire.Mask {
	in := c.input(e.actor, st)
	m := c.s.conditions(e, in, c)
	if st.isLate {
		first := c.s.conditions(e, in|engine.CondInput(engine.MaskInitial), c)
		first = and(&first, &st.late)
		m = or(&m, &first)
	}
	return m
}

// lacking is an actor that a variable refers to and the client does not have yet, 0 for none.
func (c *Conn) lacking(r *rec, n int) engine.ActorID {
	if !r.ent.class.Refs.Has(n) {
		return 0
	}
	return r.ent.refers(n, func(id engine.ActorID) bool {
		e := c.s.find(id)
		if e == nil {
			return false
		}
		t := c.rec(e)
		return t == nil || !t.known() || !t.told
	})
}

// refers is the first actor that a variable refers to and of which f is true, 0 for none.
func (e *entity) refers(n int, f func(engine.ActorID) bool) engine.ActorID {
	v := &e.class.Vars[n]
	if v.Type.Kind != engine.KindFastArray {
		return refIn(v.Type, e.Words[v.Word:], f)
	}
	items := e.actor.Fast(v.Prop).Items()
	for i := range items {
		if id := refIn(v.Type.Elem, items[i].Words, f); id != 0 {
			return id
		}
	}
	return 0
}

// refIn is the first actor that a stored value refers to and of which f is true, 0 for none. Local members do not cross.
func refIn(t *engine.Type, words []uint64, f func(engine.ActorID) bool) engine.ActorID {
	switch t.Kind {
	case engine.KindRef:
		if id := engine.ActorID(words[0]); id != 0 && f(id) {
			return id
		}
	case engine.KindStruct:
		for i := range t.Fields {
			if m := &t.Fields[i]; !m.Local {
				if id := refIn(m.Type, words[m.Word():], f); id != 0 {
					return id
				}
			}
		}
	case engine.KindArray:
		w := t.Elem.Words()
		for i := range t.Len {
			if id := refIn(t.Elem, words[i*w:], f); id != 0 {
				return id
			}
		}
	default:
	}
	return 0
}
