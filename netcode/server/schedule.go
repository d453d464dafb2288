package server

import (
	"slices"

	"github.com/tidelock/tidelock/netcode/wire"
)

// schedule sends as much as the budget allows, in order of priority where it does not allow all.
//
// Order is start-time fair queueing: each actor has a tag, the virtual time of its last turn; its key is the tag, or
// the connection's virtual time if that is later, plus 1 / priority; the smallest goes first and takes its key as its
// tag. So always-changing actors get turns in proportion to their priorities (R4.3), whoever waited comes before
// who was served (R4.8), and no one waits longer than the ratios add up to. When all was sent, all tags are void.
//
// False: nothing was done, since it needs more than is the connection's own (apart).
func (c *Conn) schedule() bool {
	s := c.s
	estimate := c.estimate
	if !c.gathered {
		if estimate = c.gather(); estimate < 0 {
			return false
		}
	}
	c.gathered = false
	var parts []part
	if c.member {
		parts = s.crowd.parts
	}
	if len(c.list) == 0 && len(parts) == 0 {
		c.saturated = false
		if c.callN > 0 || len(c.tell) > 0 || c.sess.Owes() {
			payload := c.callN > 0 || len(c.tell) > 0
			c.send(c.begin(), payload, 0)
		}
		return true
	}
	t := s.world.Time
	if len(parts) == 0 && (float64(estimate+2*packetOverhead) > c.credit || c.saturated) { // members have enough
		c.sort(t)
	}
	if len(parts) == 0 && c.credit < min(leastPacket, float64(estimate)+packetOverhead) {
		c.throttled(t)
		if c.callN > 0 || len(c.tell) > 0 {
			c.send(c.begin(), true, 0)
		}
		return true
	}
	left := 0
	b := c.begin()
	size := len(b)
	calls := size > wire.MaxHeader+8
	for i := range parts {
		p := &parts[i]
		if calls && size+s.crowd.expect(p.most)+partHeads > wire.MaxDatagram {
			c.send(b, true, 0)
			b = c.begin()
			size, calls = len(b), false
		}
		c.lane.asm.Reset(wire.MaxDatagram - size)
		last := i == len(parts)-1
		done := false
		if len(c.except) == 0 && (!last || len(c.list) == 0) {
			b, done = c.copyPart(b, p)
		}
		if !done {
			c.addPart(p)
			if !last && c.lane.asm.Len() > 0 {
				b = c.finish(b, size)
			}
		}
		c.carry(p.number)
		if last && !done {
			break // goes on with what is the connection's own
		}
		c.send(b, true, 0)
		if last {
			c.except = c.except[:0]
			c.allSent()
			return true
		}
		b = c.begin()
		size, calls = len(b), false
	}
	c.except = c.except[:0]
	if len(parts) == 0 {
		c.lane.asm.Reset(c.room(size))
	}
	items := int32(0)
	for i, r := range c.list {
		if r.opening {
			if c.credit <= 0 || c.clogged() {
				left = len(c.list) - i
				break
			}
			if c.openOne(r, t); c.state == gone {
				return true
			}
			continue
		}
		if r.state != recOpen || r.serial == 0 {
			continue
		}
		if c.addMoved(r) || c.addShared(r) {
			c.remember(r)
			items++
			c.served(r, t)
			continue
		}
		f, key := c.lane.encode(c, r)
		if !c.lane.asm.Add(uint16(r.ent.slot), key, f.bytes) {
			if c.lane.asm.Len() > 0 {
				c.send(c.finish(b, size), true, items)
				items, b = 0, nil
				if c.credit < leastPacket {
					left = len(c.list) - i
					break
				}
				b = c.begin()
				size, calls = len(b), false
				c.lane.asm.Reset(c.room(size))
				f, key = c.lane.encode(c, r) // of another number of datagrams ago
			}
			if !c.lane.asm.Add(uint16(r.ent.slot), key, f.bytes) {
				c.lane.asm.Reset(wire.MaxDatagram - size) // more than the credit: overdrawn once (R4.1)
				if !c.lane.asm.Add(uint16(r.ent.slot), key, f.bytes) {
					c.large = append(c.large, lagging{r, r.serial}) // more than any datagram holds
					c.lane.asm.Reset(c.room(size))
					continue
				}
			}
		}
		c.remember(r)
		all := r.sendAll()
		c.count(r.ent, &all, &f)
		items++
		c.served(r, t)
	}
	switch {
	case b == nil:
	case c.lane.asm.Len() > 0:
		b = c.finish(b, size)
		c.send(b, true, items)
	case calls || c.sess.Owes():
		c.send(b, calls, 0)
	default:
		c.headerBytes(-size)
	}
	if left > 0 {
		copy(c.list, c.list[len(c.list)-left:])
		c.list = c.list[:left]
		c.throttled(t)
		return true
	}
	c.allSent()
	return true
}

// mostWaiting is how many bytes of the reliable stream may wait unacknowledged for another actor to be opened. It is far
// more than small openings ever leave; large ones go one after the other, so that their sum does not overflow the queue.
const mostWaiting = 256 << 10

// clogged reports whether so much waits in the reliable stream that nothing more is opened.
func (c *Conn) clogged() bool { return c.sess.Conn.Stats().Unacked > mostWaiting }

// openOne opens what had its turn.
func (c *Conn) openOne(r *rec, t float64) {
	before := c.Traffic.Self(r.ent.class).Bytes
	if !c.open(r) && c.state == gone {
		return
	}
	c.spend(float64(c.Traffic.Self(r.ent.class).Bytes-before) + 12)
	c.served(r, t)
}

// sendLarge sends in the reliable stream what no datagram holds. The stream is the server's goroutine's: a lane only lists it.
func (c *Conn) sendLarge() {
	for _, l := range c.large {
		if l.r.serial == l.serial && l.r.state == recOpen {
			c.update(l.r)
			c.served(l.r, c.s.world.Time)
		}
	}
	clear(c.large)
	c.large = c.large[:0]
}

// allSent voids the tags: nothing waited.
func (c *Conn) allSent() {
	c.saturated = false
	c.round++
	c.vtime = 0
}

// sort puts the list into the order of the schedule.
func (c *Conn) sort(t float64) {
	s := c.s
	if c.Player() != nil {
		c.see()
	}
	least := 0.0
	for i, r := range c.list {
		if r.wants == 0 {
			r.wants = t
		}
		a := r.ent.actor
		if r.ent.outer != nil {
			a = r.ent.outer.actor
		}
		p := 1.0
		if !s.flat {
			p = s.index.Priority(&c.view, a)
		}
		if !(p > 1e-6) {
			p = 1e-6
		}
		start := c.vtime
		if r.round == c.round && r.tag > start {
			start = r.tag
		}
		r.key = start + 1/p
		if i == 0 || start < least {
			least = start
		}
	}
	c.vtime = least
	slices.SortStableFunc(c.list, func(a, b *rec) int {
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		case a.wants < b.wants:
			return -1
		case a.wants > b.wants:
			return 1
		}
		return a.ent.slot - b.ent.slot
	})
}

// served marks that an actor had its turn.
func (c *Conn) served(r *rec, t float64) {
	r.served, r.dirty = t, false
	if r.wants > 0 {
		if w := t - r.wants; w > c.lane.longest {
			c.lane.longest = w
		}
		r.tag, r.round = r.key, c.round
		r.wants = 0
	}
}

// throttled counts what stays in the list for lack of bandwidth.
func (c *Conn) throttled(t float64) {
	c.saturated = true
	for _, r := range c.list {
		if r.wants == 0 {
			r.wants = t
		}
		if w := t - r.wants; w > c.lane.longest {
			c.lane.longest = w
		}
		if r.opening {
			c.Traffic.Self(r.ent.class).Throttled++
			continue
		}
		vars := c.Traffic.Vars(r.ent.class)
		all := r.sendAll()
		for n := all.Next(0); n >= 0; n = all.Next(n + 1) {
			vars[n].Throttled++
		}
		r.setRepeat(&wire.Mask{}) // no bandwidth for insurance
	}
}
