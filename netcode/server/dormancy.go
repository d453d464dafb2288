package server

import (
	"github.com/tidelock/tidelock/netcode/wire"
)

// Dormancy (R4.7). An actor becomes dormant together with its components, on each connection separately.
// Conn.settle does that once everything sent has arrived. Conn.queue wakes it: a variable of the actor or of a
// component is pending, its role changed, a component was added. Waking tests relevancy, which a dormant actor is
// exempt from: a client to which the actor is no longer relevant loses its copy instead of receiving the change
// (R3.12).

// settleResting makes actors dormant that could not be so because of a mark without effect: a value that changed
// back before its actor was due (R4.5) sends nothing whose arrival would trigger that.
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

// settle closes the channel of an actor that no longer needs one: everything sent of it and of its components has
// arrived. A component does not give up its channel alone: its actor decides.
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
	if e.actor.BNetTemporary && !e.dead { // it gets nothing after its opening (R5.17)
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

// wake opens dormant actors that have something to send, if they are still relevant to the client.
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

// wakeActor opens a dormant actor that is relevant to the client, and closes the copy of one that is not. The
// level's own copy stays, and is not updated until the actor is relevant again.
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

// mayLose reports whether a client may learn that a component of a dormant actor ended. If the actor is no longer
// relevant to it, the whole copy is closed; the level's own copy stays, and only loses the component.
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
