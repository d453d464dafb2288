package kcplink

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

// maxHeld bounds the packets that wait in each direction of a bad line, 2.5 MB. More are lost, as in a router.
const maxHeld = 2048

// badLine delays and drops the sealed packets of one connection, as a bad path would (Conn.Impair). A connection
// without one has a nil pointer and does no work for it.
//
// Invariant: packets of one direction keep their order, and none passes the ones that wait.
type badLine struct {
	lag     time.Duration
	loss    float64
	in      *impair.Line[*packet]
	out     *impair.Line[*outPacket]
	serving bool // a held packet is being delivered
}

var _ link.Impairer = (*Conn)(nil)

// Impair simulates a bad path, for playtests. lag is added to the round trip, half in each direction, 0 to
// link.MaxLag; a held packet moves at the first Poll at which it is due. loss is the share of packets that is dropped
// in each direction, 0 to link.MaxLoss, by a generator whose seed is the number of the connection. 0 and 0 restore the
// path: what waits arrives first. It returns link.ErrClosed for a connection that is not open, and an error for other
// values. A connection that sends little may end by its timeout at a great loss, as on a real path. It ends with the connection; the goodbye is neither delayed nor dropped.
func (c *Conn) Impair(lag time.Duration, loss float64) error {
	switch {
	case c.state != stateOpen:
		return link.ErrClosed
	case lag < 0 || lag > link.MaxLag:
		return fmt.Errorf("kcplink: a lag of %v; expected 0 to %v", lag, link.MaxLag)
	case !(loss >= 0 && loss <= link.MaxLoss):
		return fmt.Errorf("kcplink: a loss of %g; expected 0 to %g", loss, link.MaxLoss)
	}
	if c.bad == nil {
		if lag == 0 && loss == 0 {
			return nil
		}
		c.bad = &badLine{
			in:  impair.NewLine[*packet](impair.Rule{}, 2*c.serial),
			out: impair.NewLine[*outPacket](impair.Rule{}, 2*c.serial+1),
		}
	}
	c.bad.lag, c.bad.loss = lag, loss
	rule := impair.Rule{Lag: lag / 2, Loss: loss}
	c.bad.in.SetRule(rule)
	c.bad.out.SetRule(rule)
	c.bad.settle(c)
	return nil
}

// Impaired returns what Impair has set, 0 and 0 for the path as it is.
func (c *Conn) Impaired() (lag time.Duration, loss float64) {
	if c.bad == nil {
		return 0, 0
	}
	return c.bad.lag, c.bad.loss
}

// settle removes a line that was restored and is empty.
func (b *badLine) settle(c *Conn) {
	if b.lag == 0 && b.loss == 0 && !b.serving && b.in.Travelling() == 0 && b.out.Travelling() == 0 {
		c.bad = nil
	}
}

// holdIn puts a copy of a received packet on the line and delivers what is due.
func (b *badLine) holdIn(c *Conn, p *packet) {
	lost := b.in.Lost
	if b.in.Travelling() >= maxHeld {
		c.l.count.ImpairedIn++
		return
	}
	held := new(packet)
	*held = *p
	b.in.Put(c.l.now, held, p.n)
	c.l.count.ImpairedIn += b.in.Lost - lost
	b.serve(c)
	c.wait()
}

// queueOut sends a sealed packet of n bytes, over the bad line if there is one. The connection's own counters count
// it now, as on any path; those of the link count what the line lets through.
func (c *Conn) queueOut(o *outPacket, n int) {
	b := c.bad
	if b == nil {
		c.l.queueOut(o, n)
		return
	}
	o.n = n
	if o.conn != nil {
		c.stats.PacketsOut++
		c.stats.BytesOut += uint64(n) + udpOverhead
		o.conn = nil
	}
	kept := b.out.Travelling() < maxHeld
	if kept {
		lost := b.out.Lost
		b.out.Put(c.l.now, o, n)
		kept = b.out.Lost == lost
	}
	if !kept {
		c.l.count.ImpairedOut++
		c.l.release(o)
	}
	b.send(c, c.l.now)
	c.wait()
}

// serve moves what is due in both directions. The handler that it calls may close the connection.
func (b *badLine) serve(c *Conn) {
	b.send(c, c.l.now)
	if b.serving {
		return
	}
	b.serving = true
	for c.bad == b {
		p, ok := b.in.Get(c.l.now)
		if !ok {
			break
		}
		c.l.onPacket(c, p)
	}
	b.serving = false
	if c.bad == b {
		b.settle(c)
	}
}

// send passes on the packets that are due at a time.
func (b *badLine) send(c *Conn, at time.Duration) {
	for o, ok := b.out.Get(at); ok; o, ok = b.out.Get(at) {
		c.l.queueOut(o, o.n)
	}
}

// wait schedules the connection for the packets that wait.
func (c *Conn) wait() {
	if c.bad != nil && c.state == stateOpen {
		if due := c.bad.nextDue(noneDue); due < noneDue {
			c.schedule(due)
		}
	}
}

// noneDue is later than any time.
const noneDue time.Duration = 1<<63 - 1

// nextDue returns when the next packet that waits is to be moved, or due if that is earlier.
func (b *badLine) nextDue(due time.Duration) time.Duration {
	if at, ok := b.in.Next(); ok {
		due = min(due, at)
	}
	if at, ok := b.out.Next(); ok {
		due = min(due, at)
	}
	return due
}

// restore removes the line of a connection that ends: what waits to be sent goes now, and what was received is
// dropped.
func (c *Conn) restore() {
	if b := c.bad; b != nil {
		c.bad = nil
		b.send(c, noneDue)
	}
}
