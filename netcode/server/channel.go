package server

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/wire"
)

// open opens the channels of an entity and its components at once (R5.1). It reports whether the client has the
// entity.
func (c *Conn) open(r *repState) bool {
	if r.open() {
		return true
	}
	if r.phase == repLeft {
		return false
	}
	st := c.own(r)
	if st.opening {
		st.opening = false
		c.toOpen = drop(c.toOpen, r)
	}
	e := r.ent
	fresh := r.phase == repLooked
	if e.inLevel && fresh && r.sub < 0 {
		fresh = false // the client has its own from the level, with the class's defaults and the level's keys
		st.put(pending, e.differing())
	}
	c.become(r, repOpen)
	st.initial, st.dirty, r.away = true, true, false
	c.refresh(r, st)
	r.role, r.owned = c.roleOf(e.actor), ownedByPlayer(e.actor)
	if r.sub < 0 {
		e.addSub(r)
	}
	r.unversion()
	if fresh || e.inLevel {
		st.add(pending, e.differing())
	}
	new := fresh || !r.told
	if !c.sendOpen(r, fresh) {
		return false
	}
	if new {
		c.closeMissing(r)
	}
	c.resolve(e)
	for _, p := range e.parts {
		q := c.ensure(p)
		q.verdict = r.verdict
		c.open(q)
	}
	return true
}

// closeMissing removes components from a copy that was just created: those that its class creates and the server's
// actor has lost (R5.20). Each is opened under its earlier number and then closed.
func (c *Conn) closeMissing(r *repState) {
	e := r.ent
	for _, p := range e.former {
		if p.dynamic() || c.state == gone { // the class does not create it any more
			continue
		}
		m := wire.Open{
			Channel: uint16(p.slot), Net: p.net, Class: p.class.Index, Name: []byte(p.actor.ComponentName), Role: c.roleOf(e.actor),
			Inside: true, Outer: uint16(e.slot), From: c.sess.Next(),
		}
		c.scratch = wire.AppendOpen(c.scratch[:0], &m)
		c.scratch = wire.AppendClose(c.scratch, wire.Close{Channel: m.Channel, Why: wire.CloseDestroyed})
		if !c.about(r, p.class, c.scratch) {
			return
		}
		c.Traffic.Self(p.class).Count++ // an open and a close
	}
}

// update sends the pending variables of an entity in the reliable stream, as an open of a copy that the client
// already has. It is for what must not be lost or does not fit into a datagram.
func (c *Conn) update(r *repState) {
	if r.phase == repDormant {
		c.become(r, repOpen)
	}
	if c.own(r).any(pending) {
		c.sendOpen(r, false)
	}
}

// sendOpen sends an open with the pending variables whose condition holds.
func (c *Conn) sendOpen(r *repState, fresh bool) bool {
	st := c.own(r)
	s, e := c.s, r.ent
	k := e.class
	m := wire.Open{Channel: uint16(e.slot), Net: e.net, Class: k.Index, Role: r.role, Owned: r.owned, From: c.sess.Next()}
	cond := c.permitted(e, st)
	m.Mask = st.get(pending).And(cond)
	if e.inLevel {
		m.Name = []byte(e.actor.LevelName)
	}
	if e.outer != nil {
		m.Inside, m.Outer = true, uint16(e.outer.slot)
		name := e.actor.ComponentName
		if e.dynamic() {
			name += ":" + k.Class.Name
		}
		m.Name = []byte(name)
	} else if fresh {
		var given wire.Mask
		g := wire.Grid{Scale: 1, Bits: 16}
		at := e.actor.Location
		if k.Location >= 0 {
			at = engine.LoadVector(e.Words[k.Vars[k.Location].Word:])
			given.Set(k.Location)
			m.Mask.Clear(k.Location)
		}
		if at != (geom.Vector{}) {
			m.HasPlace = true
			m.Place, _ = g.Quantise(at)
		}
		if e.actor.BNetInitialRotation {
			m.Turns, m.Rotation = true, e.actor.Rotation
			if k.Rotation >= 0 {
				m.Rotation = geom.UnpackRotator(e.Words[k.Vars[k.Rotation].Word])
				given.Set(k.Rotation)
				m.Mask.Clear(k.Rotation)
			}
		}
		st.remove(pending, given)
		st.add(ever, given)
	}
	b := wire.AppendOpen(c.scratch[:0], &m)
	head := len(b)
	f := s.main.own(c, r, &m.Mask, fresh)
	b = append(b, f.bytes...)
	n, ok := c.reliable(b)
	if !ok {
		return false
	}
	c.Traffic.Self(k).Sent(head)
	f.count(c.Traffic.Vars(k), &m.Mask)
	st.remove(pending, m.Mask)
	st.add(ever, m.Mask)
	c.arrive(r, &m.Mask) // nothing in the stream is lost
	r.arrived(&m.Mask, s.clock)
	r.opened, st.positions, r.told = n, 0, true
	c.mentioned(r, n)
	st.served, st.wants, st.dirty = s.world.Time, 0, false
	if s.logClass[k.Class.Name] {
		s.logLine(fmt.Sprintf("open %s to %s: %s", e.actor, c, maskNames(e, &m.Mask)))
	}
	return true
}

// close ends a channel. The caller decides what happens to the replication state.
func (c *Conn) close(r *repState, why wire.Closing) {
	st := c.own(r)
	e := r.ent
	ends := why == wire.CloseDestroyed || why == wire.CloseIrrelevant
	if r.phase != repOpen && !(r.phase == repDormant && ends) { // a dormant copy ends, too
		return
	}
	if len(c.held) > 0 && e.outer == nil {
		if why == wire.CloseIrrelevant {
			c.dropHeld(e)
		} else {
			c.flushHeld(e)
		}
	}
	if ends {
		for q := range c.partsOf(e) {
			c.become(q, repLooked)
			if why == wire.CloseIrrelevant {
				c.forget(q)
			}
		}
	}
	c.sendClose(r, e, why)
	c.unwatch(&r.relState)
	c.become(r, repLooked)
	switch why {
	case wire.CloseDormant:
		c.become(r, repDormant)
		for q := range c.partsOf(e) {
			if q.open() {
				c.sendClose(q, q.ent, why)
				c.become(q, repDormant)
			}
		}
	case wire.CloseTemporary, wire.CloseTornOff:
		c.become(r, repLeft)
	default:
	}
	if st.queued {
		st.queued = false
		c.due = drop(c.due, st)
	}
}

func (c *Conn) sendClose(r *repState, e *entity, why wire.Closing) {
	if c.state == gone || !c.about(r, e.class, wire.AppendClose(c.scratch[:0], wire.Close{Channel: uint16(e.slot), Why: why})) {
		return
	}
	if c.s.logClass[e.class.Class.Name] {
		c.s.logLine(fmt.Sprintf("close %s to %s: %s", e.actor, c, why))
	}
}

// checkRole notifies the client when the role of its copy changes (R2.2). A dormant actor wakes for that.
func (c *Conn) checkRole(r *repState) {
	if !r.known() || r.ent.outer != nil {
		return
	}
	role, owned := c.roleOf(r.ent.actor), ownedByPlayer(r.ent.actor)
	if role == r.role && owned == r.owned || role == engine.RoleNone {
		return
	}
	if r.phase == repDormant {
		c.queue(r) // opening it sends the role, too
		return
	}
	r.role, r.owned = role, owned
	c.about(r, r.ent.class, wire.AppendRole(c.scratch[:0], wire.Role{Channel: uint16(r.ent.slot), Role: role, Owned: owned}))
}

// resolve sends what waited for an entity that the connection now has (R5.13, R6.9).
func (c *Conn) resolve(e *entity) {
	kept := c.awaiting[:0]
	for _, w := range c.awaiting {
		switch {
		case w.r.serial != w.serial:
		case w.target != e.id:
			kept = append(kept, w)
		case w.r.ent.refers(w.variable, func(id engine.ActorID) bool { return id == e.id }) == 0: // another one by now
		default:
			c.own(w.r).pendOne(w.variable)
			if v := &w.r.ent.class.Vars[w.variable]; v.Piece >= 0 {
				c.s.clock++
				w.r.ent.versions[v.Piece].touch(c.s.clock)
			}
			c.queue(w.r)
		}
	}
	c.awaiting = kept
	c.releaseHeld()
}

// stale reports whether a dormant copy differs from the present state of its actor or one of its components.
func (c *Conn) stale(r *repState) bool {
	a := r.ent.actor
	if c.own(r).any(pending) || r.role != c.roleOf(a) || r.owned != ownedByPlayer(a) {
		return true
	}
	for _, p := range r.ent.parts {
		if q := c.rep(p); q == nil || c.own(q).any(pending) {
			return true
		}
	}
	return false
}

// adoptDormant treats the client's own copy of an untouched level actor as dormant.
func (c *Conn) adoptDormant(r *repState) {
	c.become(r, repDormant)
	r.role, r.owned = engine.RoleSimulatedProxy, false // as the client's level creates it
	r.ent.addSub(r)
	c.checkRole(r)
}
