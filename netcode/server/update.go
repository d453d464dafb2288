package server

import (
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/netcode/wire"
)

// considerWhenDue applies an actor's NetUpdateFrequency (R4.5).
func (s *Server) considerWhenDue(e *entity, t float64, force bool) {
	if s.unseen(e) {
		return
	}
	if !force && !e.class.Eager && t < e.due-1e-6 {
		s.postpone(e)
		return
	}
	s.consider(e)
}

// postpone makes the next net update consider an entity.
func (s *Server) postpone(e *entity) {
	if !e.waiting {
		e.waiting = true
		s.late = append(s.late, e)
	}
}

// unseen reports whether no connection has an entity, so that comparing it is of no use: its marks are kept until
// some connection gets it (markVisible). Level actors are compared all the same, because anything that was set
// wakes them (R4.7).
func (s *Server) unseen(e *entity) bool {
	return len(e.subs) == 0 && e.outer == nil && !e.inLevel && !s.cfg.Validate && (!e.actor.BTearOff || e.tornOff)
}

// consider compares the marked variables of an entity with its shadow (R5.4).
func (s *Server) consider(e *entity) {
	last := e.actor.BTearOff && !e.tornOff && e.outer == nil
	if !last && (e.unsent.Empty() || s.unseen(e)) {
		return
	}
	changed := s.compare(e)
	switch {
	case last:
		s.pend(e, &changed)
		for _, p := range e.parts {
			if p.dead {
				continue
			}
			p.takeDirty() // it may come later than this one in the list of marked actors
			lacks := s.compare(p)
			s.pend(p, &lacks)
		}
		s.tearOff(e)
	case changed.Empty():
		if e.rests() {
			s.resting = append(s.resting, e)
		}
	default:
		e.served = s.world.Time
		e.due = e.served + e.pause
		s.Stats.Changed++
		s.wakeFor(e)
		s.pend(e, &changed)
	}
}

// pend makes what changed in an entity pending for all that have it.
func (s *Server) pend(e *entity, changed *wire.Mask) {
	if changed.Empty() {
		return
	}
	if g := e.shared; g != nil {
		g.pending |= changed[0]
		g.dirty = true
		s.group.queue(g)
	}
	count.Add(count.Updated, e.alone)
	for _, x := range e.subs[:e.alone] {
		x.c.own(x.r).lack(changed)
		x.c.queue(x.r)
	}
}

// tearOff sends an actor's last state to the connections that have it, and releases it (R5.18).
func (s *Server) tearOff(e *entity) {
	if e.shared != nil {
		s.group.eject(e.shared)
	}
	e.tornOff = true
	defer s.index.Remove(e.actor)
	s.index.Update(e.actor) // the marks of this tick are not all applied yet
	for i := len(e.subs) - 1; i >= 0; i-- {
		r := e.subs[i].r
		c := r.conn
		if !r.known() || !c.mayHearEnd(r) {
			continue
		}
		c.flushHeld(e)
		if !r.told { // the level's own, of which nothing was sent to the client yet
			c.open(r)
		}
		for pr := range c.partsOf(e) { // theirs first, so that TornOff finds it
			if pr.known() {
				c.update(pr)
			}
		}
		c.update(r)
		c.close(r, wire.CloseTornOff)
		for pr := range c.partsOf(e) {
			c.become(pr, repLeft)
		}
		c.become(r, repLeft)
	}
	for _, c := range s.conns {
		c.releaseHeld() // what waits for it, if it will never come
	}
}

// mayHearEnd reports whether a connection that has an actor may be sent its last state: not if the actor became
// dormant and is out of sight since, or belongs to another player by now (R3.12). Then the copy is closed, or stays
// as it is if it is the level's.
func (c *Conn) mayHearEnd(r *repState) bool {
	if !c.watches() {
		return false
	}
	if c.lookView(); c.judge(r) {
		return true
	}
	if e := r.ent; e.stays() {
		c.dropHeld(e)
		c.become(r, repLeft)
	} else {
		c.takeAway(r, wire.CloseIrrelevant)
	}
	return false
}

// takeMarks updates the shadow outside a net update, so that an actor opened for a call has the values of the
// tick's end.
func (s *Server) takeMarks(e *entity) {
	s.clock++
	e.takeDirty()
	s.consider(e)
	for _, p := range e.parts {
		p.takeDirty()
		s.consider(p)
	}
}
