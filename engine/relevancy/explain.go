package relevancy

import (
	"fmt"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// Explain describes in words and numbers what Decide would return (R13.2). It changes nothing: no Sight, no
// count, no report; lines of sight and scripts are evaluated again where Decide would. It returns one line,
// without an end of line.
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
	r := ruleNamed(f.rule)
	r.why(x, &b, v, &f, now)
	if r.sense && !f.relevant {
		if seen, ok := f.sight.LastSeen(); ok {
			fmt.Fprintf(&b, "; it was last in sight or heard %.2f s ago, more than %g s", now-seen, x.cfg.Timeout)
		}
	}
	return verdict, b.String()
}

func viewerName(v *Viewer) string {
	if v.Player == nil {
		return "a viewer without a player"
	}
	return v.Player.Name
}

// explainChain names the actors that decide for each other.
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
		default:
			fmt.Fprintf(b, "%s%s %s %s", comma(n), t, ruleNamed(rule).hands, next)
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
