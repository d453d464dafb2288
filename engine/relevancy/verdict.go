package relevancy

import "github.com/tidelock/tidelock/engine"

// Verdict is the answer about one actor and one connection. The zero value is a no that nobody gave.
type Verdict struct {
	Relevant bool
	// Rule is the first rule that decided. R3.3 and R3.6 hand the question on; then By answered it.
	Rule Rule
	// By is the owner or base, at the end of the chain, whose own rules answered; nil where the actor's own did.
	By *engine.Actor
}

// finding is how a question was answered, for a verdict and for words.
type finding struct {
	relevant bool
	via      Rule          // R3.3 or R3.6 where the first of a chain handed the question on
	rule     Rule          // of at
	over     Rule          // under R3.10: the no that it overrides
	at       *engine.Actor // whose rules answered
	how      how
	distance float64 // squared, from R3.8 on
	sight    *Sight  // that it went by, as it was after the look; nil before R3.7
}

func (f *finding) verdict() Verdict {
	v := Verdict{Relevant: f.relevant, Rule: f.rule}
	if f.via != RuleNone {
		v.Rule, v.By = f.via, f.at
	}
	return v
}
