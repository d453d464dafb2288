package relevancy

import (
	"fmt"
	"math"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// Explain is Decide in words with numbers, for people (R13.2). It changes nothing: no Sight, no count, no report; what
// a line of sight or a script says is asked again where Decide would. One line, without an end of line.
func (x *Index) Explain(v *Viewer, a *engine.Actor, s *Sight, now float64) (Verdict, string) {
	traces := x.traces
	defer func() { x.traces = traces }()
	var mine Sight
	if s != nil {
		mine = *s
	}
	if a.Outer != nil {
		a = a.Outer
	}
	var f finding
	x.decide(v, a, &mine, now, true, &f)
	verdict := f.verdict()
	var b strings.Builder
	is := "is not relevant"
	if f.relevant {
		is = "is relevant"
	}
	fmt.Fprintf(&b, "%s %s to %s by %s: ", a, is, viewerName(v), verdict.Rule)
	if f.via != RuleNone {
		x.explainChain(&b, a, &f)
	}
	if f.how == howLoop {
		fmt.Fprintf(&b, "the chain of owners and bases leads back to %s", f.at)
		return verdict, b.String()
	}
	if f.via != RuleNone {
		fmt.Fprintf(&b, ", which answers by %s: ", f.rule)
	}
	x.explainRule(&b, v, &f, now)
	return verdict, b.String()
}

func viewerName(v *Viewer) string {
	if v.Player == nil {
		return "a viewer without a player"
	}
	return v.Player.Name
}

// explainChain names who hands the question to whom.
func (x *Index) explainChain(b *strings.Builder, a *engine.Actor, f *finding) {
	n := 0
	for t := a; t != f.at || n == 0; n++ {
		next, rule := x.hop(t)
		if next == nil {
			break
		}
		switch {
		case n == maxNamed:
			b.WriteString(", and so on")
		case n > maxNamed:
		case rule == Rule3_3:
			fmt.Fprintf(b, "%s%s uses the relevancy of its owner %s", comma(n), t, next)
		default:
			fmt.Fprintf(b, "%s%s is attached to %s", comma(n), t, next)
		}
		t = next
	}
	if f.how == howLoop {
		b.WriteString("; ")
	}
}

func comma(n int) string {
	if n == 0 {
		return ""
	}
	return ", "
}

func (x *Index) explainRule(b *strings.Builder, v *Viewer, f *finding, now float64) {
	t := f.at
	switch f.rule {
	case Rule3_1:
		switch {
		case t.Deleted():
			fmt.Fprintf(b, "%s was destroyed", t)
		case !t.BReplicates:
			fmt.Fprintf(b, "%s has bReplicates false", t)
		case t.RemoteRole == engine.RoleNone:
			fmt.Fprintf(b, "%s has RemoteRole ROLE_None", t)
		default:
			fmt.Fprintf(b, "%s is a %s, which is never replicated", t, t.Class)
		}
	case Rule3_2:
		fmt.Fprintf(b, "%s has bAlwaysRelevant", t)
	case Rule3_4:
		fmt.Fprintf(b, "%s has bOnlyRelevantToOwner and ", t)
		if o := t.TopOwner(); o == t && !f.relevant {
			b.WriteString("no owner")
		} else {
			fmt.Fprintf(b, "its top owner is %s", o)
		}
	case Rule3_5:
		b.WriteString(x.explainOwn(v, f))
	case Rule3_11:
		fmt.Fprintf(b, "%s of class %s says %t", overrideName, t.Class, f.relevant)
	default:
		x.explainSenses(b, f, now)
	}
}

func (x *Index) explainOwn(v *Viewer, f *finding) string {
	t := f.at
	switch f.how {
	case howPlayer:
		return "it is the connection's PlayerController"
	case howPawn:
		return fmt.Sprintf("%s is the player's pawn", t)
	case howTarget:
		return fmt.Sprintf("%s is the view target", t)
	case howCause:
		return fmt.Sprintf("the instigator of %s is the player's pawn %s", t, v.Pawn)
	default:
	}
	return fmt.Sprintf("%s is owned by the player", t)
}

func (x *Index) explainSenses(b *strings.Builder, f *finding, now float64) {
	t, rule := f.at, f.rule
	distance := math.Sqrt(f.distance)
	if rule == Rule3_10 {
		seen, _ := f.sight.LastSeen()
		fmt.Fprintf(b, "%s was last in sight or heard %.2f s ago and stays relevant for %g s, although by %s ", t, now-seen, x.cfg.Timeout, f.over)
		rule = f.over
	}
	switch rule {
	case Rule3_7:
		fmt.Fprintf(b, "%s has bHidden, no bBlockPlayers and no AmbientSound", t)
	case Rule3_8:
		fmt.Fprintf(b, "%s is %.0f uu from the view, beyond its NetCullDistance of %g", t, distance, t.NetCullDistance)
	default:
		x.explainSight(b, f, distance)
	}
	if seen, ok := f.sight.LastSeen(); ok && !f.relevant {
		fmt.Fprintf(b, "; it was last in sight or heard %.2f s ago, more than %g s", now-seen, x.cfg.Timeout)
	}
}

func (x *Index) explainSight(b *strings.Builder, f *finding, distance float64) {
	t := f.at
	cull := "never culled by distance"
	if t.NetCullDistance > 0 {
		cull = fmt.Sprintf("within its NetCullDistance of %g", t.NetCullDistance)
	}
	place := fmt.Sprintf("%.0f uu from the view, %s", distance, cull)
	sees := f.sight.flags&sightClear != 0
	switch {
	case f.how == howNoSight:
		fmt.Fprintf(b, "%s is %s; sight is turned off for its class or the level", t, place)
	case f.how == howHeard:
		fmt.Fprintf(b, "%s is heard (%s): %.0f uu from the view, within its SoundRadius of %g", t, t.AmbientSound, distance, t.SoundRadius)
	case sees:
		fmt.Fprintf(b, "%s is in sight, %s", t, place)
	default:
		fmt.Fprintf(b, "%s is out of sight: its centre, top and sides are hidden, %s", t, place)
	}
	if f.how == howKept {
		fmt.Fprintf(b, " (as of the last look; the next is due at %.2f s)", f.sight.next)
	}
}
