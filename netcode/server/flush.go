package server

import (
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

// earn adds what the connection may spend since the last time, and takes up what was spent.
func (c *Conn) earn() {
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
}

// flush sends what is due to one connection: calls always, variables at a net update.
func (c *Conn) flush(netUpdate bool) {
	if c.flushed {
		c.ship()
		return
	}
	if c.state != playing {
		return
	}
	s := c.s
	c.lane = &s.main
	fl := &c.flights[c.sent%uint32(len(c.flights))]
	fl.update, fl.clock = s.update, s.clock
	if netUpdate && c.epoch == s.set.Epoch {
		c.schedule()
		c.sendLarge()
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
	if w := &c.s.crowd; c.member && items > 0 && len(w.parts) == 0 && c.lastPay != w.number {
		c.carry(w.number)
	}
	c.flights[c.sent%uint32(len(c.flights))].items = items
	c.flights[c.sent%uint32(len(c.flights))].crowd = c.s.crowd.before
	c.sent++
	fl := &c.flights[c.sent%uint32(len(c.flights))] // the next of the same flush
	if len(fl.extra) > 0 {                          // long ago: it has its fate by now, or none any more
		if c.apart {
			c.missed, fl.extra = append(c.missed, fl.extra...), fl.extra[:0]
		}
		c.loseExtra(fl)
	}
	*fl = flown{update: c.s.update, clock: c.s.clock, extra: fl.extra}
	var err error
	if c.apart {
		c.sess.Note(b, payload, first, c.itemAt)
		c.outbox = append(c.outbox, b...)
		c.parcels = append(c.parcels, len(c.outbox))
	} else {
		err = c.sess.Finish(b, payload, first, c.itemAt)
	}
	c.Traffic.Headers.Count++
	c.lane.packets++
	c.spend(float64(len(b) + packetOverhead))
	if err != nil {
		c.undelivered(err)
	}
}

// gather lists what could be sent now, with what of it. −1: what there is needs more than is the connection's own (apart).
func (c *Conn) gather() (bytes int) {
	c.list = c.list[:0]
	for _, r := range c.toOpen {
		c.list = append(c.list, r)
		bytes += 60
	}
	kept := c.due[:0]
	c.resting = c.resting[:0]
	for i, r := range c.due {
		if r.state != recOpen {
			r.queued = false
			continue
		}
		ok := true
		if c.apart && !c.chooses(r) {
			n := copy(c.due[len(kept):], c.due[i:])
			clear(c.due[len(kept)+n:])
			c.due = c.due[:len(kept)+n]
			return -1
		}
		if r.waits && c.sess.PeerHas(r.after) {
			r.waits = false
		}
		if c.apart {
			ok = r.send != 0
		} else {
			ok = c.choose(r)
		}
		if !ok {
			r.setRepeat(&wire.Mask{})
			r.queued = false
			if r.ent.rests() {
				c.resting = append(c.resting, r)
			}
			continue
		}
		kept = append(kept, r)
		c.list = append(c.list, r)
		bytes += 3 + 8*r.sends()
	}
	clear(c.due[len(kept):])
	c.due = kept
	for _, r := range c.resting { // not before: what closes leaves the list
		c.settle(r)
	}
	return bytes
}

// choose works out what of a rec may go now, and reports whether that is anything.
func (c *Conn) choose(r *rec) bool {
	e := r.ent
	k := e.class
	if k.Steady && !r.lateDue() {
		in := c.inputBits(r) & k.InputMask
		if k.Small {
			if mask, ok := e.answered(in); ok {
				r.send = (r.pending | r.repeat) & mask
				return r.send != 0
			}
		} else if q := e.answer(in); q != nil {
			return r.allow(&q.mask)
		}
	}
	cond := c.permitted(r)
	return r.allow(&cond)
}

// allow sets what may go, of what is pending or to be repeated, and reports whether that is anything.
func (r *rec) allow(cond *wire.Mask) bool {
	p, again := r.pendingAll(), r.repeatAll()
	p = or(&p, &again)
	p = and(&p, cond)
	r.setSend(&p)
	return !p.Empty()
}

// room is how many bytes of variables the datagram under way may take.
func (c *Conn) room(used int) int {
	credit := int(c.credit) - packetOverhead - used
	return min(wire.MaxDatagram-used, max(credit, leastPacket))
}

// finish appends the variables to a datagram.
func (c *Conn) finish(b []byte, size int) []byte {
	b = c.lane.asm.Append(b, c.s.set.Epoch)
	values := c.lane.asm.Values()
	c.headerBytes(len(b) - size - values)
	return b
}
