package server

import (
	"fmt"
	"math"
)

const (
	// packetOverhead is what a datagram of ours costs beyond its payload on the real link: 28 of UDP and IP, 25 of the
	// gate, 3 of the frame. What was really spent comes from the link's counters afterwards.
	packetOverhead = 56
	// leastPacket is how many bytes the variables of several actors may take in a datagram that overdraws the budget: at small
	// budgets net updates are merged rather than sent as headers (R4.1).
	leastPacket = 256
	// leastStart is the credit, in bytes, with which a datagram of that size overdraws nothing.
	leastStart = leastPacket + packetOverhead
	// mostCarried bounds sender.carryOver, in bytes: half of the largest datagram, so that even this one may overdraw.
	mostCarried = 600
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
	// rate of their own (Limits.DownloadRate): counted here, a client would wait for as long as they take once more, and until it
	// has them it is sent no variables (R5.23).
	spent := float64(out - c.seenBytes)
	datagrams := c.foreseen - c.waiting
	files := min(max(0, spent-datagrams), c.fileDebt)
	c.fileDebt -= files
	c.credit += float64(c.Budget)*(now-c.lastFlush).Seconds() + c.foreseen - (spent - files)
	c.foreseen = 0
	c.seenBytes, c.lastFlush = out, now
	c.carryOver = min(c.worth(), mostCarried)
	c.credit = min(c.credit, c.most())
	c.waiting = 0
	c.countStream()
	c.confirm()
}

// grant lets the reliable stream have what is left of the budget, which is what was kept for it and what variables did not take.
// A client that has not joined yet has no budget. Between net updates it overdraws nothing that is not saved up.
func (c *Conn) grant(netUpdate bool) {
	if c.state != playing {
		c.sess.Conn.Allow(math.MaxInt32, 0)
		return
	}
	c.countStream()
	enough := c.carryOver
	if netUpdate {
		c.netAt = c.s.now
	} else {
		enough = c.most()
	}
	c.sess.Conn.Allow(int(c.credit+c.waiting+c.fileDebt), int(enough))
}

// countStream takes off the budget what waits in the reliable stream and is no file: it goes first (R4.6).
func (c *Conn) countStream() {
	w := max(0, float64(c.sess.Conn.Stats().Waiting)-c.fileDebt)
	c.spend(w - c.waiting)
	c.waiting = w
}

// worth is one net update's budget.
func (c *Conn) worth() float64 { return float64(c.Budget) / float64(max(1, c.s.cfg.Net)) }

// most is the most credit that there can be now: what was carried over, and what came since.
func (c *Conn) most() float64 {
	return c.carryOver + min(c.worth(), float64(c.Budget)*(c.s.now-c.netAt).Seconds())
}

// flush sends what is due to one connection, if no worker has put it into datagrams already: calls always, variables at a net
// update.
func (c *Conn) flush(netUpdate bool) {
	if !c.flushed && c.state == playing {
		n := c.s.snapshot()
		c.start(&n)
		switch x := &c.s.main.worker; {
		case netUpdate && c.epoch == n.epoch:
			c.flushInTurn(&n)
		case netUpdate && c.callN == 0 && len(c.tell) == 0 && c.ledger.Owes():
			c.send(x, &n, c.begin(&n).b, false, 0)
		default:
			c.sendCalls(x, &n)
		}
	}
	c.flushed = false
	c.ship()
}

// flushInTurn fills a net update's datagrams on the server's goroutine.
func (c *Conn) flushInTurn(n *snapshot) {
	if !c.gathered {
		c.estimate = c.gatherInTurn()
	}
	c.gathered = false
	if c.member && n.payloads { // members have enough
		c.serveParts(n)
		return
	}
	if c.Player() != nil {
		c.see() // it may be sorted
	}
	c.schedule(&c.s.main.worker, n, c.estimate, c)
}

// ship does what filling datagrams left to the server's goroutine.
func (c *Conn) ship() {
	from := 0
	for _, to := range c.parcels {
		if err := c.sess.Conn.SendDatagram(c.outbox[from:to]); err != nil {
			c.once(fmt.Sprintf("a datagram could not be sent: %v", err))
		}
		from = to
	}
	c.outbox, c.parcels = c.outbox[:0], c.parcels[:0]
	for i := range c.logged {
		c.logSent(&c.logged[i])
	}
	c.logged = c.logged[:0]
	for i := range c.missed {
		c.loseItem(&c.missed[i])
	}
	c.missed = c.missed[:0]
	c.sendLarge()
	for _, it := range c.quiet {
		if r := c.recOf(it.slot, it.serial); r != nil && r.ent.rests() {
			c.settle(r)
		}
	}
	c.quiet = c.quiet[:0]
}

// logSent tells what a datagram holds of an actor whose class is logged (R13.4).
func (c *Conn) logSent(it *sentItem) {
	if r := c.recOf(it.slot, it.serial); r != nil && c.s.logClass[r.ent.class.Class.Name] {
		c.s.logLine(fmt.Sprintf("send %s to %s: %s", r.ent.actor, c, maskNames(r.ent, &it.mask)))
	}
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
