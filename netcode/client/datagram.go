package client

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/wire"
)

// heldRun holds variables that must not be applied before a reliable message was processed (R6.4).
type heldRun struct {
	after uint16
	seq   wire.Seq
	ch    uint16
	mask  wire.Mask
	bytes []byte
}

// maxHeldRuns bounds them; beyond it the client drops the datagram, which is then sent again.
const maxHeldRuns = 4096

// Datagram handles an unreliable datagram; it implements link.Handler. The datagram is read twice: first to check
// that it is valid and complete, then to apply it.
func (c *Client) Datagram(_ link.Conn, b []byte) {
	if c.sess == nil || c.state == Closed {
		return
	}
	var d session.Datagram
	h, ok, err := c.sess.Open(b, &d)
	if err != nil || !ok {
		return
	}
	look := d.R
	payload := look.More() && !session.OnlyReceived(look)
	if !c.walk(&look, d.Seq) || look.End() != nil {
		return // not acknowledged, so it counts as lost and its content is sent again
	}
	if err := c.sess.Take(h, payload, c.now); err != nil {
		return
	}
	c.notifications()
	c.apply(&d.R, d.Seq)
}

// walk validates a datagram without applying it. It returns false if the datagram cannot be accepted now.
func (c *Client) walk(r *wire.Reader, seq wire.Seq) bool {
	for r.Peek() == wire.ShapeArray {
		kind, n := r.Message()
		switch kind {
		case wire.KindReceived:
			r.Received(n)
		case wire.KindTell:
			r.Tell(n)
		case wire.KindCall:
			r.SkipArgs(r.Call(n))
		default:
			r.Fail(wire.ErrKind)
		}
		if r.Err() != nil {
			return false
		}
	}
	if !r.More() {
		return true
	}
	if c.state != Playing || c.reload != nil {
		return false
	}
	d := r.Deltas()
	if r.Err() != nil || d.Epoch != c.set.Epoch {
		return false
	}
	for d.Next() {
		if d.Run.Waits && !c.sess.Due(d.Run.After) && len(c.held) >= maxHeldRuns {
			return false
		}
		for num := range d.Channels() {
			ch := c.at(num)
			for n := range d.Run.Rel.All() {
				if ch == nil || ch.bases[n] == nil {
					return false
				}
				if _, ok := ch.bases[n].Get(seq - wire.Seq(d.Run.Age)); !ok {
					return false
				}
			}
			d.SkipActor()
		}
	}
	return r.Err() == nil
}

// apply applies a datagram.
func (c *Client) apply(r *wire.Reader, seq wire.Seq) {
	old := c.sess.Number(seq) < c.from // it belongs to another world; deltas identify theirs by epoch
	for r.Peek() == wire.ShapeArray && c.state != Closed {
		kind, n := r.Message()
		switch kind {
		case wire.KindReceived:
			c.sess.Received(r.Received(n))
		case wire.KindTell:
			if m := r.Tell(n); !old {
				c.told(m)
			}
		case wire.KindCall:
			if old {
				r.SkipArgs(r.Call(n))
				continue
			}
			c.receiveCall(r, n)
		default:
			return
		}
	}
	if !r.More() || c.state != Playing {
		return
	}
	d := r.Deltas()
	for d.Next() {
		waits := d.Run.Waits && !c.sess.Due(d.Run.After)
		for num := range d.Channels() {
			if waits {
				from := r.Pos()
				r.SkipValues(&d.Run.Mask)
				c.held = append(c.held, heldRun{d.Run.After, seq, num, d.Run.Mask, append([]byte(nil), r.Read(from)...)})
				continue
			}
			ch := c.openAt(num)
			if ch == nil {
				d.SkipActor()
				continue
			}
			c.finishFirst()
			from := r.Pos()
			for n := range d.Run.Mask.All() {
				if r.Err() != nil {
					break
				}
				if n >= len(ch.class.Vars) {
					r.Skip()
					continue
				}
				var rel *relative
				if d.Run.Rel.Has(n) {
					base, _ := ch.bases[n].Get(seq - wire.Seq(d.Run.Age))
					rel = &relative{base}
				}
				c.variable(ch, n, r, seq, false, rel)
			}
			*ch.came += uint64(r.Pos() - from)
			c.tellNotes(ch)
			if c.state == Closed {
				return
			}
		}
	}
	if err := r.Err(); err != nil {
		c.report(engine.SevWarning, "a datagram could not be applied to its end: "+err.Error())
	}
}

// releaseRuns applies runs that waited for reliable messages that are processed now.
func (c *Client) releaseRuns() {
	if len(c.held) == 0 || c.reload != nil {
		return
	}
	kept := c.held[:0]
	for _, h := range c.held {
		if !c.sess.Due(h.after) {
			kept = append(kept, h)
			continue
		}
		ch := c.openAt(h.ch)
		if ch == nil {
			continue
		}
		r := wire.NewReader(h.bytes)
		c.values(ch, &h.mask, &r, h.seq, false)
		*ch.came += uint64(len(h.bytes))
		c.tellNotes(ch)
	}
	clear(c.held[len(kept):])
	c.held = kept
}
