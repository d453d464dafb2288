package server

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
)

// Codes of [Server.Why] in addition to the names of relevancy rules ("R3.1" … "R3.12").
const (
	WhyCondition = "condition_false"
	WhyUnchanged = "unchanged"
	WhyThrottled = "throttled"
	WhyPending   = "pending_reference"
	WhyDormant   = "dormant"
	WhyNever     = "never"
	WhySent      = "sent"
)

// Why explains why a connection has or lacks an actor, or, with a property, why a variable was not sent or when it
// was (R13.2). It changes nothing.
func (s *Server) Why(c *Conn, a *engine.Actor, property string) (code, text string, err error) {
	outer := a
	if a.Outer != nil {
		outer = a.Outer
	}
	if property != "" {
		p := a.Class.Property(property)
		if p == nil {
			return "", "", fmt.Errorf("%s has no variable %s%s", a.Class.Name, property, engine.Nearest(property, a.Class.PropertyNames()))
		}
		if code, text := s.whyVariable(c, a, p); code != "" {
			return code, text, nil
		}
	}
	e := s.find(outer.ID())
	var r *repState
	if e != nil {
		r = c.rep(e)
	}
	var sight relevancy.Sight
	if r != nil {
		c.recall(&r.relState)
		sight = r.sight
	}
	if !c.serves() {
		return WhyNever, fmt.Sprintf("%s is not in the game yet", c), nil
	}
	if r != nil && r.phase == repDormant && !r.away {
		return WhyDormant, fmt.Sprintf("%s sleeps (NetDormancy %s): the client keeps its copy, nothing is tested", outer, outer.NetDormancy), nil
	}
	if r != nil && r.phase == repLeft {
		what := "bNetTemporary: it was sent once and left to the client (R5.17)"
		if e.tornOff {
			what = "bTearOff: the client keeps its copy as its own (R5.18)"
		}
		return WhyNever, fmt.Sprintf("%s is %s", outer, what), nil
	}
	v := s.index.View(c.Player())
	verdict, text := s.index.Explain(&v, outer, &sight, s.world.Time)
	if e != nil && e.tornOff {
		return WhyNever, fmt.Sprintf("%s is torn off: clients that come later never get it (R5.18)", outer), nil
	}
	if verdict.Relevant && (r == nil || !r.open()) {
		text += "; its channel is not open yet"
		if r != nil && r.opening() {
			text += fmt.Sprintf(", it has waited %.2f s for bandwidth", s.world.Time-c.own(r).wants)
		}
	}
	return verdict.Rule.String(), text, nil
}

// whyVariable returns "" if the answer is the actor's.
func (s *Server) whyVariable(c *Conn, a *engine.Actor, p *engine.Property) (code, text string) {
	if p.Rep < 0 {
		return WhyNever, fmt.Sprintf("%s.%s stands in no replication block", a.Class.Name, p.Name)
	}
	e := s.find(a.ID())
	if e == nil {
		return "", ""
	}
	k := e.class
	if k.Up.Has(p.Rep) {
		return WhyNever, fmt.Sprintf("%s.%s goes from the owning client to the server (R5.16)", a.Class.Name, p.Name)
	}
	own := c.rep(e)
	if own == nil || own.phase == repLooked {
		return "", ""
	}
	r := c.peek(own)
	when := fmt.Sprintf("last sent %.2f s ago", s.world.Time-r.served)
	if id := c.lacking(own, p.Rep); id != 0 && c.awaits(id, own, p.Rep) {
		return WhyPending, fmt.Sprintf("it refers to %s, which the client does not have; it is nil there until then", s.nameOf(id))
	}
	if own.phase == repDormant && !own.away && !r.has(pending, p.Rep) {
		return WhyDormant, fmt.Sprintf("%s sleeps and %s did not change; %s", a, p.Name, when)
	}
	if own.phase == repLeft {
		return "", ""
	}
	waits, sent := r.has(pending, p.Rep) || e.unsent.Has(p.Rep), r.has(ever, p.Rep)
	if cond := c.permitted(e, &r); !cond.Has(p.Rep) {
		text = fmt.Sprintf("its condition (%s) is false for this connection: %s", p.Rule.Pos, describe(c.input(a, &r)))
		if sent && !waits {
			text += "; " + when
		}
		return WhyCondition, text
	}
	if waits {
		switch {
		case e.unsent.Has(p.Rep) && !r.has(pending, p.Rep):
			if s.world.Time < e.due {
				return WhyThrottled, fmt.Sprintf("NetUpdateFrequency %g lets it be considered again in %.2f s", e.frequency(), e.due-s.world.Time)
			}
			return WhyUnchanged, "it was marked and is looked at in the next net update"
		default:
			wait := 0.0
			if r.wants > 0 {
				wait = s.world.Time - r.wants
			}
			return WhyThrottled, fmt.Sprintf("it waits for bandwidth (%d B/s) since %.2f s; %s", c.Budget, wait, when)
		}
	}
	if !sent {
		return WhyUnchanged, "it is at its class default, which costs nothing to send (R5.2)"
	}
	if s.world.Time-r.served < 1 {
		return WhySent, when
	}
	return WhyUnchanged, "the client has its value; " + when
}

func (s *Server) nameOf(id engine.ActorID) string {
	if a := s.world.Actor(id); a != nil {
		return a.Name
	}
	return "an actor that is gone"
}

func describe(in engine.CondInput) string {
	b := in.Bits()
	return fmt.Sprintf("bNetInitial %t, bNetOwner %t, bNetDirty %t, RemoteRole %s", b.Initial, b.Owner, b.Dirty, b.RemoteRole)
}
