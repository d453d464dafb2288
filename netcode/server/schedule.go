package server

import (
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/wire"
)

// schedule sends as much as the budget allows, in order of turns where it does not allow all (turns.go). estimate is about how
// many bytes the list takes.
func (c *sender) schedule(x *worker, n *snapshot, estimate int, turn inTurn) {
	f := filling{x: x, n: *n, turn: turn, had: c.credit, estimate: estimate}
	f.ordered = c.saturated || c.needs(estimate) > c.credit
	switch {
	case len(c.list) == 0:
		if c.credit >= c.carryOver {
			c.suffices()
		}
		if c.callN > 0 || len(c.tell) > 0 || c.ledger.Owes() {
			payload := c.callN > 0 || len(c.tell) > 0
			c.send(x, n, c.begin(n).b, payload, 0)
		}
	case f.ordered && c.credit < min(c.carryOver, leastStart):
		c.throttled(x, n)
		c.sendCalls(x, n)
	default:
		if f.ordered {
			c.sortTurns(n)
		}
		if c.credit >= c.carryOver {
			f.low = min(0, c.credit-leastStart)
		}
		f.d = c.begin(n)
		x.asm.Reset(c.room(&f))
		c.fill(&f)
	}
	c.turns.last = n.update
}

// filling is the work of putting what is listed into datagrams. The variables of the one under way are in the worker's assembler.
type filling struct {
	x        *worker
	n        snapshot // a copy: a pointer would have the compiler allocate each snapshot, for d.b is kept
	turn     inTurn
	d        datagram // its b is nil where none is begun
	items    int32
	estimate int     // bytes that the list takes
	had, low float64 // the credit before; down to which the variables of several actors may draw it
	ordered  bool    // by turns
}

// room is how many bytes of variables the datagram may take, unused how many of them overdraw nothing.
func (c *sender) room(f *filling) int {
	return min(wire.MaxDatagram-f.d.size, int(c.credit-f.low)-packetOverhead-f.d.size)
}

func (c *sender) unused(f *filling) int {
	return min(wire.MaxDatagram-f.d.size, int(c.credit)-packetOverhead-f.d.size)
}

// mayGoOn reports whether one more datagram may be begun in the same net update.
func (c *sender) mayGoOn(f *filling) bool {
	return c.credit >= c.carryOver || c.credit-f.low >= leastStart
}

// surplus reports whether credit would be lost if nothing more were sent in this net update: more would be left than is carried
// over.
func (c *sender) surplus(f *filling) bool {
	left := c.credit
	if f.x.asm.Len() > 0 || f.d.calls {
		left -= float64(f.d.size + f.x.asm.Size() + packetOverhead)
	}
	return left > c.carryOver
}

// fill puts what is listed into datagrams, of which the first is begun already, and sends them.
func (c *sender) fill(f *filling) {
	out, ended, room := 0, false, true // those that do not go come first in the list
	for _, st := range c.list {
		if room && (!f.ordered || c.isDue(st)) {
			if room, ended = c.put(f, st, false); ended {
				return
			}
			if room {
				continue
			}
		}
		c.list[out] = st
		out++
	}
	if rest := c.list[:out]; room && out > 0 {
		out = 0
		for _, st := range rest {
			if room = room && c.surplus(f); room {
				if room, ended = c.put(f, st, true); ended {
					return
				}
			}
			if !room {
				c.list[out] = st
				out++
			}
		}
	}
	c.complete(f)
	switch {
	case out > 0:
		c.list = c.list[:out]
		c.throttled(f.x, &f.n)
	case !f.ordered:
		c.saturated = false
		c.learn(f.estimate, f.had-c.credit)
	case c.credit >= c.carryOver:
		c.suffices()
	default:
		c.saturated = true
	}
}

// complete sends the datagram, if there is anything in it.
func (c *sender) complete(f *filling) {
	switch {
	case f.d.b == nil:
	case f.x.asm.Len() > 0:
		c.send(f.x, &f.n, c.finish(f.x, &f.n, f.d), true, f.items)
	case f.d.calls || c.ledger.Owes():
		c.send(f.x, &f.n, f.d.b, f.d.calls, 0)
	default:
		c.headerBytes(-f.d.size)
	}
	f.d, f.items = datagram{}, 0
}

// put opens an actor's channel, or puts what there is of it into the datagram, the next one where this one is full. given: of budget
// that would be lost otherwise. room is false where the budget does not allow it, ended where the connection ended.
func (c *sender) put(f *filling, st *repState, given bool) (room, ended bool) {
	if st.opening {
		if c.credit <= f.low || f.turn.clogged() {
			return false, false
		}
		if f.ordered {
			c.took(st, given)
		}
		return true, !f.turn.openNext(st)
	}
	if !st.open || st.serial == 0 {
		return true, false
	}
	x := f.x
	if given {
		x.asm.Limit(c.unused(f))
	}
	c.incomplete = wire.Mask{}
	if !c.addMoved(x, st) && !c.addShared(x, &f.n, st) {
		frag, key := c.encode(x, &f.n, st, f.turn)
		if !x.asm.Add(uint16(st.of.Slot()), key, frag.bytes) {
			if x.asm.Len() > 0 {
				c.complete(f)
				if !c.mayGoOn(f) || given && !c.surplus(f) {
					return false, false
				}
				f.d = c.begin(&f.n)
				x.asm.Reset(c.room(f))
				if given {
					x.asm.Limit(c.unused(f))
				}
				frag, key = c.encode(x, &f.n, st, f.turn) // of another number of datagrams ago
			}
			if !x.asm.Add(uint16(st.of.Slot()), key, frag.bytes) {
				if given || c.credit < c.carryOver {
					return false, false
				}
				x.asm.Reset(wire.MaxDatagram - f.d.size) // more than the credit: overdrawn once (R4.1)
				if !x.asm.Add(uint16(st.of.Slot()), key, frag.bytes) {
					c.large = append(c.large, sentItem{slot: int32(st.of.Slot()), serial: st.serial}) // more than any datagram holds
					c.spend(float64(len(frag.bytes)))
					c.waiting += float64(len(frag.bytes)) // as soon as it is sent
					if f.ordered {
						c.took(st, given)
					}
					x.asm.Reset(c.room(f))
					return true, false
				}
				x.asm.Limit(0) // by nothing else
			}
		}
		all := st.sendAll()
		c.count(st.of, &all, &frag)
	}
	c.remember(&f.n, st)
	f.items++
	c.served(x, st, f.n.time)
	if f.ordered {
		c.took(st, given)
	}
	return true, false
}

// served marks that something of an actor was sent.
func (c *sender) served(x *worker, st *repState, t float64) {
	st.served, st.dirty = t, false
	if st.wants > 0 {
		if w := t - st.wants; w > x.longest {
			x.longest = w
		}
		st.wants = 0
	}
}

// throttled counts what stays in the list for lack of bandwidth.
func (c *sender) throttled(x *worker, n *snapshot) {
	t := n.time
	c.saturated = true
	for _, st := range c.list {
		if st.opening || st.fresh() {
			c.enlist(n, st)
			if w := t - st.wants; w > x.longest {
				x.longest = w
			}
		}
		if st.opening {
			c.Traffic.Self(st.of.Class()).Throttled++
			continue
		}
		vars := c.Traffic.Vars(st.of.Class())
		all := st.sendAll()
		for n := all.Next(0); n >= 0; n = all.Next(n + 1) {
			vars[n].Throttled++
		}
		st.setRepeat(&wire.Mask{}) // no bandwidth for insurance
	}
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

// gatherInTurn lists what could be sent now, with what of it: channels to open, and what conditions allow that are asked
// where need be. It gives about how many bytes that takes.
func (c *Conn) gatherInTurn() (bytes int) {
	c.list = c.list[:0]
	for _, r := range c.toOpen {
		c.list = append(c.list, c.own(r))
		bytes += 60
	}
	kept := c.due[:0]
	for _, st := range c.due {
		if !st.open {
			st.queued = false
			continue
		}
		if st.waits && c.ledger.PeerHas(st.after) {
			st.waits = false
		}
		if !c.choose(st) {
			c.rest(st)
			continue
		}
		kept = append(kept, st)
		c.list = append(c.list, st)
		bytes += st.estimate()
	}
	clear(c.due[len(kept):])
	c.due = kept
	return bytes
}

// choose works out what of an actor may go now, and reports whether that is anything.
func (c *Conn) choose(st *repState) bool {
	k := st.of.Class()
	r := c.recs[st.of.Slot()]
	if k.Steady && !st.lateDue() {
		c.refresh(r, st)
		in := st.inputBits() & k.InputMask
		if k.Small {
			if mask, ok := st.of.Answered(in); ok {
				st.send = (st.pending | st.repeat) & mask
				return st.send != 0
			}
		} else if mask, _, ok := st.of.Answer(in); ok {
			return st.allow(&mask)
		}
	}
	cond := c.permitted(r.ent, st)
	return st.allow(&cond)
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
