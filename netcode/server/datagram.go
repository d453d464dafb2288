package server

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Datagram handles an unreliable datagram; it implements link.Handler. The datagram is read twice: first to
// validate it, then to apply it.
func (s *Server) Datagram(lc link.Conn, b []byte) {
	c := s.heardFrom(lc)
	if c == nil || !c.allow(len(b)) {
		return
	}
	d := &c.dg
	h, ok, err := c.sess.Open(b, d)
	if err != nil {
		c.unsound("a datagram that is not sound: ", err)
		return
	}
	if !ok {
		return
	}
	look := d.R
	payload := look.More()
	if !c.walk(&look) {
		return
	}
	if err := look.End(); err != nil {
		c.unsound("a datagram that is not sound: ", err)
		return
	}
	if err := c.sess.Take(h, payload && !session.OnlyReceived(d.R), s.now); err != nil {
		c.offend(offenceMalformed, "acknowledges what was never sent")
		return
	}
	c.notifications()
	c.apply(d)
}

// walk validates a datagram without applying it. It returns false if the datagram cannot be accepted now.
func (c *Conn) walk(r *wire.Reader) bool {
	for r.Peek() == wire.ShapeArray {
		kind, n := r.Message()
		switch kind {
		case wire.KindReceived:
			r.Received(n)
		case wire.KindCall:
			r.SkipArgs(r.Call(n))
		case wire.KindAsk:
			r.Ask(n)
		default:
			r.Fail(wire.ErrKind)
		}
		if r.Err() != nil {
			return true
		}
	}
	if !r.More() {
		return true
	}
	d := r.Deltas()
	if r.Err() == nil && d.Epoch != c.s.set.Epoch {
		return false // its numbers are not in force: it will be sent again
	}
	c.deltas(d, r, nil)
	return true
}

// deltas reads the variables that a datagram holds; dg is nil if they are only validated.
func (c *Conn) deltas(d wire.Deltas, r *wire.Reader, dg *session.Datagram) {
	for d.Next() {
		for ch := range d.Channels() {
			if rc := c.channel(ch); rc == nil || !d.Run.Rel.Empty() {
				d.SkipActor()
			} else {
				c.variables(rc, &d.Run.Mask, r, dg)
			}
		}
	}
}

// apply applies a valid datagram.
func (c *Conn) apply(dg *session.Datagram) {
	r := &dg.R
	for r.Peek() == wire.ShapeArray && c.state != gone {
		kind, n := r.Message()
		switch kind {
		case wire.KindReceived:
			c.sess.Received(r.Received(n))
		case wire.KindCall:
			if c.sess.Number(dg.Seq) < c.from { // its numbers were in force before, perhaps in another world
				r.SkipArgs(r.Call(n))
				continue
			}
			before := r.Err()
			c.receiveCall(r, n, false)
			if before == nil && r.Err() != nil {
				c.unsound("calls with arguments that do not fit: ", r.Err())
				return
			}
		case wire.KindAsk:
			stamp := r.Ask(n)
			if len(c.tell) < 4 {
				c.tell = append(c.tell, wire.Tell{Stamp: stamp})
			}
		default:
			return
		}
	}
	if r.More() && c.state == playing {
		c.deltas(r.Deltas(), r, dg)
	}
}

// variables reads an actor's variables that the client sent (R5.16); dg is nil if they are only validated.
func (c *Conn) variables(rc *repState, mask *wire.Mask, r *wire.Reader, dg *session.Datagram) {
	s, e := c.s, rc.ent
	k := e.class
	own := dg != nil && c.owner(e.actor) && !e.dead
	for n := range mask.All() {
		if n >= len(k.Vars) || !k.Up.Has(n) || k.Vars[n].Type.Kind == engine.KindFastArray {
			if dg == nil {
				name := fmt.Sprint(n)
				if n < len(k.Vars) {
					name = k.Vars[n].Prop.Name
				}
				c.offend(offenceCall, fmt.Sprintf("sends variable %s of %s, which no rule lets a client send (R5.16)", name, k.Class.Name))
			}
			r.Skip()
			continue
		}
		v := &k.Vars[n]
		words, strs := s.present(e, v)
		if v.Type.Kind == engine.KindArray {
			var set wire.Elements
			r.Elements(v.Type, words, strs, &names{c: c}, &set)
		} else {
			r.Value(v.Type, words, strs, &names{c: c})
		}
		if r.Err() != nil {
			return
		}
		if dg == nil {
			continue
		}
		if !own {
			c.offend(offenceCall, fmt.Sprintf("sends %s.%s of %s, which is not its own (R5.16)", k.Class.Name, v.Prop.Name, e.actor))
			continue
		}
		if len(rc.heard) < len(k.Vars) {
			rc.heard = append(rc.heard, make([]heard, len(k.Vars)-len(rc.heard))...)
		}
		last, at := &rc.heard[n], c.sess.Number(dg.Seq)
		if last.any && at <= last.at {
			continue // a newer value arrived earlier
		}
		*last = heard{at, true}
		if j := v.Prop.Judge; j != nil {
			if c.isSlow(j) {
				c.Traffic.Vars(k)[n].Dropped++
				continue
			}
			verdict := s.world.Script.Valid(e.actor, j, engine.LoadValue(s.world.Classes, v.Type, words, strs), c.who())
			if c.judged(j, verdict); verdict != engine.Accepted {
				c.Traffic.Vars(k)[n].Dropped++
				if verdict == engine.Refused {
					c.offend(offenceCall, fmt.Sprintf("sends a value of %s.%s that its validator refuses (R5.16)", k.Class.Name, v.Prop.Name))
				}
				continue
			}
		}
		c.Traffic.Vars(k)[n].Received++
		e.actor.ReceiveProperty(v.Prop, words, strs)
	}
}
