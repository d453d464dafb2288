package server

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// askAgain invalidates the results of an entity's conditions. Those that connections used are evaluated again at
// once if they are known to hold until the next mark, so that connections can be filled in parallel (workers.go).
func (s *Server) askAgain(e *entity) {
	e.Void()
	if e.class.Steady && len(e.subs) > 0 {
		e.Renew(s.update, func(in engine.CondInput) wire.Mask { return s.evaluate(e, in) })
	}
}

// conditions returns the variables whose condition holds for a connection (R5.6).
func (s *Server) conditions(e *entity, in engine.CondInput, c *Conn) wire.Mask {
	k := e.class
	in &= k.InputMask
	m, update, ok := e.Answer(in)
	if !ok || k.Volatile && update != s.update {
		m = s.evaluate(e, in)
		e.Learn(in, m, s.update)
	}
	if k.Groups {
		groups := []string(nil)
		if pc := c.Player(); pc != nil {
			groups = pc.NetGroups()
		}
		for i := range k.Rules {
			r := &k.Rules[i]
			if r.Rule.Named == engine.CondNetGroup && slices.Contains(groups, r.Rule.Group) {
				m = m.Or(r.Mask)
			}
		}
	}
	return m
}

// evaluate evaluates every condition, except those of connection groups.
func (s *Server) evaluate(e *entity, in engine.CondInput) (m wire.Mask) {
	k, a := e.class, e.actor
	for i := range k.Rules {
		r := &k.Rules[i]
		s.Stats.Conditions++
		switch n := r.Rule.Named; n {
		case engine.CondNone:
			switch cond := r.Rule.Cond; {
			case cond != nil && cond.Native():
				if !cond.Eval(a, in) {
					if f, bad := s.world.TakeCondFault(cond); bad {
						s.report(engine.SevError, fmt.Sprintf("%s: the condition of %s: %s", r.Rule.Pos, k.Class.Name, f.Text))
					}
					continue
				}
			case cond != nil || r.Rule.Script != nil:
				if !s.world.Script.Condition(r.Rule, a, in.Bits()) {
					continue
				}
			}
			m = m.Or(r.Mask)
		case engine.CondNetGroup:
		case engine.CondCustom, engine.CondDynamic:
			for v := range r.Mask.All() {
				p := k.Vars[v].Prop
				if n == engine.CondCustom && a.CustomIsActive(p) || n == engine.CondDynamic && schema.Named(a.DynamicCondition(p), a, in) {
					m.Set(v)
				}
			}
		default:
			if schema.Named(n, a, in) {
				m = m.Or(r.Mask)
			}
		}
	}
	return m
}
