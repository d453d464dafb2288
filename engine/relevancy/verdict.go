package relevancy

import (
	"strconv"

	"github.com/tidelock/tidelock/engine"
)

// Rule is the rule that decided.
type Rule uint8

// The rules by their numbers. R3.10 is given only with a yes; a no of R3.7 to R3.9 keeps its own number. R3.11 is the
// script's IsNetRelevantFor. R3.12 decides nothing here: it is what the answers are for.
const (
	RuleNone Rule = iota
	Rule3_1
	Rule3_2
	Rule3_3
	Rule3_4
	Rule3_5
	Rule3_6
	Rule3_7
	Rule3_8
	Rule3_9
	Rule3_10
	Rule3_11
	Rule3_12
)

// String is the rule's number as the documents write it: "R3.1". RuleNone is "no rule".
func (r Rule) String() string {
	if r == RuleNone || r > Rule3_12 {
		return "no rule"
	}
	return "R3." + strconv.Itoa(int(r))
}

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

// how tells answers of one rule apart.
type how uint8

const (
	howPlain   how = iota
	howLoop        // the chain of owners and bases leads back
	howHeard       // R3.9 by ear
	howTraced      // R3.9 by a line traced just now
	howKept        // R3.9 by the last line
	howNoSight     // R3.9 without lines: distance decides
	howPlayer      // R3.5: the PlayerController
	howTarget      // R3.5: the view target
	howPawn        // R3.5: the player's pawn
	howCause       // R3.5: the pawn is its instigator
)

func (f *finding) verdict() Verdict {
	v := Verdict{Relevant: f.relevant, Rule: f.rule}
	if f.via != RuleNone {
		v.Rule, v.By = f.via, f.at
	}
	return v
}
