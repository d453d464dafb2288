package server

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/wire"
)

// span is an entity's variables of one mask, encoded in the arena of one net update.
type span struct {
	mask     wire.Mask
	update   uint32
	slot     int32  // the entity's
	base     uint32 // net update of the place that the connection holds, 0 for none
	from, to uint32
	// ends are where each variable ends, as places in encoder.ends.
	ends, count uint32
	relative    bool // the place is relative to that of base
}

// numSpans is how many of them an encoder finds again: each takes a cache line, and one more of them than there are is
// encoded once more, which takes less time than a search in more memory than the caches hold.
const numSpans = 256

// encoder encodes variables once for all connections of a net update (R5.21).
type encoder struct {
	vals  wire.Values
	arena []byte
	ends  []uint32
	spans [numSpans]span // by the lower bits of the slot
}

// ownEncoder also encodes what is not the same for every connection. It belongs to the server's goroutine.
type ownEncoder struct {
	worker
	names names
	words []uint64 // scratch
	strs  []string
}

func newEncoder() encoder { return encoder{ends: make([]uint32, 0, 1024)} }

// reset starts a net update. Spans of earlier ones are void.
func (x *encoder) reset() {
	x.arena, x.ends = x.arena[:0], x.ends[:0]
}

// fragment is one actor's variables in the arena, with where each of them ends.
type fragment struct {
	bytes []byte
	ends  []uint32 // in the arena
	from  uint32
}

// shared encodes what is the same for every connection: variables without references, elements or items. base is the net
// update whose place the connection holds, 0 for none: the place is written relative to that where that is shorter.
// Connections that hold the same one share the bytes.
func (x *encoder) shared(e shadow.View, mask *wire.Mask, update, base uint32) (f fragment, relative bool) {
	k, slot := e.Class(), e.Slot()
	p := &x.spans[slot%numSpans]
	if p.slot == int32(slot) && p.update == update && p.base == base && p.mask[0] == mask[0] && (k.Small || p.mask == *mask) {
		return x.fragment(p), p.relative
	}
	*p = span{mask: *mask, update: update, slot: int32(slot), base: base, from: uint32(len(x.arena)), ends: uint32(len(x.ends))}
	place := k.Location
	x.vals.Names = nil
	if place < 0 || !mask.Has(place) {
		x.layout(e, mask)
	} else {
		q := e.At()
		was, known := e.PlaceOf(base)
		switch p.relative = known && wire.Nearer(k.Grid, q, was); {
		case !p.relative:
			x.layout(e, mask)
		case mask[0] == 1<<place && k.Small: // it moved, and nothing else
			x.arena = wire.AppendRelative(x.arena, q, was)
			x.ends = append(x.ends, uint32(len(x.arena)))
		case k.Small:
			below := mask[0] & (1<<place - 1)
			x.layout(e, &wire.Mask{below})
			x.arena = wire.AppendRelative(x.arena, q, was)
			x.ends = append(x.ends, uint32(len(x.arena)))
			x.layout(e, &wire.Mask{mask[0] &^ below &^ (1 << place)})
		default:
			below, above := *mask, *mask
			for i := range below {
				switch {
				case i < place>>6:
					above[i] = 0
				case i == place>>6:
					below[i] &= 1<<(place&63) - 1
					above[i] &^= 1<<(place&63+1) - 1
				default:
					below[i] = 0
				}
			}
			x.layout(e, &below)
			x.arena = wire.AppendRelative(x.arena, q, was)
			x.ends = append(x.ends, uint32(len(x.arena)))
			x.layout(e, &above)
		}
	}
	p.to, p.count = uint32(len(x.arena)), uint32(len(x.ends))-p.ends
	return x.fragment(p), p.relative
}

// layout appends variables whole.
func (x *encoder) layout(e shadow.View, mask *wire.Mask) {
	if mask.Empty() {
		return
	}
	x.vals.Ends = x.ends[len(x.ends):]
	x.arena = e.Append(x.arena, &x.vals, mask)
	x.ends = append(x.ends, x.vals.Ends...)
	x.vals.Ends = nil
}

// base is the net update whose place the client holds, and how many datagrams ago it got that; 0 for none.
func (c *sender) base(r *repState) (base uint32, age int) {
	ago := c.sent - r.placeNo
	if r.placed == 0 || r.waits || ago > wire.MaxAge {
		return 0, 0
	}
	// Bit k of both: the datagram k before the next one brought the place, and arrived.
	have := uint64(r.placed) << ago & (c.got << (c.sent - c.gotNo))
	if age = trailing(have); age > wire.MaxAge {
		return 0, 0
	}
	return c.flights[(c.sent-uint32(age))%uint32(len(c.flights))].update, age
}

func (x *encoder) fragment(p *span) fragment {
	return fragment{x.arena[p.from:p.to:p.to], x.ends[p.ends : p.ends+p.count : p.ends+p.count], p.from}
}

// own encodes for one connection: references as it may know them, arrays and fast arrays as far as it lacks them.
// The bytes go to the arena too. Variables that refer to an actor the connection does not have are written as nil
// and remembered (R5.13).
func (x *ownEncoder) own(c *Conn, r *rec, mask *wire.Mask, initial bool) fragment {
	e := r.ent
	k := e.class
	from, ends := uint32(len(x.arena)), len(x.ends)
	x.names = names{c: c, r: r}
	x.vals.Names = &x.names
	for n := mask.Next(0); n >= 0; n = mask.Next(n + 1) {
		v := &k.Vars[n]
		x.names.variable = n
		switch {
		case v.Type.Kind == engine.KindFastArray:
			x.arena = e.pieces[v.Piece].appendFast(x.arena, &x.vals, v, e.actor.Fast(v.Prop), r.since(v, initial))
		case v.Type.Kind == engine.KindArray:
			x.arena = e.pieces[v.Piece].appendArray(x.arena, &x.vals, v, e.Words[v.Word:], e.Strs[v.Str:], r.since(v, initial))
		default:
			x.arena = x.vals.Append(x.arena, v.Type, e.Words[v.Word:], e.Strs[v.Str:])
		}
		x.ends = append(x.ends, uint32(len(x.arena)))
	}
	c.incomplete = x.names.lacks
	x.vals.Names, x.names = nil, names{}
	return fragment{x.arena[from:len(x.arena):len(x.arena)], x.ends[ends:len(x.ends):len(x.ends)], from}
}

// addMoved puts an actor of which nothing changed but its place, which is most of what there is, into the datagram under way:
// two bytes take less time to write again than to find. ok is false where it does not fit, or is better written whole.
func (c *sender) addMoved(x *worker, r *repState) (ok bool) {
	e := r.of
	k := e.Class()
	if !k.Small || k.Location < 0 || r.send != 1<<k.Location || r.waits {
		return false
	}
	base, age := c.base(r)
	if base == 0 {
		return false
	}
	was, known := e.PlaceOf(base)
	if !known || !wire.Nearer(k.Grid, e.At(), was) {
		return false
	}
	n := x.asm.AddRelative(uint16(e.Slot()), k.Location, age, e.At(), was)
	if n == 0 {
		return false
	}
	t := &c.Traffic.Vars(k)[k.Location]
	t.Count++
	t.Bytes += uint64(n)
	return true
}

// addShared puts an actor whose variables are the same for everybody into the datagram under way. ok is false where it does not
// fit, or is something else.
func (c *sender) addShared(x *worker, n *snapshot, r *repState) (ok bool) {
	e := r.of
	k := e.Class()
	if !k.Small || r.waits || r.send&k.Own[0] != 0 {
		return false
	}
	var base uint32
	var age int
	if k.Location >= 0 && r.send>>k.Location&1 != 0 {
		base, age = c.base(r)
	}
	mask, rel := wire.Mask{r.send}, uint64(0)
	f, relative := x.shared(e, &mask, n.update, base)
	if !relative {
		age = 0
	} else {
		rel = 1 << k.Location
	}
	if !x.asm.AddNarrow(uint16(e.Slot()), r.send, rel, age, f.bytes) {
		return false
	}
	c.count(e, &mask, &f)
	return true
}

// encode gives what is to be sent of an actor, the same for every connection or not, whichever its mask needs, and the key of
// the run that it goes into, which holds until the next call.
func (c *sender) encode(x *worker, n *snapshot, r *repState, turn inTurn) (f fragment, key *wire.RunKey) {
	k := r.of.Class()
	all := r.sendAll()
	mask := &all
	key = &c.key
	*key = wire.RunKey{Mask: *mask, Waits: r.waits, After: r.after}
	if !r.waits {
		key.After = 0
	}
	if meets(mask, &k.Own) {
		return turn.encodeOwn(r), key
	}
	var base uint32
	var age int
	if k.Location >= 0 && mask.Has(k.Location) {
		base, age = c.base(r)
	}
	f, relative := x.shared(r.of, mask, n.update, base)
	if relative {
		key.Age = age
		key.Rel.Set(k.Location)
	}
	return f, key
}

// encodeOwn implements inTurn.
func (c *Conn) encodeOwn(st *repState) fragment {
	all := st.sendAll()
	return c.s.main.own(c, c.recs[st.of.Slot()], &all, false)
}

// since is the update up to which a connection is known to have the elements of a variable.
func (r *rec) since(v *schema.Var, initial bool) uint32 {
	if initial || r.pieces == nil {
		return 0
	}
	return r.pieces[v.Piece]
}

// names tells a connection of actors that it has, and of no others (R3.12).
type names struct {
	c        *Conn
	r        *rec
	variable int
	lacks    wire.Mask // variables that refer to an actor which the client does not have

	// was are the classes by whose numbers a client speaks that has not heard of a reload yet, nil for the present ones.
	// Where it names one of those that the reload took away, or that fits no more, stale is set.
	was   *schema.Set
	stale bool
}

// NetID implements wire.Names.
func (n *names) NetID(id engine.ActorID) uint32 {
	e := n.c.s.find(id)
	if e == nil {
		return 0
	}
	if t := n.c.rec(e); t != nil && t.known() {
		if t.told {
			return e.net
		}
		t.asked = true // the level's own, asleep from the beginning: the client has to hear its number
		n.c.queue(t)
	}
	if n.r != nil {
		n.lacks.Set(n.variable)
		n.c.await(id, n.r, n.variable)
	}
	return 0
}

// await remembers that a variable is to be sent again when an actor is there, and that it is initial until then.
func (c *Conn) await(id engine.ActorID, r *rec, variable int) {
	if st := c.own(r); st.initial {
		var m wire.Mask
		m.Set(variable)
		st.makeLate(&m)
	}
	if !c.awaits(id, r, variable) {
		c.pruneAwaiting()
		c.awaiting = append(c.awaiting, await{target: id, r: r, serial: r.serial, variable: variable})
	}
}

// minAwaiting is how many variables may wait without a look at whether they still do.
const minAwaiting = 64

// pruneAwaiting forgets variables that are gone, and actors that will not come, once the list has doubled since.
func (c *Conn) pruneAwaiting() {
	if len(c.awaiting) < max(minAwaiting, c.awaitMost) {
		return
	}
	c.awaiting = slices.DeleteFunc(c.awaiting, func(w await) bool { return w.r.serial != w.serial || c.s.find(w.target) == nil })
	c.awaitMost = 2 * len(c.awaiting)
}

// awaits reports whether a variable is remembered to wait for an actor already.
func (c *Conn) awaits(id engine.ActorID, r *rec, variable int) bool {
	for i := range c.awaiting {
		if w := &c.awaiting[i]; w.target == id && w.r == r && w.serial == r.serial && w.variable == variable {
			return true
		}
	}
	return false
}

// Actor implements wire.Names for what a client sends: it may name only actors that it has.
func (n *names) Actor(net uint32, t *engine.Type) (engine.ActorID, bool) {
	r := n.c.byNet(net)
	if r == nil || !r.known() {
		return 0, true // it has gone since, or the client guesses: nobody
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

// differing are the variables of an entity that are not at their class's defaults (R5.2).
func (e *entity) differing() (m wire.Mask) {
	k := e.class
	for n := range k.Vars {
		v := &k.Vars[n]
		switch {
		case v.Type.Kind == engine.KindFastArray:
			if p := &e.pieces[v.Piece]; len(p.items) > 0 || len(p.removed) > 0 || e.actor.Fast(v.Prop).Len() > 0 {
				m.Set(n)
			}
		case !k.Default(n, e.Words[v.Word:v.Word+v.Type.Words()], e.Strs[v.Str:v.Str+v.Type.Strs()]):
			m.Set(n)
		}
	}
	return m
}

// count adds a fragment's variables to a connection's counters, bytes one by one.
func (c *sender) count(e shadow.View, mask *wire.Mask, f *fragment) {
	vars := c.Traffic.Vars(e.Class())
	from, i := f.from, 0
	for w := range mask {
		for m := mask[w]; m != 0; m &= m - 1 {
			n := w<<6 + trailing(m)
			t := &vars[n]
			t.Count++
			t.Bytes += uint64(f.ends[i] - from)
			from = f.ends[i]
			i++
		}
	}
}

func meets(a, b *wire.Mask) bool {
	return a[0]&b[0]|a[1]&b[1]|a[2]&b[2]|a[3]&b[3] != 0
}

func and(a, b *wire.Mask) wire.Mask {
	return wire.Mask{a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]}
}

func or(a, b *wire.Mask) wire.Mask {
	return wire.Mask{a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]}
}

func without(a, b *wire.Mask) wire.Mask {
	return wire.Mask{a[0] &^ b[0], a[1] &^ b[1], a[2] &^ b[2], a[3] &^ b[3]}
}
