// Package pace decides how many ticks a world runs per iteration of its loop: one normally, none while it is
// paused, fewer in slow motion, several in fast motion. Server and clients use the same rules, so that both run
// the same number of ticks.
//
// The length of a tick never changes: a world always steps by 1/rate, which keeps runs repeatable and the moves
// of players the same on both sides. Only the number of ticks per second of real time changes.
//
// It deliberately does not: read a clock, step a world, or send anything.
//
//	var p pace.Pace
//	p.Set(0.25)
//	for each iteration of the loop {
//		for range p.Next() { world.Step(dt) }
//	}
//
// Guarantees: Pure: no clock. The length of a tick never changes; server and clients use the same rules.
package pace

import (
	"fmt"
	"math"
)

const (
	// Normal is the scale in thousandths at which a world runs one tick per iteration.
	Normal = 1000
	// Min and Max bound a scale other than 0. Below, a match seems to hang; above, a loop runs more than four
	// ticks at once, which few servers have the time for.
	Min, Max = 0.01, 4.0
	// MaxSteps bounds the ticks of one step command: ten seconds at 60 Hz.
	MaxSteps = 600
)

// rounding is how much less than a whole tick counts as one: the remains of steps at another rate are sums of
// fractions.
const rounding = 1e-6

// Pace is the pace of one world. The zero value runs one tick per iteration.
//
// Invariant: over any iterations with the same scale the ticks run differ from iterations × scale by less than 1.
type Pace struct {
	off   int     // scale minus Normal, in thousandths, so that the zero value is normal
	part  int     // thousandths of a tick that are due, below Normal
	steps float64 // ticks to run while paused
}

// Check returns an error for a scale that Set does not accept: it is 0, or Min to Max.
func Check(scale float64) error {
	if scale == 0 || scale >= Min && scale <= Max {
		return nil
	}
	return fmt.Errorf("pace %g: expected 0 (paused) or %g to %g times the normal speed", scale, Min, Max)
}

// CheckSteps returns an error for a number of ticks that one step command may not run: it is 1 to MaxSteps.
func CheckSteps(n int) error {
	if n >= 1 && n <= MaxSteps {
		return nil
	}
	return fmt.Errorf("step %d: expected 1 to %d ticks", n, MaxSteps)
}

// Thousandths returns a scale as whole thousandths, which is how it is kept and sent.
func Thousandths(scale float64) int { return int(math.Round(scale * Normal)) }

// Set sets the scale, in ticks per iteration; ticks that Step requested and that have not run are discarded. A
// scale that Check refuses is limited to its bounds.
func (p *Pace) Set(scale float64) {
	if !(scale > 0) {
		*p = Pace{off: -Normal}
		return
	}
	*p = Pace{off: Thousandths(min(max(scale, Min), Max)) - Normal}
}

// Step pauses the world and lets it run n more ticks, one per iteration. Ticks of an earlier Step that have not
// run are added to these. n is a fraction if it counts ticks of another rate: the rest is kept for the next Step.
// At most a thousand times MaxSteps wait; more are discarded.
func (p *Pace) Step(n float64) {
	if !p.Paused() {
		p.Set(0)
	}
	if n > 0 {
		p.steps = min(p.steps+n, MaxSteps*Normal)
	}
}

// Next begins an iteration and returns how many ticks to run in it: 0 to 4.
func (p *Pace) Next() int {
	if p.Paused() {
		if p.steps < 1-rounding {
			return 0
		}
		p.steps = max(0, p.steps-1)
		return 1
	}
	p.part += p.off + Normal
	n := p.part / Normal
	p.part %= Normal
	return n
}

// Scale returns the scale: ticks per iteration, 0 while paused, also while ticks of Step run.
func (p *Pace) Scale() float64 { return float64(p.off+Normal) / Normal }

// Paused reports whether the scale is 0.
func (p *Pace) Paused() bool { return p.off == -Normal }

// Pending returns how many ticks of Step have not run yet.
func (p *Pace) Pending() int { return int(p.steps + rounding) }

// Still reports whether the world is paused and no ticks of Step are to run.
func (p *Pace) Still() bool { return p.Paused() && p.Pending() == 0 }
