package relevancy

import "github.com/tidelock/tidelock/engine"

// Verdict is the decision about one actor and one connection. The zero value is a no without a rule.
type Verdict struct {
	Relevant bool
	// Rule is the first rule that decided. R3.3 and R3.6 pass the question on; then By decided it.
	Rule Rule
	// By is the owner or base, at the end of the chain, whose own rules decided; nil if the actor's own did.
	By *engine.Actor
}

// finding is the full result of a decision, for a verdict and for explanations.
type finding struct {
	relevant bool
	via      Rule          // R3.3 or R3.6 if the first of a chain passed the question on
	rule     Rule          // of at
	over     Rule          // with R3.10: the no that it overrides
	at       *engine.Actor // the actor whose rules decided
	how      how
	distance float64 // squared, from R3.8 on
	sight    *Sight  // after the decision; nil before R3.7
}

func (f *finding) verdict() Verdict {
	v := Verdict{Relevant: f.relevant, Rule: f.rule}
	if f.via != RuleNone {
		v.Rule, v.By = f.via, f.at
	}
	return v
}
