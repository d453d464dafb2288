package server

import (
	"slices"

	"github.com/tidelock/tidelock/netcode/wire"
)

// schedule sends as much as the budget allows, in order of priority where it does not allow all. estimate is about how many
// bytes the list takes.
//
// Order is start-time fair queueing: each actor has a tag, the virtual time of its last turn; its key is the tag, or
// the connection's virtual time if that is later, plus 1 / priority; the smallest goes first and takes its key as its
// tag. So always-changing actors get turns in proportion to their priorities (R4.3), whoever waited comes before
// who was served (R4.8), and no one waits longer than the ratios add up to. When all was sent, all tags are void.
func (c *sender) schedule(x *worker, n *snapshot, estimate int, turn inTurn) {
	if len(c.list) == 0 {
		c.saturated = false
		if c.callN > 0 || len(c.tell) > 0 || c.ledger.Owes() {
			payload := c.callN > 0 || len(c.tell) > 0
			c.send(x, n, c.begin(n).b, payload, 0)
		}
		return
	}
	if float64(estimate+2*packetOverhead) > c.credit || c.saturated {
		c.sort(n)
	}
	if c.credit < min(leastPacket, float64(estimate)+packetOverhead) {
		c.throttled(x, n)
		c.sendCalls(x, n)
		return
	}
	d := c.begin(n)
	x.asm.Reset(c.room(d.size))
	c.fill(x, n, d, turn)
}

// fill puts what is listed into datagrams, of which the first is begun already, and sends them.
func (c *sender) fill(x *worker, n *snapshot, d datagram, turn inTurn) {
	t := n.time
	left := 0
	items := int32(0)
	for i, st := range c.list {
		if st.opening {
			if c.credit <= 0 || turn.clogged() {
				left = len(c.list) - i
				break
			}
			if !turn.openNext(st) {
				return
			}
			continue
		}
		if !st.open || st.serial == 0 {
			continue
		}
		c.incomplete = wire.Mask{}
		if c.addMoved(x, st) || c.addShared(x, n, st) {
			c.remember(n, st)
			items++
			c.served(x, st, t)
			continue
		}
		f, key := c.encode(x, n, st, turn)
		if !x.asm.Add(uint16(st.of.Slot()), key, f.bytes) {
			if x.asm.Len() > 0 {
				c.send(x, n, c.finish(x, n, d), true, items)
				items, d.b = 0, nil
				if c.credit < leastPacket {
					left = len(c.list) - i
					break
				}
				d = c.begin(n)
				x.asm.Reset(c.room(d.size))
				f, key = c.encode(x, n, st, turn) // of another number of datagrams ago
			}
			if !x.asm.Add(uint16(st.of.Slot()), key, f.bytes) {
				x.asm.Reset(wire.MaxDatagram - d.size) // more than the credit: overdrawn once (R4.1)
				if !x.asm.Add(uint16(st.of.Slot()), key, f.bytes) {
					c.large = append(c.large, sentItem{slot: int32(st.of.Slot()), serial: st.serial}) // more than any datagram holds
					x.asm.Reset(c.room(d.size))
					continue
				}
			}
		}
		c.remember(n, st)
		all := st.sendAll()
		c.count(st.of, &all, &f)
		items++
		c.served(x, st, t)
	}
	switch {
	case d.b == nil:
	case x.asm.Len() > 0:
		c.send(x, n, c.finish(x, n, d), true, items)
	case d.calls || c.ledger.Owes():
		c.send(x, n, d.b, d.calls, 0)
	default:
		c.headerBytes(-d.size)
	}
	if left > 0 {
		copy(c.list, c.list[len(c.list)-left:])
		c.list = c.list[:left]
		c.throttled(x, n)
		return
	}
	c.allSent()
}

// mostWaiting is how many bytes of the reliable stream may wait unacknowledged for another actor to be opened. It is far
// more than small openings ever leave; large ones go one after the other, so that their sum does not overflow the queue.
const mostWaiting = 256 << 10

// clogged reports whether so much waits in the reliable stream that nothing more is opened; it implements inTurn.
func (c *Conn) clogged() bool { return c.sess.Conn.Stats().Unacked > mostWaiting }

// openNext opens what had its turn; it implements inTurn.
func (c *Conn) openNext(st *repState) bool {
	before := c.Traffic.Self(st.of.Class()).Bytes
	r := c.recOf(int32(st.of.Slot()), st.serial)
	if r == nil {
		return true
	}
	if !c.open(r) && c.state == gone {
		return false
	}
	c.spend(float64(c.Traffic.Self(st.of.Class()).Bytes-before) + 12)
	c.served(&c.s.main.worker, st, c.s.world.Time)
	return c.state != gone
}

// sendLarge sends in the reliable stream what no datagram holds.
func (c *Conn) sendLarge() {
	for _, it := range c.large {
		if r := c.recOf(it.slot, it.serial); r != nil && r.state == recOpen {
			c.update(r)
			c.served(&c.s.main.worker, c.own(r), c.s.world.Time)
		}
	}
	c.large = c.large[:0]
}

// allSent voids the tags: nothing waited.
func (c *sender) allSent() {
	c.saturated = false
	c.round++
	c.vtime = 0
}

// sort puts the list into the order of the schedule.
func (c *sender) sort(n *snapshot) {
	t := n.time
	least := 0.0
	for i, st := range c.list {
		if st.wants == 0 {
			st.wants = t
		}
		p := 1.0
		if !n.flat {
			p = c.reading.Priority(st.of.Rank())
		}
		if !(p > 1e-6) {
			p = 1e-6
		}
		start := c.vtime
		if st.round == c.round && st.tag > start {
			start = st.tag
		}
		st.key = start + 1/p
		if i == 0 || start < least {
			least = start
		}
	}
	c.vtime = least
	slices.SortStableFunc(c.list, func(a, b *repState) int {
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
		return a.of.Slot() - b.of.Slot()
	})
}

// served marks that an actor had its turn.
func (c *sender) served(x *worker, st *repState, t float64) {
	st.served, st.dirty = t, false
	if st.wants > 0 {
		if w := t - st.wants; w > x.longest {
			x.longest = w
		}
		st.tag, st.round = st.key, c.round
		st.wants = 0
	}
}

// throttled counts what stays in the list for lack of bandwidth.
func (c *sender) throttled(x *worker, n *snapshot) {
	t := n.time
	c.saturated = true
	for _, st := range c.list {
		if st.wants == 0 {
			st.wants = t
		}
		if w := t - st.wants; w > x.longest {
			x.longest = w
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
