package server

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Dormancy (R4.7). An actor sleeps together with its components, on each connection by itself. Conn.settle puts it to
// sleep once everything sent has arrived. Conn.queue wakes it: a variable of the actor or of a component is pending, its
// role changed, a component was added. Waking tests relevancy, which sleeping does not: a client to which the actor is not
// relevant any more loses its copy instead of receiving the change (R3.12).

// whole is the actor that an entity is, or is a component of.
func (e *entity) whole() *entity {
	if e.outer != nil {
		return e.outer
	}
	return e
}

// dormant reports whether the actor wants to sleep.
func (e *entity) dormant() bool {
	d := e.whole().actor.NetDormancy
	return d == engine.DormDormantAll || d == engine.DormInitial
}

// rests reports whether the actor needs no channel once everything has arrived (settle).
func (e *entity) rests() bool { return e.dormant() || e.whole().actor.BNetTemporary }

// marked reports whether something of an entity was set that no net update has compared yet.
func (e *entity) marked() bool {
	return e.unsent != (wire.Mask{}) || wire.Mask(*e.actor.DirtyMask()) != (wire.Mask{})
}

// untouched reports whether a client's own copy of the level is as good as ours: DORM_Initial, and nothing of it or of its
// components was set (R4.7).
func (e *entity) untouched() bool {
	return e.ownPlace && !e.woken && e.actor.NetDormancy == engine.DormInitial
}

// trust takes the client's own copy of an untouched actor of the level for one that sleeps.
func (c *Conn) trust(r *rec) {
	c.become(r, recDormant)
	r.role, r.owned = engine.RoleSimulatedProxy, false // what the client's level makes
	r.ent.addSub(r)
	c.checkRole(r)
}

// wakeFor ends DORM_Initial for the actor of an entity that changed. Clients whose copy is the level's own have no record of
// its components, so that nothing of a component can be pending for them: there the actor wakes.
func (s *Server) wakeFor(e *entity) {
	o := e.outer
	if o == nil {
		e.woken = true
		return
	}
	o.woken = true
	if len(e.subs) == len(o.subs) {
		return
	}
	for _, x := range o.subs {
		if x.c.rec(e) == nil {
			x.c.queue(x.r)
		}
	}
}

// addPart tells of a new component to every connection that has its actor, waking the actor where it sleeps.
func (s *Server) addPart(e *entity) {
	o := e.outer
	if e.dynamic() {
		o.woken = true
	} else if o.untouched() {
		return // the level's own has it, too
	}
	for _, x := range o.subs {
		if x.r.state == recOpen {
			x.c.want(e, x.r.verdict)
		} else {
			x.c.queue(x.r)
		}
	}
}

// dropPart remembers a component of its actor's class that was destroyed. Clients whose copy is the level's own were told
// nothing of it: there the actor wakes.
func (s *Server) dropPart(e *entity) {
	o := e.outer
	o.former = append(o.former, e)
	o.woken = true
	for _, x := range o.subs {
		if !x.r.told {
			x.c.queue(x.r)
		}
	}
}

// settleResting puts to sleep what could not sleep for a mark that came to nothing: a value that changed back before its
// actor was due (R4.5) sends nothing whose arrival would request it.
func (s *Server) settleResting() {
	for _, e := range s.resting {
		if e = e.whole(); e.dead || !e.rests() {
			continue
		}
		if e.common != nil {
			s.crowd.eject(e.common)
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
func (c *Conn) settle(r *rec) {
	if o := r.ent.outer; o != nil {
		if r = c.rec(o); r == nil {
			return
		}
	}
	e := r.ent
	if r.state != recOpen || r.arriving() || r.waits() {
		return
	}
	if e.actor.BNetTemporary && !e.dead { // the opening was all that it gets (R5.17)
		c.close(r, wire.CloseTemporary)
		c.become(r, recLeft)
		for _, p := range e.parts {
			if q := c.rec(p); q != nil {
				c.become(q, recLeft)
			}
		}
		return
	}
	if !e.dormant() || len(c.held) > 0 && c.holdsAny(e) {
		return
	}
	st := c.own(r)
	if st.repeats() || e.marked() {
		return
	}
	if c.flies(st) {
		c.settleLater(r)
		return
	}
	cond := c.permitted(e, st)
	if st.pendsAny(&cond) {
		return
	}
	for _, p := range e.parts {
		if p.dead {
			continue
		}
		q := c.rec(p)
		if q == nil || q.state != recOpen { // added, and not opened yet
			return
		}
		its := c.own(q)
		if c.flies(its) {
			c.settleLater(r)
			return
		}
		cond := c.permitted(p, its)
		if its.initial || its.waits || its.repeats() || its.pendsAny(&cond) || p.marked() {
			return
		}
	}
	c.close(r, wire.CloseDormant)
}

// wake opens the actors that slept and have something to send, where the client may still know of them.
func (c *Conn) wake() {
	if len(c.wakes) == 0 || !c.serves() || c.Player() == nil {
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
		if r.state != recDormant || r.away {
			continue
		}
		if r.ent.outer != nil { // wakes with its actor
			if o := c.rec(r.ent.outer); o != nil && o.state == recDormant && !o.waking && !o.away {
				c.rouse(o)
			}
			continue
		}
		c.rouse(r)
	}
	if c.wakes == nil {
		clear(list)
		c.wakes = list[:0]
	}
}

// rouse opens a sleeping actor that is relevant to the client, and takes the copy from one to which it is not. A copy of the
// level's own stays, and is told nothing until the actor is relevant again.
func (c *Conn) rouse(r *rec) {
	e := r.ent
	c.recall(&r.relState)
	r.verdict = c.s.index.Decide(&c.view, e.actor, &r.sight, c.s.world.Time)
	switch {
	case r.verdict.Relevant:
		c.want(e, r.verdict)
	case e.actor.BStatic || e.actor.BNoDelete:
		r.away = true
	default:
		c.close(r, wire.CloseIrrelevant)
		c.forget(r)
	}
}

// stale reports whether a sleeping copy lacks something of what its actor or one of its components is now.
func (c *Conn) stale(r *rec) bool {
	a := r.ent.actor
	if c.own(r).pends() || r.role != c.roleOf(a) || r.owned != ownedByPlayer(a) {
		return true
	}
	for _, p := range r.ent.parts {
		if q := c.rec(p); q == nil || c.own(q).pends() {
			return true
		}
	}
	return false
}

// mayLose reports whether a client may be told that a component of a sleeping actor ended. Where the actor is not relevant to
// it any more, the whole copy goes; the level's own stays, and without the component.
func (c *Conn) mayLose(r *rec) bool {
	e := r.ent.outer
	if e == nil || r.state != recDormant || !c.serves() || c.Player() == nil {
		return true
	}
	o := c.rec(e)
	if o == nil || o.state != recDormant || e.actor.BStatic || e.actor.BNoDelete {
		return true
	}
	c.lookView()
	c.recall(&o.relState)
	if o.verdict = c.s.index.Decide(&c.view, e.actor, &o.sight, c.s.world.Time); o.verdict.Relevant {
		return true
	}
	c.close(o, wire.CloseIrrelevant) // forgets r
	c.forget(o)
	return false
}
