package server

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine"
)

// A call waits while the client lacks an actor that an argument declared with `wait` refers to (R6.9). Order holds
// across an actor and its components (R6.4), so the call also delays their later reliable calls on that connection.
// It is sent when the client has the actor. It is sent with nil for that argument when the actor will never come,
// and when the copy that it is called on ends: the actor or component is destroyed, torn off or left to the client,
// or the level changes. It is dropped once its own actor is no longer relevant to the client (R3.12).
//
// Invariant: Conn.held is in call order, and every entry belongs to an open channel.

// heldCall is a call that waits, or that is queued after one that waits.
type heldCall struct {
	r      *repState
	serial uint32
	fn     *engine.Function
	args   []engine.Value
	charge charge
}

// maxHeld bounds the waiting calls of a connection; one more makes the oldest go out, with nil for its argument.
const maxHeld = 64

// callDebt is how far, in bytes, unreliable calls may overdraw the budget: they are sent before variables, which
// usually have used it up (R4.6).
const callDebt = 256

// resolves reports whether a reference to an entity is final for the client: the client has a copy and knows its
// number, or will never have one.
func (c *Conn) resolves(e *entity) bool {
	r := c.rep(e)
	switch {
	case r != nil && r.known():
		return r.told
	case r != nil && r.phase == repLeft:
		return true
	default:
		return e.whole().tornOff
	}
}

// mustWait reports whether a call waits for one of its arguments: an actor for which ready is false.
func (s *Server) mustWait(f *engine.Function, args []engine.Value, ready func(*entity) bool) bool {
	for i := range min(len(f.Params), len(args)) {
		if f.Params[i].Type.Wait && args[i].Ref != 0 {
			if e := s.find(args[i].Ref); e != nil && !ready(e) {
				return true
			}
		}
	}
	return false
}

// of reports whether a held call is on an actor or on one of its components.
func (h *heldCall) of(whole *entity) bool { return h.r.serial == h.serial && h.r.ent.whole() == whole }

// holds reports whether any of the first n calls waits on an actor or one of its components; with reliable, only
// reliable calls count.
func (c *Conn) holds(whole *entity, n int, reliable bool) bool {
	for i := range c.held[:n] {
		if h := &c.held[i]; (h.fn.Reliable || !reliable) && h.of(whole) {
			return true
		}
	}
	return false
}

// hold keeps a call until it may be sent.
func (c *Conn) hold(r *repState, f *engine.Function, args []engine.Value, ch charge) {
	if len(c.held) >= maxHeld {
		c.sendHeld(0)
		c.releaseHeld() // and those queued after it
	}
	c.held = append(c.held, heldCall{r, r.serial, f, slices.Clone(args), ch})
}

// sendHeld sends a call that waited, if its actor is still relevant to the client.
func (c *Conn) sendHeld(i int) {
	h := c.held[i]
	c.held = slices.Delete(c.held, i, i+1)
	e := h.r.ent
	if h.r.serial == h.serial && c.s.index.Unsettled(e.actor) {
		c.lookAgain(e)
	}
	num, ok := e.class.Number(h.fn)
	if !ok {
		c.unbill(&h.charge)
		return
	}
	if h.r.serial != h.serial || !h.r.open() || c.state == gone {
		c.dropCall(e, h.fn)
		c.unbill(&h.charge)
		return
	}
	c.sendCall(h.r, h.fn, num, h.args, h.charge)
	if !h.fn.Reliable && e.rests() {
		c.settleLater(c.rep(e.whole()))
	}
}

// releaseHeld sends the calls that no longer wait for anything, each after the earlier ones on its actor.
func (c *Conn) releaseHeld() {
	for i := 0; i < len(c.held); {
		if h := &c.held[i]; h.fn.Reliable && c.holds(h.r.ent.whole(), i, true) || c.s.mustWait(h.fn, h.args, c.resolves) {
			i++
			continue
		}
		c.sendHeld(i)
	}
}

// flushHeld sends the waiting calls on an actor and its components unchanged and in order, because its channel ends
// (R6.4). For a component it sends the calls on it and everything queued before the last of them.
func (c *Conn) flushHeld(e *entity) {
	whole := e.whole()
	n := 0 // calls of the whole actor up to the last one on e
	for i, of := 0, 0; i < len(c.held); i++ {
		if h := &c.held[i]; h.of(whole) {
			if of++; e == whole || h.r.ent == e {
				n = of
			}
		}
	}
	for i := 0; i < len(c.held) && n > 0; {
		if !c.held[i].of(whole) {
			i++
			continue
		}
		n--
		c.sendHeld(i)
	}
	if e != whole {
		c.releaseHeld()
	}
}

// dropHeld drops the waiting calls on an actor and its components: the actor is no longer relevant to the client
// (R3.12).
func (c *Conn) dropHeld(whole *entity) {
	c.held = slices.DeleteFunc(c.held, func(h heldCall) bool {
		if !h.of(whole) {
			return false
		}
		c.dropCall(h.r.ent, h.fn)
		c.unbill(&h.charge)
		return true
	})
}

// reloadHeld converts waiting calls to new classes. A call whose parameters changed is dropped; those queued after
// it stay.
func (c *Conn) reloadHeld() {
	c.held = slices.DeleteFunc(c.held, func(h heldCall) bool {
		if h.r.serial == h.serial && h.r.ent.class.Present(h.fn) != nil {
			return false
		}
		c.unbill(&h.charge)
		return true
	})
	for i := range c.held {
		c.held[i].fn = c.held[i].r.ent.class.Present(c.held[i].fn)
	}
	c.releaseHeld()
}

// sendCall sends a call; ch is what a reliable one was charged.
func (c *Conn) sendCall(r *repState, f *engine.Function, num uint16, args []engine.Value, ch charge) {
	s, e := c.s, r.ent
	b := c.appendCall(c.scratch[:0], e, f, num, args)
	c.scratch = b
	t := c.Traffic.Function(e.class, num)
	// A call on a copy whose open is still in flight is sent reliably too, so that it does not arrive too early and
	// get lost.
	reliable := f.Reliable || r.waits() && r.arriving() || len(b) > maxCallBytes
	if !reliable {
		// A client that has not received new classes yet would read the number as another function's (R5.23).
		if c.epoch != s.set.Epoch || len(c.calls)+len(b) > maxCallBytes || c.credit-float64(len(c.calls)+len(b)) < -callDebt {
			t.Dropped++
			s.Stats.CallsDropped++
			return
		}
		c.calls = append(c.calls, b...)
		c.callN++
	} else {
		if !f.Reliable && !c.chargeAnyhow(&ch, e, len(b)) { // the remaining budget is for calls that must arrive
			t.Dropped++
			s.Stats.CallsDropped++
			return
		}
		n, ok := c.reliable(b)
		if !ok {
			return
		}
		c.callsOut = append(c.callsOut, callOut{n, c.goneOut})
		c.mentionedWhole(r, n)
	}
	t.Sent(len(b))
	if s.logClass[e.class.Class.Name] {
		s.logLine(fmt.Sprintf("call %s:%s at %s", e.actor, f.Name, c))
	}
}

// chargeAnyhow charges an unreliable call that is sent in the reliable stream because it is too large for a
// datagram or the open of its copy is still in flight. It returns false if the call cannot be charged; it is then
// lost.
func (c *Conn) chargeAnyhow(ch *charge, e *entity, bytes int) bool {
	if c.acknowledged() >= c.s.cfg.Limits.ReliableCalls/2 {
		return false
	}
	by := e.class.Class.Mod()
	*ch = c.s.accounts.charge(e.class.Class.Name, by, bytes)
	if c.refusal(ch, by) != "" {
		return false
	}
	c.bill(ch)
	return true
}

func (c *Conn) dropCall(e *entity, f *engine.Function) {
	if n, ok := e.class.Number(f); ok && c.state == playing {
		c.Traffic.Function(e.class, n).Dropped++
	}
}
