package client

import (
	"cmp"
	"math"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// ackWait is how long an acknowledgement waits for the next datagram after one with content was sent: a moving
// player sends one every 33 ms, so separate headers are not needed in between. After a datagram without content it
// does not wait.
const ackWait = 40 * time.Millisecond

// askEvery is how often the client requests the server's time.
const askEvery = time.Second

// jumpSlack is by how much more than half of a round trip an exchange may differ from the estimate, in seconds:
// ticks of both sides, and the estimate's own error. A smaller difference is not a jump.
const jumpSlack = 0.05

// stoodStill is the pause between calls after which a client requests the time at once: its world has dropped
// ticks.
const stoodStill = 200 * time.Millisecond

// upItem is what a datagram in flight holds of one actor.
type upItem struct {
	ch   *channel
	net  uint32
	mask wire.Mask
}

// flush sends what is due: usually one datagram, more if variables do not fit into it.
func (c *Client) flush() {
	c.markUp()
	for c.flushOne() {
	}
}

// flushOne sends a datagram if there is anything to send, and reports whether something is left for another one.
func (c *Client) flushOne() (more bool) {
	c.pieces = c.pieces[:0]
	up := c.gatherUp()
	ask := c.state == Playing && (c.lastAsk == 0 || c.now-c.lastAsk >= c.pace.askAfter())
	payload := c.callN > 0 || up || ask
	if !payload && (!c.sess.Owes() || c.now-c.lastPayload < ackWait) {
		return false
	}
	if payload {
		c.lastPayload = c.now
	}
	b := c.sess.Begin()
	if ask {
		c.lastAsk = c.now
		c.pace.asked()
		b = wire.AppendAsk(b, c.now.Microseconds())
	}
	b = append(b, c.calls...)
	said := ask || c.callN > 0
	c.calls, c.callN = c.calls[:0], 0
	items := c.up[c.sess.Next()%256][:0]
	if up {
		c.asm.Reset(wire.MaxDatagram - len(b))
		kept := c.upDue[:0]
		for _, ch := range c.upDue {
			m := c.upMask(ch)
			sent := c.addUp(ch, &m)
			if !sent.Empty() {
				ch.pending = ch.pending.Without(sent)
				items = append(items, upItem{ch, ch.net, sent})
			}
			more = more || sent != m
			if ch.upQueued = !ch.pending.Empty(); ch.upQueued {
				kept = append(kept, ch)
			}
		}
		clear(c.upDue[len(kept):])
		c.upDue = kept
		b = c.asm.Append(b, c.set.Epoch)
	}
	c.up[c.sess.Next()%256] = items
	_ = c.sess.Finish(b, payload, 0, 0) // a datagram that cannot be sent counts as lost
	return more && (said || len(items) > 0)
}

// addUp puts variables of an actor into the current datagram, one by one if they do not fit together, and returns
// those that fitted.
func (c *Client) addUp(ch *channel, m *wire.Mask) (sent wire.Mask) {
	if m.Empty() || c.asm.Add(ch.num, &wire.RunKey{Mask: *m}, c.encodeUp(ch, m)) {
		return *m
	}
	for n := range m.All() {
		var one wire.Mask
		one.Set(n)
		if one != *m && c.asm.Add(ch.num, &wire.RunKey{Mask: one}, c.encodeUp(ch, &one)) {
			sent.Set(n)
		}
	}
	return sent
}

// gatherUp reports whether there are variables that may be sent to the server now.
func (c *Client) gatherUp() bool {
	if c.state != Playing || c.world == nil || c.reload != nil || !c.readyHeard() {
		return false // they wait until the server knows these numbers
	}
	for _, ch := range c.upDue {
		if m := c.upMask(ch); !m.Empty() {
			return true
		}
	}
	return false
}

// markUp makes the variables pending that are sent to the server and were set since the last flush (R5.16).
func (c *Client) markUp() {
	if c.state != Playing || c.world == nil {
		return
	}
	for _, a := range c.world.DirtyActors() {
		ch := c.byActor[a.ID()]
		if ch == nil || !ch.hears() || ch.class.Up.Empty() || a.Deleted() {
			continue
		}
		c.pend(ch, wire.Mask(*a.DirtyMask()))
	}
}

// upMask returns the pending variables whose condition holds here.
func (c *Client) upMask(ch *channel) (m wire.Mask) {
	a := ch.actor
	if whole := cmp.Or(a.Outer, a); a.Deleted() || !ch.hears() || whole.Role != engine.RoleAutonomousProxy {
		return m
	}
	bits := engine.ConnBits{}
	for n := range ch.pending.All() {
		rule := ch.class.Vars[n].Prop.Rule
		holds := false
		if cond := rule.Cond; cond != nil && cond.Native() {
			holds = cond.Eval(a, bits.Input(a))
		} else {
			holds = c.world.Script.Condition(rule, a, bits)
		}
		if holds {
			m.Set(n)
		}
	}
	return m
}

func (c *Client) encodeUp(ch *channel, m *wire.Mask) []byte {
	from := len(c.pieces)
	c.vals.Names = c.names()
	b := c.pieces
	for n := range m.All() {
		v := &ch.class.Vars[n]
		words, strs := c.scratchOf.For(v.Type)
		ch.actor.ReadProperty(v.Prop, words, strs)
		b = c.vals.Append(b, v.Type, words, strs)
	}
	c.vals.Names = nil
	c.pieces = b
	return b[from:len(b):len(b)]
}

// notifications processes the delivery notifications of datagrams: lost variables are sent again, with their
// present values.
func (c *Client) notifications() {
	c.sess.Notifications(func(delivered bool, seq wire.Seq, _, _ int32) {
		items := c.up[seq%256]
		c.up[seq%256] = items[:0]
		if delivered {
			return
		}
		for _, it := range items {
			c.upAgain(it)
		}
	})
}

// upAgain makes the content of a lost datagram pending.
func (c *Client) upAgain(it upItem) {
	ch := it.ch
	if ch.net != it.net || !ch.hears() || ch.actor.Deleted() {
		return
	}
	c.pend(ch, it.mask)
}

// pend makes those of the variables pending that are sent to the server.
func (c *Client) pend(ch *channel, m wire.Mask) {
	ch.pending = ch.pending.Or(m.And(ch.class.Up))
	if !ch.pending.Empty() && !ch.upQueued {
		ch.upQueued = true
		c.upDue = append(c.upDue, ch)
	}
}

// told sets the clock from a reply of the server: the one with the shortest round trip counts, for a while (R11.1).
func (c *Client) told(m wire.Tell) {
	rtt := c.now - time.Duration(m.Stamp)*time.Microsecond - time.Duration(m.Held)*time.Microsecond
	if rtt < 0 || c.world == nil {
		return
	}
	c.pace.measured(c.now, rtt)
	// A paused server's time is that of the pace message. A request from before the last change of pace measures
	// neither the old nor the new one.
	if c.pace.Paused() || c.pace.told && m.Stamp < c.pace.at.Microseconds() {
		return
	}
	scale := c.pace.Scale()
	offset := float64(m.Time)/1e6 + scale*rtt.Seconds()/2 - c.world.Time
	// The error of an exchange is at most half of its round trip: if it is larger, one of the clocks has jumped, as
	// that of a suspended side does (G15). Earlier measurements are then useless.
	if off := math.Abs(offset - (c.world.ServerTime() - c.world.Time)); off > max(1, scale)*rtt.Seconds()/2+jumpSlack {
		c.bestRTT, c.bestAt, c.bestTime, c.offset = rtt, c.now, m.Time, offset
		c.world.StepServerTime(offset)
		return
	}
	if c.bestRTT == 0 || rtt <= c.bestRTT || c.now-c.bestAt > 30*time.Second {
		c.bestRTT, c.bestAt, c.bestTime = rtt, c.now, m.Time
		c.offset = offset
		c.world.SetServerTime(c.offset)
	}
}
