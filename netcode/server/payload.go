package server

import (
	"slices"

	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/traffic"
	"github.com/tidelock/tidelock/netcode/wire"
)

const (
	itemHead  = 3   // a channel number
	partHeads = 160 // the headers of the runs of a part
	partMost  = wire.MaxDatagram - wire.MaxHeader - 8 - partHeads
)

// next gives the next payload a number. A net update without payloads has a number too: members' own datagrams
// carry it, so that positions in them can be identified when the actor's state becomes shared.
func (w *group) next() {
	w.number++
	*w.updates.at(w.number) = w.s.update
	oldest := w.number
	for _, c := range w.members {
		if n := c.sess.InFlight(); n > 0 {
			if q := c.flights.at(c.sent - uint32(n)).newest; int32(q-oldest) < 0 {
				oldest = q
			}
		}
	}
	for ; int32(oldest-w.tail) > 0; w.tail++ {
		if l := &w.log[w.tail%groupLog]; cap(*l) > 0 {
			w.free = append(w.free, (*l)[:0])
			*l = nil
		}
	}
}

// part starts another payload.
func (w *group) part() *part {
	w.next()
	n := len(w.parts)
	w.parts = slices.Grow(w.parts, 1)[:n+1]
	p := &w.parts[n]
	p.number, p.most, p.n = w.number, 0, 0
	p.items = p.items[:0:0]
	if n := len(w.free); n > 0 {
		p.items, w.free = w.free[n-1], w.free[:n-1]
	}
	return p
}

// mostVariants is how many variants of a part are kept; further members have theirs encoded individually.
const mostVariants = 16

// variant returns the variant of a part for a member, created on first use; nil if there are too many.
func (w *group) variant(c *Conn, p *part) *variant {
	got := c.holds64(p.number, &w.ages)
	for i := range p.variants[:p.n] {
		if v := &p.variants[i]; v.got == got && v.ages == w.ages {
			return v
		}
	}
	if p.n == mostVariants {
		return nil
	}
	if p.n == len(p.variants) {
		p.variants = append(p.variants, variant{})
	}
	v := &p.variants[p.n]
	p.n++
	v.got, v.ages = got, w.ages
	w.asm.Reset(wire.MaxDatagram - wire.MaxHeader - 8)
	v.fit, v.bytes, v.counts = 0, v.bytes[:0], v.counts[:0]
	var t *tally
	for i := range p.items {
		it := &p.items[i]
		if k := it.g.ent.class; t == nil || t.class != k {
			t = v.tally(k)
		}
		if !w.add(&w.asm, it, got, &v.ages, p.number, t.vars) {
			break
		}
		t.mask |= it.mask
		v.fit++
	}
	v.bytes = w.asm.Append(v.bytes, w.s.set.Epoch)
	v.values = w.asm.Values()
	return v
}

// base returns the net update of the newest position held by members that have certain payloads, and how many
// datagrams ago it arrived; 0 for none, or if the item has no position.
func (w *group) base(it *groupItem, got uint64, ages *[32]uint8, number uint32) (base uint32, age int) {
	g := it.g
	k := g.ent.class
	if k.Location < 0 || it.mask>>k.Location&1 == 0 {
		return 0, 0
	}
	j := trailing(uint64(g.positions) << (number - g.positionNo) & got)
	if j > wire.MaxAge {
		return 0, 0
	}
	if age = j; ages[0] != regularAges {
		age = int(ages[j&31])
	}
	return *w.updates.at(number - uint32(j)), age
}

// add adds an item to a datagram of a member that has certain payloads, if there is room. vars counts it.
func (w *group) add(asm *wire.Assembler, it *groupItem, got uint64, ages *[32]uint8, number uint32, vars []traffic.Entry) (ok bool) {
	base, age := w.base(it, got, ages, number)
	_, ok = w.s.main.addShared(asm, it.g.of, it.mask, w.s.update, base, age, vars)
	return ok
}

func (v *variant) tally(k *schema.Class) *tally {
	for i := range v.counts {
		if v.counts[i].class == k {
			return &v.counts[i]
		}
	}
	n := len(v.counts)
	v.counts = slices.Grow(v.counts, 1)[:n+1]
	t := &v.counts[n]
	t.class, t.mask, t.vars = k, 0, append(t.vars[:0], make([]traffic.Entry, len(k.Vars))...)
	return t
}

// serveParts sends a member the group's payloads, and then its own data.
func (c *Conn) serveParts(n *snapshot) {
	x := &c.s.main.worker
	parts := c.s.group.parts
	d := c.begin(n)
	had := c.credit
	for i := range parts {
		p := &parts[i]
		if d.calls && d.size+c.s.group.expect(p.most)+partHeads > wire.MaxDatagram {
			c.send(x, n, d.b, true, 0)
			d = c.begin(n)
		}
		x.asm.Reset(wire.MaxDatagram - d.size)
		last := i == len(parts)-1
		done := false
		if len(c.except) == 0 && (!last || len(c.list) == 0) {
			d.b, done = c.copyPart(d.b, p)
		}
		if !done {
			c.addPart(p)
			if !last && x.asm.Len() > 0 {
				d.b = c.finish(x, n, d)
			}
		}
		c.carry(p.number)
		if last && !done {
			break // the connection's own data follows
		}
		c.send(x, n, d.b, true, 0)
		if last {
			c.except = c.except[:0]
			c.saturated = false
			return
		}
		d = c.begin(n)
	}
	c.except = c.except[:0]
	f := filling{x: x, n: *n, turn: c, d: d, had: had}
	c.fill(&f)
}

// copyPart appends a part unchanged to the current datagram. It returns false if the part must be assembled for
// this member.
func (c *Conn) copyPart(b []byte, p *part) ([]byte, bool) {
	v := c.s.group.variant(c, p)
	if v == nil || v.fit < len(p.items) || len(b)+len(v.bytes) > wire.MaxDatagram {
		return b, false
	}
	for i := range v.counts {
		t := &v.counts[i]
		vars := c.Traffic.Vars(t.class)
		for m := t.mask; m != 0; m &= m - 1 {
			n := trailing(m)
			vars[n].Count += t.vars[n].Count
			vars[n].Bytes += t.vars[n].Bytes
		}
	}
	c.headerBytes(len(v.bytes) - v.values)
	count.Add(count.Copied, len(v.bytes))
	return append(b, v.bytes...), true
}

// addPart adds a part to the current datagram, without the items that this member must not get.
func (c *Conn) addPart(p *part) {
	var ages [32]uint8
	count.Add(count.Updated, len(p.items))
	got := c.holds64(p.number, &ages)
	x := &c.s.main.worker
	for i := range p.items {
		it := &p.items[i]
		if len(c.except) > 0 && slices.Contains(c.except, exception{it.g, p.number}) {
			continue
		}
		if !c.s.group.add(&x.asm, it, got, &ages, p.number, c.Traffic.Vars(it.g.ent.class)) {
			// Items without room wait for the next net update, as if they had been lost.
			if r := c.repAt(it.slot); r != nil && r.sending.Common() == it.g {
				c.own(r)
			}
		}
	}
}

// prepare determines what members are sent in this net update, and which members should leave the group.
func (w *group) prepare() {
	w.parts = w.parts[:0]
	w.before = w.number
	if len(w.members) == 0 {
		return
	}
	most := w.gather()
	for i := len(w.members) - 1; i >= 0; i-- {
		if c := w.members[i]; !c.fits(most) {
			w.leave(c)
		}
	}
	if len(w.members) < leastMembers {
		w.dissolve()
		return
	}
	w.commit()
}

// gather lists what could be sent now, as Conn.gather does, and returns its maximum size in bytes.
func (w *group) gather() (most int) {
	s := w.s
	w.list = w.list[:0]
	kept := w.due[:0]
	for _, g := range w.due {
		e := g.ent
		if e == nil {
			continue
		}
		k := e.class
		g.bitsFor = s.owners // a changed owner or role has ended the sharing
		if !g.choose(s.owners) {
			g.allow(s.conditions(e, g.inputBits(), nil))
		}
		if g.send&k.Alone[0] != 0 || e.dormant() || e.actor.BNetTemporary {
			w.eject(g)
			continue
		}
		if g.send == 0 {
			g.repeat, g.queued = 0, false
			continue
		}
		kept = append(kept, g)
		w.list = append(w.list, g)
		g.most = k.Most(g.send) + itemHead
		most += g.most
	}
	clear(w.due[len(kept):])
	w.due = kept
	return most
}

// fits reports whether a member can be sent all of its data.
func (c *Conn) fits(most int) bool {
	if c.state != playing {
		return true // it is sent nothing, and removed soon
	}
	if c.epoch != c.s.set.Epoch {
		return false
	}
	w := &c.s.group
	c.estimate, c.gathered = c.gatherInTurn(), true
	bytes := w.expect(most)
	bytes += bytes/partMost*(packetOverhead+partHeads) + c.estimate + 2*packetOverhead + partHeads
	return !c.saturated && float64(bytes) <= c.credit && c.sess.InFlight() < groupInFlight
}

// expect returns the likely size of something with a given maximum size.
func (w *group) expect(most int) int { return int(float64(most) * w.slack) }

// done adapts the estimate to the parts of this net update.
func (w *group) done() {
	w.slack *= 0.98
	for i := range w.parts {
		p := &w.parts[i]
		for j := range p.variants[:p.n] {
			v := &p.variants[j]
			if w.slack = max(w.slack, 1.15*float64(len(v.bytes))/float64(p.most)); v.fit < len(p.items) || w.slack > 1 {
				w.slack = 1
			}
		}
	}
	w.parts = w.parts[:0]
}

// commit makes parts of the list and records them as sent, as Conn.remember does.
func (w *group) commit() {
	if len(w.list) == 0 {
		w.next()
		return
	}
	s := w.s
	t := s.world.Time
	var p *part
	for _, g := range w.list {
		e := g.ent
		if e == nil {
			continue
		}
		k := e.class
		if p == nil || w.expect(p.most+g.most) > partMost {
			p = w.part()
		}
		p.most += g.most
		p.items = append(p.items, groupItem{g, g.send, int32(e.slot)})
		s.Stats.Common += g.n
		for _, c := range g.out {
			c.except = append(c.except, exception{g, p.number})
		}
		g.note(p.number)
		g.served, g.dirty = t, false
		if len(s.logClass) > 0 && s.logClass[k.Class.Name] {
			for _, x := range e.subs[e.alone:] {
				r := x.r
				m := wire.Mask{g.send}
				s.logLine("send " + e.actor.String() + " to " + r.conn.String() + ": " + maskNames(e, &m))
			}
		}
	}
	for i := range w.parts {
		w.log[w.parts[i].number%groupLog] = w.parts[i].items
	}
}
