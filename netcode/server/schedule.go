package server

import (
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/netcode/wire"
)

// schedule sends as much as the budget allows, in order of turns if it does not allow everything (turns.go).
// estimate is the approximate size of the list in bytes.
func (c *sender) schedule(x *worker, n *snapshot, estimate int, turn inTurn) {
	f := filling{x: x, n: *n, turn: turn, had: c.credit, estimate: estimate}
	f.ordered = c.saturated || c.needs(estimate) > c.credit
	switch {
	case len(c.list) == 0:
		if c.credit >= c.carryOver {
			c.suffices()
		}
		if payload := c.callN > 0 || len(c.tell) > 0; payload || c.ledger.Owes() {
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

// filling is the work of putting the list into datagrams. The variables of the current datagram are in the worker's
// assembler.
type filling struct {
	x        *worker
	n        snapshot // a copy: with a pointer the compiler would allocate each snapshot, because d.b is kept
	turn     inTurn
	d        datagram // its b is nil if none is begun
	items    int32
	estimate int     // size of the list in bytes
	had, low float64 // the credit before; down to which the variables of several actors may draw it
	ordered  bool    // by turns
}

// room returns how many bytes of variables the datagram may take, unused how many of them do not overdraw the
// budget.
func (c *sender) room(f *filling) int {
	return min(wire.MaxDatagram-f.d.size, int(c.credit-f.low)-packetOverhead-f.d.size)
}

func (c *sender) unused(f *filling) int {
	return min(wire.MaxDatagram-f.d.size, int(c.credit)-packetOverhead-f.d.size)
}

// mayGoOn reports whether another datagram may be started in the same net update.
func (c *sender) mayGoOn(f *filling) bool {
	return c.credit >= c.carryOver || c.credit-f.low >= leastStart
}

// surplus reports whether credit would be lost if nothing more were sent in this net update, because more would
// remain than is carried over.
func (c *sender) surplus(f *filling) bool {
	left := c.credit
	if f.x.asm.Len() > 0 || f.d.calls {
		left -= float64(f.d.size + f.x.asm.Size() + packetOverhead)
	}
	return left > c.carryOver
}

// fill puts the list into datagrams, of which the first is already started, and sends them.
func (c *sender) fill(f *filling) {
	count.Add(count.Updated, len(c.list))
	out, ended, room := 0, false, true // entries that are not sent come first in the list
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

// complete sends the datagram, if it has any content.
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

// put opens an actor's channel, or puts its variables into the datagram, or the next one if this one is full.
// given: from budget that would be lost otherwise. room is false if the budget does not allow it, ended is set if
// the connection ended.
func (c *sender) put(f *filling, st *sendState, given bool) (room, ended bool) {
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
	_, ok := c.addVars(f, st)
	if !ok && x.asm.Len() > 0 {
		c.complete(f)
		if !c.mayGoOn(f) || given && !c.surplus(f) {
			return false, false
		}
		f.d = c.begin(&f.n)
		x.asm.Reset(c.room(f))
		if given {
			x.asm.Limit(c.unused(f))
		}
		_, ok = c.addVars(f, st) // relative to another datagram now
	}
	if !ok {
		if given || c.credit < c.carryOver {
			return false, false
		}
		x.asm.Reset(wire.MaxDatagram - f.d.size) // more than the credit: overdrawn once (R4.1)
		bytes, all := c.addVars(f, st)
		if !all {
			c.large = append(c.large, st.item(wire.Mask{})) // larger than any datagram
			c.spend(float64(bytes))
			c.waiting += float64(bytes) // as soon as it is sent
			if f.ordered {
				c.took(st, given)
			}
			x.asm.Reset(c.room(f))
			return true, false
		}
		x.asm.Limit(0) // by nothing else
	}
	c.remember(&f.n, st)
	f.items++
	c.served(x, st, f.n.time)
	if f.ordered {
		c.took(st, given)
	}
	return true, false
}

// served records that something of an actor was sent.
func (c *sender) served(x *worker, st *sendState, t float64) {
	st.served, st.dirty = t, false
	if st.wants > 0 {
		x.longest = max(x.longest, t-st.wants)
		st.wants = 0
	}
}

// throttled counts what stays in the list for lack of bandwidth.
func (c *sender) throttled(x *worker, n *snapshot) {
	c.saturated = true
	for _, st := range c.list {
		if st.opening || st.fresh() {
			c.enlist(n, st)
			x.longest = max(x.longest, n.time-st.wants)
		}
		if st.opening {
			c.Traffic.Self(st.of.Class()).Throttled++
			continue
		}
		vars := c.Traffic.Vars(st.of.Class())
		all := st.get(send)
		for n := range all.All() {
			vars[n].Throttled++
		}
		st.put(repeat, wire.Mask{}) // no bandwidth for repetitions
	}
}

// addVars puts the permitted variables of an actor into the current datagram, in the shared or the individual
// encoding, as they require. ok is false if there is no room; bytes is the size of the values.
func (c *sender) addVars(f *filling, st *sendState) (bytes int, ok bool) {
	x, e := f.x, st.of
	k := e.Class()
	vars := c.Traffic.Vars(k)
	var base uint32
	var age int
	if k.Location >= 0 && st.has(send, k.Location) {
		base, age = c.base(st)
	}
	if k.Small && !st.waits && st.send&k.Own[0] == 0 {
		return x.addShared(&x.asm, e, st.send, f.n.update, base, age, vars)
	}
	var frag fragment
	key := &c.key
	*key = wire.RunKey{Mask: st.get(send), Waits: st.waits}
	if st.waits {
		key.After = st.after
	}
	if key.Mask.Meets(k.Own) {
		frag = f.turn.encodeOwn(st)
	} else {
		var relative bool
		if frag, relative = x.shared(e, &key.Mask, f.n.update, base); relative {
			key.Age = age
			key.Rel.Set(k.Location)
		}
	}
	if ok = x.asm.Add(uint16(e.Slot()), key, frag.bytes); ok {
		frag.count(vars, &key.Mask)
	}
	return len(frag.bytes), ok
}

// gatherInTurn lists what could be sent now, including channels to open, and returns its approximate size in bytes.
func (c *Conn) gatherInTurn() (bytes int) {
	c.listOpenings()
	bytes, _ = c.gather(c.s.owners, c)
	return bytes + 60*len(c.toOpen)
}

// listOpenings lists the channels that are to be opened.
func (c *Conn) listOpenings() {
	c.list = c.list[:0]
	for _, r := range c.toOpen {
		c.list = append(c.list, c.own(r))
	}
}

// ask implements inTurn: it evaluates conditions if necessary.
func (c *Conn) ask(st *sendState, known bool) bool {
	if known {
		return true
	}
	r := c.reps[st.of.Slot()]
	if c.refresh(r, st); !st.choose(c.s.owners) {
		st.allow(c.permitted(r.ent, st))
	}
	return true
}
