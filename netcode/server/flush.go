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

// flying is what a datagram under way holds of one entity, by the slot of that: hardly one is ever looked at again.
type flying struct {
	slot   int32
	serial uint32 // of the rec, 0 for none
	mask   uint64
}

// sentItem is the same of what a datagram held by itself, or in common and is its connection's own since.
type sentItem struct {
	r      *rec
	serial uint32
	mask   wire.Mask
}

// flown is what is known of a datagram beside its items.
type flown struct {
	update uint32 // net update
	clock  uint32 // of pieces
	pieces bool   // it holds variables that cross by elements or items
	items  int32  // how many items of the ring it holds
	// payload is what it holds of the crowd's, 0 for none or where it arrived. What of that is the connection's own again
	// stands in extra.
	payload uint32
	extra   []sentItem
	crowd   uint32 // newest payload there was before
}

// lagging is a rec that may be closed once all that holds something of it has its fate.
type lagging struct {
	r      *rec
	serial uint32
}

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
			if r.ent.outer == nil {
				c.settle(r)
			}
			continue
		}
		kept = append(kept, r)
		c.list = append(c.list, r)
		bytes += 3 + 8*r.sends()
	}
	clear(c.due[len(kept):])
	c.due = kept
	return bytes
}

// choose works out what of a rec may go now, and reports whether that is anything.
func (c *Conn) choose(r *rec) bool {
	e := r.ent
	k := e.class
	if k.Steady && !r.isLate {
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
	in := c.input(r)
	cond := c.s.conditions(e, in, c)
	if r.isLate {
		first := c.s.conditions(e, in|engine.CondInput(engine.MaskInitial), c)
		first = and(&first, &r.late)
		cond = or(&cond, &first)
	}
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
			if c.credit <= 0 {
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
					c.update(r) // more than any datagram holds
					c.served(r, t)
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

// openOne opens what had its turn.
func (c *Conn) openOne(r *rec, t float64) {
	before := c.Traffic.Self(r.ent.class).Bytes
	if !c.open(r) && c.state == gone {
		return
	}
	c.spend(float64(c.Traffic.Self(r.ent.class).Bytes-before) + 12)
	c.served(r, t)
}

// allSent voids the tags: nothing waited.
func (c *Conn) allSent() {
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
	b = c.lane.asm.Append(b, c.s.set.Epoch)
	values := c.lane.asm.Values()
	c.headerBytes(len(b) - size - values)
	return b
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

// remember notes in the ring what the datagram under way holds, and what is left to send.
func (c *Conn) remember(r *rec) {
	if n := len(c.items); n == 0 || c.itemAt-c.sess.OldestFirst(c.itemAt) >= int32(n) {
		c.growItems()
	}
	all := r.sendAll()
	k := r.ent.class
	at := int(c.itemAt) & (len(c.items) - 1)
	c.items[at] = flying{slot: int32(r.ent.slot), serial: r.serial, mask: all[0]}
	if !k.Small {
		if c.wides == nil {
			c.wides = make([][wire.MaxVariables/64 - 1]uint64, len(c.items))
		}
		copy(c.wides[at][:], all[1:])
	}
	c.itemAt++
	if k.Location >= 0 && all.Has(k.Location) {
		r.placed = r.placed<<(c.sent-r.placeNo) | 1
		r.placeNo = c.sent
	}
	if k.Elements > 0 {
		c.flights[c.sent%uint32(len(c.flights))].pieces = true
	}
	r.lastNo = c.sent + 1
	if k.Small {
		r.ever |= r.send
		r.repeat = r.send & r.pending &^ k.Always[0]
		r.pending &^= r.send
	} else {
		r.wasSent(&all)
		first := r.pendingAll()
		first = and(&first, &all)
		first = without(&first, &k.Always)
		r.unpend(&all)
		r.setRepeat(&first)
	}
	if r.isLate {
		r.late = without(&r.late, &all)
		r.isLate = !r.late.Empty()
	}
	if len(c.s.logClass) > 0 && c.s.logClass[k.Class.Name] {
		c.s.logLine(fmt.Sprintf("send %s to %s: %s", r.ent.actor, c, maskNames(r.ent, &all)))
	}
}

func (c *Conn) growItems() {
	old := c.items
	n := max(256, 2*len(old))
	c.items = make([]flying, n)
	wides := c.wides
	if wides != nil {
		c.wides = make([][wire.MaxVariables/64 - 1]uint64, n)
	}
	for k := range old {
		i := int(c.itemAt - int32(k) - 1) // wraps; what was not used yet is empty
		c.items[i&(n-1)] = old[i&(len(old)-1)]
		if wides != nil {
			c.wides[i&(n-1)] = wides[i&(len(old)-1)]
		}
	}
}

// fates takes what became of datagrams: what was lost is pending again, with its present value (R5.8, R5.22).
func (c *Conn) fates() {
	news := false
	c.sess.Fates(func(delivered bool, seq wire.Seq, first, last int32) {
		news = true
		fl := &c.flights[uint32(seq)%uint32(len(c.flights))]
		if delivered {
			c.arrived(c.sent - uint32(wire.Seq(c.sent)-seq))
			if fl.payload != 0 {
				c.gotPayload(fl.payload)
				fl.payload = 0
			}
			fl.extra = fl.extra[:0]
			if !fl.pieces {
				return
			}
		} else {
			if fl.payload != 0 && len(c.s.crowd.log[fl.payload%crowdLog]) > 0 {
				c.s.crowd.leave(c)
			}
			c.loseExtra(fl)
		}
		for i := first; i != last; i++ {
			at := int(i) & (len(c.items) - 1)
			it := &c.items[at]
			r := c.recAt(it.slot)
			if it.serial == 0 || r == nil || r.serial != it.serial {
				continue
			}
			k := r.ent.class
			held := sentItem{r: r, serial: it.serial, mask: wire.Mask{it.mask}}
			if !k.Small {
				copy(held.mask[1:], c.wides[at][:])
			}
			it.serial = 0
			switch {
			case !delivered:
				c.loseItem(&held)
			case k.Elements > 0:
				for n := held.mask.Next(0); n >= 0; n = held.mask.Next(n + 1) {
					if p := k.Vars[n].Piece; p >= 0 && p < len(r.pieces) && r.pieces[p] < fl.clock {
						r.pieces[p] = fl.clock
					}
				}
			}
		}
	})
	if news && len(c.settling) > 0 {
		c.settleLagging()
	}
}

// arrived notes the number of a datagram that did.
func (c *Conn) arrived(no uint32) {
	if ahead := int32(no - c.gotNo); ahead > 0 || c.got == 0 {
		c.got = c.got<<uint32(ahead) | 1
		c.gotNo = no
	} else {
		c.got |= 1 << uint32(-ahead)
	}
}

// flies reports whether a datagram without a fate may hold something of a rec.
func (c *Conn) flies(r *rec) bool {
	return r.lastNo != 0 && c.sent-(r.lastNo-1) <= uint32(c.sess.InFlight())
}

// settleLater has settle asked again when more is known of what flies.
func (c *Conn) settleLater(r *rec) {
	if !r.lags {
		r.lags = true
		c.settling = append(c.settling, lagging{r, r.serial})
	}
}

func (c *Conn) settleLagging() {
	n := len(c.settling) // those that settle puts back come after
	for i := range n {
		if l := c.settling[i]; l.r.serial == l.serial {
			l.r.lags = false
			c.settle(l.r)
		}
	}
	rest := copy(c.settling, c.settling[n:])
	clear(c.settling[rest:])
	c.settling = c.settling[:rest]
}
