package server

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine"
)

// A call waits while the client lacks an actor that an argument declared with `wait` refers to (R6.9). Order holds across
// an actor and its components (R6.4), so it holds back the later reliable calls of all of them, on that connection. It is
// sent when the client has the actor. It is sent with nil for that argument when the actor will never come, and when the copy
// that it is called on ends: the actor or component is destroyed, torn off or left to the client, the level changes. It is
// not sent at all once its own actor is not relevant to the client any more (R3.12).
//
// Invariant: Conn.held is in order of calls, and everything in it is of an open channel.

// heldCall is a call that waits, or that stands behind one that does.
type heldCall struct {
	r      *repState
	serial uint32
	fn     *engine.Function
	args   []engine.Value
	charge charge
}

// maxHeld bounds the calls of a connection that wait; with one more the oldest goes, with a nil.
const maxHeld = 64

// callDebt is how far, in bytes, unreliable calls may overdraw the budget: they go before variables, which have used it up
// as a rule (R4.6).
const callDebt = 256

// resolves reports whether a reference to an entity is what it will ever be for the client: the client has a copy and knows
// its number, or will never have one.
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

// resolved is whether every reference that a held call waits for resolves.
func (c *Conn) resolved(h *heldCall) bool {
	for i := range h.fn.Params {
		if i < len(h.args) && h.fn.Params[i].Type.Wait && h.args[i].Ref != 0 {
			if e := c.s.find(h.args[i].Ref); e != nil && !c.resolves(e) {
				return false
			}
		}
	}
	return true
}

// of reports whether a held call is one on an actor or on a component of it.
func (h *heldCall) of(whole *entity) bool { return h.r.serial == h.serial && h.r.ent.whole() == whole }

// holds reports whether a call, or a reliable one, among the first n waits on an actor or on one of its components.
func (c *Conn) holds(whole *entity, n int, reliable bool) bool {
	for i := range c.held[:n] {
		if h := &c.held[i]; (h.fn.Reliable || !reliable) && h.of(whole) {
			return true
		}
	}
	return false
}

// hold keeps a call until it may go.
func (c *Conn) hold(r *repState, f *engine.Function, args []engine.Value, ch charge) {
	if len(c.held) >= maxHeld {
		c.sendHeld(0)
		c.releaseHeld() // those behind it
	}
	c.held = append(c.held, heldCall{r, r.serial, f, slices.Clone(args), ch})
}

// sendHeld sends a call that waited, if its actor is still the client's to know.
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

// releaseHeld sends the calls that wait for nothing any more, each behind those before it on its actor.
func (c *Conn) releaseHeld() {
	for i := 0; i < len(c.held); {
		if h := &c.held[i]; h.fn.Reliable && c.holds(h.r.ent.whole(), i, true) || !c.resolved(h) {
			i++
			continue
		}
		c.sendHeld(i)
	}
}

// flushHeld sends the calls on an actor and its components that wait, as they are and in order: its channel ends (R6.4). Of a
// component it sends those on it, and what stands before the last of them.
func (c *Conn) flushHeld(e *entity) {
	whole := e.whole()
	n := 0 // calls of the whole up to the last on e
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

// dropHeld forgets the calls on an actor and its components that wait: it is not relevant to the client any more (R3.12).
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

// reloadHeld makes calls that wait those of new classes. One that takes something else now goes nowhere; what stood behind it
// goes on.
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

// sendCall sends a call; ch is what it was charged, for a reliable one.
func (c *Conn) sendCall(r *repState, f *engine.Function, num uint16, args []engine.Value, ch charge) {
	s, e := c.s, r.ent
	b := c.appendCall(c.scratch[:0], e, f, num, args)
	c.scratch = b
	t := c.Traffic.Function(e.class, num)
	// What is called on a copy that is still under way goes with it, so that it is not lost for being too early.
	reliable := f.Reliable || r.waits() && r.arriving() || len(b) > maxCallBytes
	if !reliable {
		// A client that has not heard of new classes would take the number for another function's (R5.23).
		if c.epoch != s.set.Epoch || len(c.calls)+len(b) > maxCallBytes || c.credit-float64(len(c.calls)+len(b)) < -callDebt {
			t.Dropped++
			s.Stats.CallsDropped++
			return
		}
		c.calls = append(c.calls, b...)
		c.callN++
	} else {
		if !f.Reliable && !c.chargeAnyhow(&ch, e, len(b)) { // the rest is for calls that must arrive
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

// chargeAnyhow charges an unreliable call that goes by the reliable stream, since it is too large for a datagram or its copy
// is still under way. False: it cannot be charged, and is lost.
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
