package server

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
)

// CopyOf reports whether a player's client has a copy of an actor, and with which role; with beginning set, also
// whether it will get one. It implements engine.Copies.
func (s *Server) CopyOf(pc, a *engine.Actor, beginning bool) (role engine.Role, has bool) {
	if a.Outer != nil {
		a = a.Outer
	}
	c := s.ConnectionOf(pc)
	if c == nil || !c.serves() || a.Deleted() {
		return engine.RoleNone, false
	}
	e := s.find(a.ID())
	if e != nil {
		if r := c.rep(e); r != nil && r.phase != repLooked {
			return c.roleOf(a), true
		}
	}
	if !beginning {
		return engine.RoleNone, false
	}
	if e = s.entityOf(a); e == nil || e.tornOff {
		return engine.RoleNone, false
	}
	s.index.Update(a)
	c.lookView()
	var sight relevancy.Sight
	return c.roleOf(a), s.index.Decide(&c.view, a, &sight, s.world.Time).Relevant
}

// Watched reports whether any client has a copy of an actor; it implements engine.Copies.
func (s *Server) Watched(a *engine.Actor) bool {
	if a.Outer != nil {
		a = a.Outer
	}
	e := s.find(a.ID())
	if e == nil {
		return false
	}
	return slices.ContainsFunc(e.subs, func(x sub) bool { return x.r.known() })
}
