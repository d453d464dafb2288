package server

import (
	"github.com/tidelock/tidelock/netcode/wire"
)

// Dormancy (R4.7). An actor sleeps together with its components, on each connection by itself. Conn.settle puts it to
// sleep once everything sent has arrived. Conn.queue wakes it: a variable of the actor or of a component is pending, its
// role changed, a component was added. Waking tests relevancy, which sleeping does not: a client to which the actor is not
// relevant any more loses its copy instead of receiving the change (R3.12).

// settleResting puts to sleep what could not sleep for a mark that came to nothing: a value that changed back before its
// actor was due (R4.5) sends nothing whose arrival would request it.
func (s *Server) settleResting() {
	for _, e := range s.resting {
		if e = e.whole(); e.dead || !e.rests() {
			continue
		}
		if e.shared != nil {
			s.group.eject(e.shared)
		}
		for _, x := range e.subs {
			x.c.settle(x.r)
		}
	}
	clear(s.resting)
	s.resting = s.resting[:0]
}

// settle closes the channel of an actor that needs none any more: all that was sent of it and of its components has arrived.
// A component has no channel to give up by itself: its actor is asked.
func (c *Conn) settle(r *repState) {
	if o := r.ent.outer; o != nil {
		if r = c.rep(o); r == nil {
			return
		}
	}
	e := r.ent
	if r.phase != repOpen || r.arriving() || r.waits() {
		return
	}
	if e.actor.BNetTemporary && !e.dead { // the opening was all that it gets (R5.17)
		c.close(r, wire.CloseTemporary)
		c.become(r, repLeft)
		for q := range c.partsOf(e) {
			c.become(q, repLeft)
		}
		return
	}
	if !e.dormant() || c.holds(e, len(c.held), false) {
		return
	}
	st := c.own(r)
	if st.any(repeat) || e.marked() {
		return
	}
	if c.flies(st) {
		c.settleLater(r)
		return
	}
	cond := c.permitted(e, st)
	if st.meets(pending, cond) {
		return
	}
	for _, p := range e.parts {
		if p.dead {
			continue
		}
		q := c.rep(p)
		if q == nil || q.phase != repOpen { // added, and not opened yet
			return
		}
		its := c.own(q)
		if c.flies(its) {
			c.settleLater(r)
			return
		}
		cond := c.permitted(p, its)
		if its.initial || its.waits || its.any(repeat) || its.meets(pending, cond) || p.marked() {
			return
		}
	}
	c.close(r, wire.CloseDormant)
}

// wake opens the actors that slept and have something to send, where the client may still know of them.
func (c *Conn) wake() {
	if len(c.wakes) == 0 || !c.watches() {
		return
	}
	c.see()
	list := c.wakes
	c.wakes = nil
	for _, r := range list {
		if r.serial == 0 || !r.waking {
			continue
		}
		r.waking = false
		if r.phase != repDormant || r.away {
			continue
		}
		if r.ent.outer != nil { // wakes with its actor
			if o := c.rep(r.ent.outer); o != nil && o.phase == repDormant && !o.waking && !o.away {
				c.wakeActor(o)
			}
			continue
		}
		c.wakeActor(r)
	}
	if c.wakes == nil {
		clear(list)
		c.wakes = list[:0]
	}
}

// wakeActor opens a sleeping actor that is relevant to the client, and takes the copy from one to which it is not. A copy of the
// level's own stays, and is told nothing until the actor is relevant again.
func (c *Conn) wakeActor(r *repState) {
	e := r.ent
	switch {
	case c.judge(r):
		c.want(e, r.verdict)
	case e.stays():
		r.away = true
	default:
		c.takeAway(r, wire.CloseIrrelevant)
	}
}

// mayLose reports whether a client may be told that a component of a sleeping actor ended. Where the actor is not relevant to
// it any more, the whole copy goes; the level's own stays, and without the component.
func (c *Conn) mayLose(r *repState) bool {
	e := r.ent.outer
	if e == nil || r.phase != repDormant || !c.watches() {
		return true
	}
	o := c.rep(e)
	if o == nil || o.phase != repDormant || e.stays() {
		return true
	}
	if c.lookView(); c.judge(o) {
		return true
	}
	c.takeAway(o, wire.CloseIrrelevant) // forgets r
	return false
}
