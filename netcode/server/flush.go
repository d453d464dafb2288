package server

import (
	"fmt"
	"math"

	"github.com/tidelock/tidelock/engine/profile"
)

// mostWaiting is how many bytes of the reliable stream may be unacknowledged before no more actors are opened.
// Small openings never reach it; large ones are sent one after the other, so that together they do not overflow the
// queue.
const mostWaiting = 256 << 10

// refill adds the budget since the last call, and deducts what was sent.
func (c *Conn) refill() {
	if c.state != playing {
		return
	}
	s := c.s
	now := s.now
	out := c.sess.Conn.Stats().BytesOut
	// The estimate is replaced by what was really sent, acknowledgements and retransmissions included. Files have a
	// rate of their own (Limits.DownloadRate): if they counted here, a client would wait once more for as long as
	// they took, and until it has them it is not sent any variables (R5.23).
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

// grant gives the reliable stream the remaining budget: its own reserve and what variables did not use. A client
// that has not joined yet has no budget. Between net updates the stream only spends what is saved up.
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

// countStream deducts the reliable stream's waiting bytes, files excepted, from the budget: the stream has
// precedence (R4.6).
func (c *Conn) countStream() {
	w := max(0, float64(c.sess.Conn.Stats().Waiting)-c.fileDebt)
	c.spend(w - c.waiting)
	c.waiting = w
}

// most returns the most credit possible now: the carried-over part and the income since.
func (c *Conn) most() float64 {
	return c.carryOver + min(c.worth(), float64(c.Budget)*(c.s.now-c.netAt).Seconds())
}

// flush sends what is due to one connection, if no worker has put it into datagrams already: calls always,
// variables in a net update.
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
	c.transmit()
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
		c.see() // conditions may need it
	}
	c.schedule(&c.s.main.worker, n, c.estimate, c)
}

// transmit does what filling datagrams left to the server's goroutine.
func (c *Conn) transmit() {
	if len(c.ends) > 0 {
		c.s.world.Profile.Phase(profile.Send)
		from := 0
		for _, to := range c.ends {
			if err := c.sess.Conn.SendDatagram(c.outbox[from:to]); err != nil {
				c.once(fmt.Sprintf("a datagram could not be sent: %v", err))
			}
			from = to
		}
		c.s.world.Profile.Phase(profile.Encode)
	}
	c.outbox, c.ends = c.outbox[:0], c.ends[:0]
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
		if r := c.repOf(it.slot, it.serial); r != nil && r.ent.rests() {
			c.settle(r)
		}
	}
	c.quiet = c.quiet[:0]
}

// logSent logs what a datagram holds of an actor whose class is logged (R13.4).
func (c *Conn) logSent(it *sentItem) {
	if r := c.repOf(it.slot, it.serial); r != nil && c.s.logClass[r.ent.class.Class.Name] {
		c.s.logLine(fmt.Sprintf("send %s to %s: %s", r.ent.actor, c, maskNames(r.ent, &it.mask)))
	}
}

// flushByWorkers lets workers fill the datagrams of the connections that permit it.
func (s *Server) flushByWorkers() {
	work := 0
	f := &s.flushing
	f.senders = f.senders[:0]
	for _, c := range s.conns {
		if len(c.toOpen) > 0 && c.serves() {
			c.openAhead()
		}
	}
	f.now = s.snapshot()
	for _, c := range s.conns {
		work += len(c.due)
		if c.state != playing || c.epoch != s.set.Epoch || len(c.toOpen) > 0 || c.member && f.now.payloads || c.gathered {
			continue // members copy the shared payloads
		}
		if len(c.due) > 0 && c.Player() != nil {
			c.see() // conditions may need it
			c.refreshAll()
		}
		f.senders = append(f.senders, job{&c.sender, &c.flushed})
	}
	s.inParallel(work, s.flushers)
	clear(f.senders)
}

// openAhead opens waiting channels if the budget suffices for them and everything else, so that a worker can do the
// rest.
func (c *Conn) openAhead() {
	if c.saturated || c.epoch != c.s.set.Epoch || c.credit < float64(200*len(c.toOpen)+32*len(c.due)+1024) || c.gathered {
		return
	}
	c.listOpenings()
	for _, st := range c.list {
		if st.opening && c.credit > 0 && !c.clogged() && !c.openNext(st) {
			return
		}
	}
}

// clogged reports whether the reliable stream is too full to open more channels; it implements inTurn.
func (c *Conn) clogged() bool { return c.sess.Conn.Stats().Unacked > mostWaiting }

// openNext opens the channel whose turn it is; it implements inTurn.
func (c *Conn) openNext(st *sendState) bool {
	r := c.repOf(int32(st.of.Slot()), st.serial)
	if r == nil {
		return true
	}
	if !c.open(r) && c.state == gone {
		return false
	}
	c.countStream()
	c.served(&c.s.main.worker, st, c.s.world.Time)
	return c.state != gone
}

// sendLarge sends in the reliable stream what does not fit into a datagram.
func (c *Conn) sendLarge() {
	for _, it := range c.large {
		if r := c.repOf(it.slot, it.serial); r != nil && r.phase == repOpen {
			c.update(r)
			c.served(&c.s.main.worker, c.own(r), c.s.world.Time)
		}
	}
	c.large = c.large[:0]
}

// encodeOwn implements inTurn.
func (c *Conn) encodeOwn(st *sendState) fragment {
	all := st.get(send)
	return c.s.main.own(c, c.reps[st.of.Slot()], &all, false)
}
