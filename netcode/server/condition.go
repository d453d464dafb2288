package server

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// answer is what conditions last gave for an input, nil where they must be asked anew.
func (e *shadow) answer(in engine.CondInput) *condEntry {
	for i := range e.conds {
		if q := &e.conds[i]; q.in == in && q.stamp == e.condStamp && q.valid {
			return q
		}
	}
	return nil
}

// answered is answer for a class that is small and steady.
func (e *shadow) answered(in engine.CondInput) (mask uint64, ok bool) {
	if e.hot && e.hotIn == in {
		return e.hotMask, true
	}
	if q := e.answer(in); q != nil {
		return q.mask[0], true
	}
	return 0, false
}

// keepHot has answered find an answer at once. It is called where no connection is flushed beside others.
func (e *shadow) keepHot(q *condEntry) {
	if e.class.Steady && e.class.Small {
		e.hot, e.hotIn, e.hotMask = true, q.in, q.mask[0]
	}
}

// askAgain voids the answers of an entity's conditions. Those that connections went by are asked anew at once where it can be
// told that they hold until the next mark, so that connections need not wait for each other with it (lanes.go).
func (s *Server) askAgain(e *entity) {
	e.condStamp++
	e.hot = false
	if !e.class.Steady || len(e.subs) == 0 {
		return
	}
	for i := range e.conds {
		if q := &e.conds[i]; q.valid && q.stamp == e.condStamp-1 {
			q.mask, q.stamp, q.update = s.evaluate(e, q.in), e.condStamp, s.update
			if q.in == e.hotIn || !e.hot {
				e.keepHot(q)
			}
		}
	}
}

// conditions gives the variables whose condition holds for a connection (R5.6).
func (s *Server) conditions(e *entity, in engine.CondInput, c *Conn) wire.Mask {
	k := e.class
	in &= k.InputMask
	var m wire.Mask
	if q := e.answer(in); q != nil && (!k.Volatile || q.update == s.update) {
		m = q.mask
	} else {
		m = s.evaluate(e, in)
		e.conds[e.condNext] = condEntry{in: in, valid: true, stamp: e.condStamp, update: s.update, mask: m}
		if !e.hot {
			e.keepHot(&e.conds[e.condNext])
		}
		e.condNext = (e.condNext + 1) % len(e.conds)
	}
	if k.Groups {
		groups := []string(nil)
		if pc := c.Player(); pc != nil {
			groups = pc.NetGroups()
		}
		for i := range k.Rules {
			r := &k.Rules[i]
			if r.Rule.Named == engine.CondNetGroup && contains(groups, r.Rule.Group) {
				m = or(&m, &r.Mask)
			}
		}
	}
	return m
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// evaluate asks every rule; those of groups of connections are left out.
func (s *Server) evaluate(e *entity, in engine.CondInput) (m wire.Mask) {
	k, a := e.class, e.actor
	for i := range k.Rules {
		r := &k.Rules[i]
		s.Stats.Conditions++
		switch n := r.Rule.Named; n {
		case engine.CondNone:
			switch cond := r.Rule.Cond; {
			case cond != nil && cond.Native():
				if !cond.EvalInput(a, in) {
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
			m = or(&m, &r.Mask)
		case engine.CondNetGroup:
		case engine.CondCustom, engine.CondDynamic:
			for v := r.Mask.Next(0); v >= 0; v = r.Mask.Next(v + 1) {
				p := k.Vars[v].Prop
				if n == engine.CondCustom && a.CustomIsActive(p) || n == engine.CondDynamic && schema.Named(a.DynamicCondition(p), a, in) {
					m.Set(v)
				}
			}
		default:
			if schema.Named(n, a, in) {
				m = or(&m, &r.Mask)
			}
		}
	}
	return m
}
