package server

import (
	"math"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// netUpdate compares what was marked and looks who may know of what; sending is each connection's flush.
func (s *Server) netUpdate(now time.Duration) {
	s.update++
	s.clock++
	s.lastNet = now
	s.main.reset()
	for i := range s.flushing.workers {
		s.flushing.workers[i].reset()
	}
	s.Stats = Stats{Calls: s.Stats.Calls, CallsDropped: s.Stats.CallsDropped, Saturated: s.saturated()}
	s.compareMarked()
	s.world.ClearDirty()
	if s.cfg.Validate {
		s.validate()
	}
	s.relevancy()
	if now-s.lastPing >= time.Second {
		s.lastPing = now
		for _, c := range s.conns {
			c.tellPing()
		}
	}
	s.Stats.Entities = s.count
}

// compareMarked finds out what changed of the actors that were marked.
func (s *Server) compareMarked() {
	t := s.world.Time
	late := s.late
	s.late = s.late[:0]
	for _, e := range late {
		e.waiting = false
		if !e.dead {
			s.considerWhenDue(e, t, false)
		}
	}
	clear(late[len(s.late):]) // it is filled again in place
	owners := false
	for _, a := range s.world.DirtyActors() {
		if a.Deleted() {
			continue
		}
		e := s.entityOf(a)
		if e == nil {
			continue
		}
		if m := a.DirtyMask(); e.class.Small {
			e.unsent[0] |= m[0]
		} else {
			all := wire.Mask(*m)
			e.unsent = or(&e.unsent, &all)
		}
		if a.NetDirty() {
			e.pace()
			if e.outer == nil {
				s.index.Update(a)
				s.changed = append(s.changed, e)
			}
			owners = owners || a.CondDirty()
		} else if e.outer == nil && a.Moved() {
			s.index.Move(a)
		}
		if a.CondDirty() {
			s.mark(e)
			owners = owners || a.Class.IsPlayerController() // its groups (COND_NetGroup)
		}
		force := a.TakeForceNetUpdate()
		if a.TakeFlushNetDormancy() {
			force = true
			e.whole().woken = true
		}
		s.considerWhenDue(e, t, force)
	}
	for _, e := range s.volatiles {
		s.mark(e)
	}
	s.spread()
	if owners {
		s.owners++
		// Who owns what decides roles, conditions and relevancy along whole chains; changes are rare.
		for _, c := range s.conns {
			c.lookNow = true
			for _, r := range c.active {
				c.checkRole(r)
				if g := r.rep.Common(); g != nil && (c.ownership(r.ent.actor)^g.bits)&ofOwners == 0 {
					continue
				}
				if c.own(r).pends() {
					c.queue(r)
				}
			}
		}
	}
}

// mark says that the answers of an entity's conditions may be others: what they held back is looked at again.
func (s *Server) mark(e *entity) {
	s.askAgain(e)
	if g := e.common; g != nil && g.pending != 0 {
		s.crowd.queue(g)
	}
	for _, x := range e.subs[:e.alone] {
		if x.c.own(x.r).pends() {
			x.c.queue(x.r)
		}
	}
}

// considerWhenDue keeps an actor to its NetUpdateFrequency (R4.5).
func (s *Server) considerWhenDue(e *entity, t float64, force bool) {
	if s.unseen(e) {
		return
	}
	if !force && !e.class.Eager && t < e.due-1e-6 {
		if !e.waiting {
			e.waiting = true
			s.late = append(s.late, e)
		}
		return
	}
	s.consider(e)
}

// unseen reports whether nobody has an entity, so that nobody asks what changed of it: its marks are kept until somebody
// gets it (behold). Those of the level are looked at all the same, since that anything was set of them wakes them (R4.7).
func (s *Server) unseen(e *entity) bool {
	return len(e.subs) == 0 && e.outer == nil && !e.ownPlace && !s.cfg.Validate && (!e.actor.BTearOff || e.tornOff)
}

// behold brings the shadow of an entity that nobody had up to what the last net update found of it.
func (s *Server) behold(e *entity) {
	if e.unsent.Empty() || e.tornOff {
		return
	}
	m := e.unsent
	e.unsent = wire.Mask{}
	s.compare(e, &m)
}

// consider compares the marked variables of an entity with its shadow (R5.4).
func (s *Server) consider(e *entity) {
	k := e.class
	if k.Small && e.unsent[0] == 0 && (e.outer != nil || !e.actor.BTearOff) {
		return
	}
	if s.unseen(e) {
		return
	}
	m := e.unsent
	e.unsent = wire.Mask{}
	a := e.actor
	if a.BTearOff && !e.tornOff && e.outer == nil {
		s.pend(e, s.compare(e, &m))
		for _, p := range e.parts {
			if p.dead {
				continue
			}
			dirty := wire.Mask(*p.actor.DirtyMask()) // it may come later in the list of marked actors than this one
			lacks := or(&p.unsent, &dirty)
			p.unsent = wire.Mask{}
			s.pend(p, s.compare(p, &lacks))
		}
		s.tearOff(e)
		return
	}
	if m.Empty() {
		return
	}
	var changed wire.Mask
	if k.Small && k.Location >= 0 && m[0] == 1<<k.Location { // it moved, and nothing else
		s.Stats.Compared++
		if s.comparePlace(e) {
			changed = m
		}
	} else {
		changed = s.compare(e, &m)
	}
	if changed = and(&changed, &k.Down); changed.Empty() {
		if e.rests() {
			s.resting = append(s.resting, e)
		}
		return
	}
	t := s.world.Time
	e.due = t + e.pause
	e.served = t
	s.Stats.Changed++
	s.wakeFor(e)
	s.pend(e, changed)
}

// pend makes what changed of an entity pending for all that have it.
func (s *Server) pend(e *entity, changed wire.Mask) {
	changed = and(&changed, &e.class.Down)
	if changed.Empty() {
		return
	}
	if g := e.common; g != nil {
		g.pending |= changed[0]
		g.dirty = true
		s.crowd.queue(g)
	}
	for _, x := range e.subs[:e.alone] {
		x.c.news = append(x.c.news, news{x.r, changed[0]})
		if e.class.Small {
			continue
		}
		x.c.own(x.r).pend(&changed)
	}
}

// frequency is the actor's NetUpdateFrequency; a component's is its actor's.
func (e *entity) frequency() float64 {
	if e.outer != nil {
		return e.outer.actor.NetUpdateFrequency
	}
	return e.actor.NetUpdateFrequency
}

// pace takes up the actor's NetUpdateFrequency, for its components too.
func (e *entity) pace() {
	e.pause = 0
	if f := e.frequency(); f > 0 {
		e.pause = 1 / f
	}
	e.due = min(e.due, e.served+e.pause) // one that is to be looked at more often does not wait as it did before
	for _, p := range e.parts {
		p.pause = e.pause
		p.due = min(p.due, p.served+p.pause)
	}
}

// tearOff sends an actor's last state to those that have it and lets it go (R5.18).
func (s *Server) tearOff(e *entity) {
	if e.common != nil {
		s.crowd.eject(e.common)
	}
	s.spread()
	e.tornOff = true
	defer s.index.Remove(e.actor)
	s.index.Update(e.actor) // the marks of this tick are not all applied yet
	for i := len(e.subs) - 1; i >= 0; i-- {
		r := e.subs[i].r
		c := r.conn
		if r.state == recLeft {
			continue
		}
		if r.state == recLooked || !c.mayHearEnd(r) {
			continue
		}
		c.flushHeld(e)
		if !r.told { // the level's own, of which the client was told nothing yet
			c.open(r)
		}
		for _, p := range e.parts { // theirs first, so that TornOff finds it
			if pr := c.rec(p); pr != nil && pr.known() {
				c.update(pr)
			}
		}
		c.update(r)
		c.close(r, wire.CloseTornOff)
		for _, p := range e.parts {
			if pr := c.rec(p); pr != nil {
				c.become(pr, recLeft)
			}
		}
		c.become(r, recLeft)
	}
	for _, c := range s.conns {
		c.releaseHeld() // what waits for it, where it will never come
	}
}

// mayHearEnd reports whether a connection that has an actor may be sent its last state: not where it fell asleep and is out
// of sight since, or belongs to somebody else by now (R3.12). There the copy goes, or stays as it is if it is the level's.
func (c *Conn) mayHearEnd(r *rec) bool {
	if !c.serves() || c.Player() == nil {
		return false
	}
	c.lookView()
	c.recall(&r.relState)
	e := r.ent
	if r.verdict = c.s.index.Decide(&c.view, e.actor, &r.sight, c.s.world.Time); r.verdict.Relevant {
		return true
	}
	if e.actor.BStatic || e.actor.BNoDelete {
		c.dropHeld(e)
		c.become(r, recLeft)
		return false
	}
	c.close(r, wire.CloseIrrelevant)
	c.forget(r)
	return false
}

// tellPing sets what the player's PlayerState shows of their connection (R8.6).
func (c *Conn) tellPing() {
	pc := c.Player()
	if c.state != playing || pc == nil {
		return
	}
	p := pc.Class.Property("PlayerReplicationInfo")
	if p == nil {
		return
	}
	pri := c.s.world.Actor(pc.Get(p).Ref)
	if pri == nil {
		return
	}
	loss := 0.0
	if n := c.sess.Delivered + c.sess.Lost; n > 0 {
		loss = float64(c.sess.Lost) / float64(n)
	}
	// In the same order each time: scripts receive it.
	for i, name := range [...]string{"Ping", "PacketLoss"} {
		v := [...]float64{math.Round(c.sess.RTT.Seconds() * 1000), math.Round(loss * 100)}[i]
		q := pri.Class.Property(name)
		if q == nil || q.Native != nil {
			continue
		}
		if pri.Set(q, engine.Float(v)) != nil && pri.Set(q, engine.Int(int(v))) != nil {
			continue // a game's PlayerState of another type: its own affair
		}
		c.s.world.Script.Changed(pri, q)
	}
}
