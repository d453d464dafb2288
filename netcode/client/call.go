package client

import (
	"maps"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// receiveCall runs a call that the server sent.
func (c *Client) receiveCall(r *wire.Reader, fields int) {
	from := r.Pos()
	m := r.Call(fields)
	if r.Err() != nil {
		return
	}
	ch := c.openAt(m.Channel)
	if ch == nil || c.reload != nil || int(m.Function) >= len(ch.class.Functions) {
		r.SkipArgs(m)
		return
	}
	f := ch.class.Functions[m.Function]
	if f.Kind == engine.CallServer {
		r.SkipArgs(m)
		return
	}
	c.finishFirst()
	args := c.args.Read(r, f.Params, m.Args, c.names(), c.world.Classes)
	*ch.came += uint64(r.Pos() - from)
	if r.Err() != nil {
		return
	}
	if c.cfg.Trace != nil {
		c.trace(ch, Event{Kind: Called, Name: f.Name, Args: append([]engine.Value(nil), args...)})
	}
	c.world.Script.Received(ch.actor, f, args, "")
}

// Owns reports whether this client's player owns an actor; it implements engine.Remote.
func (c *Client) Owns(a *engine.Actor) bool {
	pc := c.world.LocalPlayer()
	return pc != nil && a.TopOwner() == pc
}

// RoundTrip returns the client's own round-trip time, in seconds of the world; it implements engine.Remote.
func (c *Client) RoundTrip(*engine.Actor) float64 { return c.sess.RTT.Seconds() * c.pace.factor() }

// PaceLead is 0: a client's own time is that of its moves. It implements engine.Remote.
func (c *Client) PaceLead(*engine.Actor) (lead, most float64) { return 0, 0 }

// maxCallBytes bounds the unreliable calls of one datagram.
const maxCallBytes = 1100

// Call sends a call to the server, within the allowances of this client's scripts; it implements engine.Remote.
func (c *Client) Call(a *engine.Actor, f *engine.Function, args []engine.Value, by string) error {
	ch := c.byActor[a.ID()]
	if ch == nil || !ch.hears() || c.state != Playing {
		return nil
	}
	if c.swapping != nil {
		c.swapping.add(a, f, args, by)
		return nil
	}
	num, ok := ch.class.Number(f)
	if !ok {
		return nil
	}
	n := wire.GivenArgs(f.Params, args)
	b := wire.AppendCall(c.pieces[:0], wire.Call{Channel: ch.num, Function: num, Args: n})
	c.vals.Names = c.names()
	for i := range n {
		b = c.vals.AppendValue(b, f.Params[i].Type, &args[i], c.world.Classes)
	}
	c.vals.Names = nil
	c.pieces = b
	if err := c.allowances.take(c.now, ch.class.Class, f, len(b), by); err != nil {
		if f.Reliable {
			return err
		}
		c.dropCall(a, f)
		return nil
	}
	// An unreliable call too large for a datagram is sent in the reliable stream, as on the server (G11).
	if f.Reliable || len(b) > maxCallBytes {
		c.sendMessage(b)
		return nil
	}
	// While the server does not know yet that the new classes run here, it could misread numbers.
	if len(c.calls)+len(b) > maxCallBytes || c.reload != nil || !c.readyHeard() {
		c.dropCall(a, f)
		return nil
	}
	c.calls = append(c.calls, b...)
	c.callN++
	return nil
}

// newCalls holds reliable calls that new scripts made while they replaced the old ones (Reloaded, notifies of
// changed defaults): they only get numbers once the client has told the server that it runs the new classes.
type newCalls struct {
	list []newCall
	args []engine.Value
}

type newCall struct {
	actor    *engine.Actor
	fn       *engine.Function
	from, to int // range of its arguments in newCalls.args
	by       string
}

// add stores a call; an unreliable one is lost.
func (n *newCalls) add(a *engine.Actor, f *engine.Function, args []engine.Value, by string) {
	if !f.Reliable {
		return
	}
	from := len(n.args)
	n.args = append(n.args, args...)
	n.list = append(n.list, newCall{a, f, from, len(n.args), by})
}

// send sends the calls in the order in which they were made.
func (n *newCalls) send(c *Client) {
	for _, k := range n.list {
		if c.Owns(k.actor) { // it may have another owner by now
			if err := c.Call(k.actor, k.fn, n.args[k.from:k.to], k.by); err != nil {
				c.dropCall(k.actor, k.fn)
				c.report(engine.SevWarning, err.Error())
			}
		}
	}
}

// Dropped counts a call that has no receiver (R6.3); it implements engine.Remote. The world has reported it.
func (c *Client) Dropped(a *engine.Actor, f *engine.Function, _ string) { c.dropCall(a, f) }

func (c *Client) dropCall(a *engine.Actor, f *engine.Function) {
	if c.drops == nil {
		c.drops = map[string]uint64{}
	}
	c.drops[a.Class.Name+"."+f.Name]++
}

// Drops calls f for every function of which calls were dropped here, by Class.Name, sorted by name.
func (c *Client) Drops(f func(name string, n uint64)) {
	for _, name := range slices.Sorted(maps.Keys(c.drops)) {
		f(name, c.drops[name])
	}
}
