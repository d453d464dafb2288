package server

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

const (
	// packetOverhead is what a datagram of ours costs beyond its payload on the real link: 28 of UDP and IP, 25 of the
	// gate, 3 of the frame. What was really spent comes from the link's counters afterwards.
	packetOverhead = 56
	// leastPacket is the smallest credit, in bytes, for which variables are sent where not all fit: at small budgets net
	// updates are merged rather than sent as headers (R4.1).
	leastPacket = 256
	// maxCallBytes bounds the unreliable calls of one datagram; what is over is dropped (R4.6).
	maxCallBytes = 1000
)

// sentItem is what a datagram under way holds of one entity.
type sentItem struct {
	r      *rec
	serial uint32
	clock  uint32 // of pieces
	update uint32 // net update
	mask   wire.Mask
}

// flush sends what is due to one connection: calls always, variables at a net update.
func (c *Conn) flush(netUpdate bool) {
	if c.state != playing {
		return
	}
	s := c.s
	now := s.now
	out := c.sess.Conn.Stats().BytesOut
	// What was foreseen is replaced by what was really sent, acknowledgements and retransmissions included. Files have a
	// rate of their own (Limits.DownloadRate): counted here, whoever joins would wait for as long as they take once more.
	spent := float64(out - c.seenBytes)
	files := min(spent, c.fileDebt)
	c.fileDebt -= files
	c.credit += float64(c.Budget)*(now-c.lastFlush).Seconds() + c.foreseen - (spent - files)
	c.foreseen = 0
	c.seenBytes, c.lastFlush = out, now
	c.credit = min(c.credit, c.worth())
	c.confirm()
	if netUpdate && c.epoch == s.set.Epoch {
		c.schedule()
		return
	}
	if c.callN > 0 || len(c.tell) > 0 {
		c.send(c.begin(), true, 0)
	} else if netUpdate && c.sess.Owes() {
		c.send(c.begin(), false, 0)
	}
}

// spend takes bytes off the budget that are about to be sent.
func (c *Conn) spend(bytes float64) {
	c.credit -= bytes
	c.foreseen += bytes
}

// worth is the most credit that is kept: one net update's (R4.1), beside what is saved up for a merged one.
func (c *Conn) worth() float64 {
	return float64(c.Budget)/float64(max(1, c.s.cfg.Net)) + leastPacket
}

// begin starts a datagram with what goes before variables: calls and the answers about time.
func (c *Conn) begin() []byte {
	b := c.sess.Begin()
	for i := range c.tell {
		c.tell[i].Time = int64(c.s.world.Time * 1e6)
		b = wire.AppendTell(b, c.tell[i])
	}
	c.tell = c.tell[:0]
	c.headerBytes(len(b))
	b = append(b, c.calls...)
	c.calls, c.callN = c.calls[:0], 0
	return b
}

func (c *Conn) headerBytes(n int) { c.Traffic.Headers.Bytes += uint64(int64(n)) }

// send finishes a datagram that holds items of the ring from first on.
func (c *Conn) send(b []byte, payload bool, items int32) {
	first := c.itemAt - items
	err := c.sess.Finish(b, payload, first, c.itemAt)
	c.Traffic.Headers.Count++
	c.s.Stats.Packets++
	c.spend(float64(len(b) + packetOverhead))
	if err != nil {
		c.s.once(engine.SevWarning, fmt.Sprintf("%s: a datagram of %d bytes could not be sent: %v", c, len(b), err))
	}
}

// gather lists what could be sent now, with what of it.
func (c *Conn) gather() (bytes int) {
	s := c.s
	c.list = c.list[:0]
	for _, r := range c.toOpen {
		c.list = append(c.list, r)
		bytes += 60
	}
	kept := c.due[:0]
	for _, r := range c.due {
		if r.state != recOpen {
			r.queued = false
			continue
		}
		if r.waits && c.sess.PeerHas(r.after) {
			r.waits = false
		}
		r.repeat = without(&r.repeat, &r.pending)
		have := or(&r.pending, &r.repeat)
		in := c.input(r)
		cond := s.conditions(r.ent, in, c)
		if !r.late.Empty() {
			first := s.conditions(r.ent, in|engine.CondInput(engine.MaskInitial), c)
			first = and(&first, &r.late)
			cond = or(&cond, &first)
		}
		r.send = and(&have, &cond)
		r.refused = without(&r.pending, &cond)
		if r.send.Empty() {
			r.repeat = wire.Mask{}
			r.queued = false
			if r.ent.outer == nil {
				c.settle(r)
			}
			continue
		}
		if r.wants == 0 {
			r.wants = s.world.Time
		}
		kept = append(kept, r)
		c.list = append(c.list, r)
		bytes += 3 + 8*r.send.Len()
	}
	clear(c.due[len(kept):])
	c.due = kept
	return bytes
}

// schedule sends as much as the budget allows, in order of priority where it does not allow all.
//
// Order is start-time fair queueing: each actor has a tag, the virtual time of its last turn; its key is the tag, or
// the connection's virtual time if that is later, plus 1 / priority; the smallest goes first and takes its key as its
// tag. So always-changing actors get turns in proportion to their priorities (R4.3), whoever waited comes before
// who was served (R4.8), and no one waits longer than the ratios add up to. When all was sent, all tags are void.
func (c *Conn) schedule() {
	s := c.s
	estimate := c.gather()
	if len(c.list) == 0 {
		c.saturated = false
		if c.callN > 0 || len(c.tell) > 0 || c.sess.Owes() {
			c.send(c.begin(), c.callN > 0 || len(c.tell) > 0, 0)
		}
		return
	}
	t := s.world.Time
	if float64(estimate+2*packetOverhead) > c.credit || c.saturated {
		c.sort(t)
	}
	if c.credit < min(leastPacket, float64(estimate)+packetOverhead) {
		c.throttled(t)
		if c.callN > 0 || len(c.tell) > 0 {
			c.send(c.begin(), true, 0)
		}
		return
	}
	left := 0
	b := c.begin()
	size := len(b)
	calls := size > wire.MaxHeader+8
	c.asm.Reset(c.room(size))
	items := int32(0)
	for i, r := range c.list {
		if r.opening {
			if c.credit <= 0 {
				left = len(c.list) - i
				break
			}
			before := c.Traffic.Self(r.ent.class).Bytes
			if !c.open(r) && c.state == gone {
				return
			}
			c.spend(float64(c.Traffic.Self(r.ent.class).Bytes-before) + 12)
			c.served(r, t)
			continue
		}
		if r.state != recOpen || r.serial == 0 {
			continue
		}
		f, key := s.enc.encode(c, r, &r.send)
		if !c.asm.Add(uint16(r.ent.slot), &key, f.bytes) {
			if c.asm.Len() > 0 {
				c.send(c.finish(b, size), true, items)
				items, b = 0, nil
				if c.credit < leastPacket {
					left = len(c.list) - i
					break
				}
				b = c.begin()
				size, calls = len(b), false
				c.asm.Reset(c.room(size))
				f, key = s.enc.encode(c, r, &r.send) // of another number of datagrams ago
			}
			if !c.asm.Add(uint16(r.ent.slot), &key, f.bytes) {
				c.asm.Reset(wire.MaxDatagram - size) // more than the credit: overdrawn once (R4.1)
				if !c.asm.Add(uint16(r.ent.slot), &key, f.bytes) {
					c.update(r) // more than any datagram holds
					c.served(r, t)
					c.asm.Reset(c.room(size))
					continue
				}
			}
		}
		c.remember(r)
		c.count(r.ent, &r.send, &f)
		items++
		c.served(r, t)
	}
	switch {
	case b == nil:
	case c.asm.Len() > 0:
		c.send(c.finish(b, size), true, items)
	case calls || c.sess.Owes():
		c.send(b, calls, 0)
	default:
		c.headerBytes(-size)
	}
	if left > 0 {
		copy(c.list, c.list[len(c.list)-left:])
		c.list = c.list[:left]
		c.throttled(t)
		return
	}
	c.saturated = false
	c.round++
	c.vtime = 0
}

// room is how many bytes of variables the datagram under way may take.
func (c *Conn) room(used int) int {
	credit := int(c.credit) - packetOverhead - used
	return min(wire.MaxDatagram-used, max(credit, leastPacket))
}

// finish appends the variables to a datagram.
func (c *Conn) finish(b []byte, size int) []byte {
	b = c.asm.Append(b, c.s.set.Epoch)
	values := c.asm.Values()
	c.headerBytes(len(b) - size - values)
	return b
}

// sort puts the list into the order of the schedule.
func (c *Conn) sort(t float64) {
	s := c.s
	least := 0.0
	for i, r := range c.list {
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
	if w := t - r.wants; r.wants > 0 && w > c.s.Stats.LongestWait {
		c.s.Stats.LongestWait = w
	}
	r.tag, r.round = r.key, c.round
	r.served, r.wants = t, 0
	r.dirty = false
}

// throttled counts what stays in the list for lack of bandwidth.
func (c *Conn) throttled(t float64) {
	c.saturated = true
	for _, r := range c.list {
		if w := t - r.wants; r.wants > 0 && w > c.s.Stats.LongestWait {
			c.s.Stats.LongestWait = w
		}
		if r.opening {
			c.Traffic.Self(r.ent.class).Throttled++
			continue
		}
		vars := c.Traffic.Vars(r.ent.class)
		for n := r.send.Next(0); n >= 0; n = r.send.Next(n + 1) {
			vars[n].Throttled++
		}
		r.repeat = wire.Mask{} // no bandwidth for insurance
	}
}

// remember notes in the ring what the datagram under way holds, and what is left to send.
func (c *Conn) remember(r *rec) {
	if n := len(c.items); n == 0 || c.itemAt-c.sess.OldestFirst(c.itemAt) >= int32(n) {
		c.growItems()
	}
	c.items[int(c.itemAt)&(len(c.items)-1)] = sentItem{r: r, serial: r.serial, clock: c.s.clock, update: c.s.update, mask: r.send}
	c.itemAt++
	r.flying++
	r.ever = or(&r.ever, &r.send)
	r.late = without(&r.late, &r.send)
	first := and(&r.send, &r.pending)
	r.pending = without(&r.pending, &r.send)
	again := without(&first, &r.ent.class.Always)
	r.repeat = again // where nothing is left, gather takes it out of line
	if c.s.logClass[r.ent.class.Class.Name] {
		c.s.logLine(fmt.Sprintf("send %s to %s: %s", r.ent.actor, c, maskNames(r.ent, &r.send)))
	}
}

func (c *Conn) growItems() {
	old := c.items
	n := max(256, 2*len(old))
	c.items = make([]sentItem, n)
	for i := c.itemAt - int32(len(old)); i < c.itemAt; i++ {
		if i >= 0 && len(old) > 0 {
			c.items[int(i)&(n-1)] = old[int(i)&(len(old)-1)]
		}
	}
}

// fates takes what became of datagrams: what was lost is pending again, with its present value (R5.8, R5.22).
func (c *Conn) fates() {
	c.sess.Fates(func(delivered bool, seq wire.Seq, first, last int32) {
		for i := first; i != last; i++ {
			it := &c.items[int(i)&(len(c.items)-1)]
			r := it.r
			if r == nil || r.serial != it.serial {
				continue
			}
			r.flying--
			if delivered {
				k := r.ent.class
				if p := k.Location; p >= 0 && it.mask.Has(p) && (r.baseUpdate == 0 || seq.After(r.baseSeq)) {
					r.baseSeq, r.baseUpdate = seq, it.update
				}
				if k.Elements > 0 {
					for n := it.mask.Next(0); n >= 0; n = it.mask.Next(n + 1) {
						if p := k.Vars[n].Piece; p >= 0 && p < len(r.pieces) && r.pieces[p] < it.clock {
							r.pieces[p] = it.clock
						}
					}
				}
			} else {
				c.Traffic.Lost(r.ent.class, &it.mask)
				r.pending = or(&r.pending, &it.mask)
				r.dirty = true
				c.queue(r)
			}
			if r.flying == 0 {
				c.settle(r)
			}
			it.r = nil
		}
	})
}
