package relevancy

import (
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// Decide decides whether an actor is relevant to a connection: the rules of R3 in their order, the first that
// decides wins (R3.10 as its text says: it overrides a no of R3.7 to R3.9). A component's result is its
// actor's. The actor need not be in the index. now is the world's time in seconds and must not decrease for a
// Sight; s may be nil, which remembers nothing.
//
// An actor found in sight stays so for up to [Config.SeenEvery] without another trace, one out of sight for up
// to [Config.UnseenEvery]; all other rules are evaluated each time.
func (x *Index) Decide(v *Viewer, a *engine.Actor, s *Sight, now float64) Verdict {
	if s == nil {
		s = &Sight{}
	}
	var f finding
	x.decide(v, a, s, now, false, &f)
	return f.verdict()
}

// decide follows the chain of owners and bases to the actor that decides. dry changes no Sight except s, and
// reports nothing.
func (x *Index) decide(v *Viewer, a *engine.Actor, s *Sight, now float64, dry bool, f *finding) {
	if a.Outer != nil {
		a = a.Outer
	}
	marker, steps, limit := a, 0, 1 // Brent's algorithm: the marker moves at every power of two
	for t := a; ; {
		f.at = t
		next, rule := x.own(v, t, f)
		if next == nil {
			if f.rule = rule; rule != RuleNone {
				return
			}
			break
		}
		if f.via == RuleNone {
			f.via = rule
		}
		if next == marker {
			if !dry {
				x.reportLoop(next)
			}
			f.rule, f.how, f.at = f.via, howLoop, next
			return
		}
		if steps++; steps == limit {
			marker, steps, limit = next, 0, limit*2
		}
		t = next
	}
	t := f.at
	theirs := (*Sight)(nil)
	if t != a && v.Sights != nil {
		theirs = v.Sights(t)
	}
	if theirs == nil {
		s.about(number(t.ID()), t == a)
		x.senses(v, t, s, now, f)
		return
	}
	if dry {
		copied := *theirs
		theirs = &copied
	}
	theirs.about(number(t.ID()), true)
	x.senses(v, t, theirs, now, f)
	s.about(number(t.ID()), false) // what the other was seen by counts for this one if it is detached
	if theirs.flags&sightEver != 0 {
		s.see(theirs.seen)
	}
}

// Heard reports whether a viewer is within the SoundRadius of an actor's AmbientSound (R3.9). Walls do not matter.
func (x *Index) Heard(v *Viewer, a *engine.Actor) bool {
	return heard(a, a.Location.Sub(v.Location).SizeSquared())
}

// Unsettled reports whether an actor's relevancy may have changed since the last net update: a variable that
// decides it was set, of the actor or of one that decides for it by R3.3 or R3.6, or its class decides by a
// script. A component's result is its actor's. Movement alone does not count: an actor that moved away stays
// relevant for a while (R3.10).
func (x *Index) Unsettled(a *engine.Actor) bool {
	if a.Outer != nil {
		a = a.Outer
	}
	for n := 0; a != nil && n < maxAnswerers; n++ {
		if a.NetDirty() || x.info(a.Class).scripted {
			return true
		}
		a, _ = x.hop(a)
	}
	return a != nil
}

// maxAnswerers bounds a chain of actors that decide for each other; only a loop would be longer.
const maxAnswerers = 64

// maxNamed bounds the actors that a message about a loop names.
const maxNamed = 16

// reportLoop reports once that owners and bases lead back to an actor. Owners alone cannot form a loop, nor can
// bases alone, because the engine refuses that; both together can.
func (x *Index) reportLoop(a *engine.Actor) {
	if x.said[a.ID()] {
		return
	}
	if x.said == nil {
		x.said = map[engine.ActorID]bool{}
	}
	var b strings.Builder
	n := 0
	for t := a; ; {
		x.said[t.ID()] = true
		if n++; n <= maxNamed {
			b.WriteString(t.Name)
			b.WriteString(" -> ")
		} else if n == maxNamed+1 {
			b.WriteString("… -> ")
		}
		if t = x.answerer(t); t == nil || t == a {
			break
		}
	}
	b.WriteString(a.Name)
	x.world.Script.Report(engine.SevError, a, "relevancy: owners (bNetUseOwnerRelevancy) and bases (attached) form a cycle, so nobody is sent "+
		"these actors: "+b.String()+"; remove bNetUseOwnerRelevancy or SetBase from one of them (R3.3, R3.6)")
}
