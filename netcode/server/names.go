package server

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// names lets a connection refer to actors that it has, and to no others (R3.12).
type names struct {
	c        *Conn
	r        *repState
	variable int
	lacks    wire.Mask // variables that refer to an actor that the client does not have

	// was is the set of classes whose numbers a client uses that has not received a reload yet, nil for the present
	// ones. If it refers to a class that the reload removed, or that no longer fits, stale is set.
	was   *schema.Set
	stale bool
}

// minAwaiting is how many variables may wait before the list is pruned.
const minAwaiting = 64

// ownEncoder also encodes what differs between connections. It belongs to the server's goroutine.
type ownEncoder struct {
	worker
	names   names
	scratch wire.Storage
}

// await is a variable that was sent as nil because its target is missing (R5.13).
type await struct {
	target   engine.ActorID
	r        *repState
	serial   uint32
	variable int
}

// NetID implements wire.Names.
func (n *names) NetID(id engine.ActorID) uint32 {
	e := n.c.s.find(id)
	if e == nil {
		return 0
	}
	if t := n.c.rep(e); t != nil && t.known() {
		if t.told {
			return e.net
		}
		t.asked = true // the level's own, dormant from the beginning: the client has to learn its number
		n.c.queue(t)
	}
	if n.r != nil {
		n.lacks.Set(n.variable)
		n.c.await(id, n.r, n.variable)
	}
	return 0
}

// await records that a variable is to be sent again when the client has an actor, and that it counts as initial
// until then.
func (c *Conn) await(id engine.ActorID, r *repState, variable int) {
	if st := c.own(r); st.initial {
		var m wire.Mask
		m.Set(variable)
		st.makeLate(m)
	}
	if !c.awaits(id, r, variable) {
		c.pruneAwaiting()
		c.awaiting = append(c.awaiting, await{id, r, r.serial, variable})
	}
}

// pruneAwaiting drops variables that are gone and actors that will not come, once the list has doubled.
func (c *Conn) pruneAwaiting() {
	if len(c.awaiting) < max(minAwaiting, c.awaitMost) {
		return
	}
	c.awaiting = slices.DeleteFunc(c.awaiting, func(w await) bool { return w.r.serial != w.serial || c.s.find(w.target) == nil })
	c.awaitMost = 2 * len(c.awaiting)
}

// awaits reports whether a variable is already recorded as waiting for an actor.
func (c *Conn) awaits(id engine.ActorID, r *repState, variable int) bool {
	return slices.Contains(c.awaiting, await{id, r, r.serial, variable})
}

// Actor implements wire.Names for what a client sends: it may only refer to actors that it has.
func (n *names) Actor(net uint32, t *engine.Type) (engine.ActorID, bool) {
	r := n.c.byNet(net)
	if r == nil || !r.known() {
		return 0, true // it ended since, or the client guesses: nil
	}
	if t != nil && t.Class != "" && !r.ent.actor.IsA(t.Class) {
		return 0, false
	}
	return r.ent.id, true
}

// Class implements wire.Names.
func (n *names) Class(word uint32, t *engine.Type) bool {
	if n.was == nil || word == 0 {
		return n.c.s.set.ClassFits(word, t)
	}
	if !n.was.ClassFits(word, t) {
		return false
	}
	now := n.c.s.set.Classes.Find(n.was.Classes.All()[word-1].Name)
	n.stale = n.stale || now == nil || t != nil && t.Class != "" && !now.IsA(t.Class)
	return true
}

// own encodes for one connection: references as the client may know them, arrays and fast arrays as far as it lacks
// them. The bytes go to the arena too. Variables that refer to an actor that the connection does not have are
// written as nil and recorded (R5.13).
func (x *ownEncoder) own(c *Conn, r *repState, mask *wire.Mask, initial bool) fragment {
	e := r.ent
	k := e.class
	from, ends := uint32(len(x.arena)), len(x.ends)
	x.names = names{c: c, r: r}
	x.vals.Names = &x.names
	for n := range mask.All() {
		v := &k.Vars[n]
		x.names.variable = n
		switch {
		case v.Type.Kind == engine.KindFastArray:
			x.arena = e.versions[v.Piece].appendFast(x.arena, &x.vals, v, e.actor.Fast(v.Prop), r.since(v, initial))
		case v.Type.Kind == engine.KindArray:
			x.arena = e.versions[v.Piece].appendArray(x.arena, &x.vals, v, e.Words[v.Word:], e.Strs[v.Str:], r.since(v, initial))
		default:
			x.arena = x.vals.Append(x.arena, v.Type, e.Words[v.Word:], e.Strs[v.Str:])
		}
		x.ends = append(x.ends, uint32(len(x.arena)))
	}
	c.incomplete = x.names.lacks
	x.vals.Names, x.names = nil, names{}
	return fragment{x.arena[from:len(x.arena):len(x.arena)], x.ends[ends:len(x.ends):len(x.ends)], from}
}

// arrive ends bNetInitial for variables that the client has, except those that by now refer to an actor that it
// lacks.
func (c *Conn) arrive(r *repState, m *wire.Mask) {
	st, ok := r.sending.Private()
	if !ok || !st.isLate {
		return
	}
	for n := range m.All() {
		if st.late.Has(n) && c.lacking(r, n) == 0 {
			st.late.Clear(n)
		}
	}
	st.isLate = !st.late.Empty()
}

// lacking returns an actor that a variable refers to and that the client does not have yet, 0 for none.
func (c *Conn) lacking(r *repState, n int) engine.ActorID {
	if !r.ent.class.Refs.Has(n) {
		return 0
	}
	return r.ent.refers(n, func(id engine.ActorID) bool {
		e := c.s.find(id)
		if e == nil {
			return false
		}
		t := c.rep(e)
		return t == nil || !t.known() || !t.told
	})
}

func (c *Conn) appendCall(b []byte, e *entity, f *engine.Function, num uint16, args []engine.Value) []byte {
	x := &c.s.main
	x.names = names{c: c}
	x.vals.Names = &x.names
	b = x.appendCall(b, e, f, num, args, c.s.world.Classes)
	x.vals.Names, x.names = nil, names{}
	return b
}
