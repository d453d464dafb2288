package server

import (
	"time"

	"github.com/tidelock/tidelock/netcode/wire"
)

const (
	// mostLead bounds, in seconds of the world, how far the pace that a player follows may differ from the world's,
	// in either direction: the time of the message that changes it, with retransmissions. A client that claims not
	// to have received it has no more than that to gain.
	mostLead = 2.0
	// forget is how many seconds per second a lead decreases once both sides are at the same pace. What messages took
	// to arrive differs, and the differences of many changes must not add up to mostLead; an honest player seems to
	// have a clock that is wrong by as much, of which 2 % are allowed (R9.6).
	forget = 0.01
	// recall is how many seconds per second the most that a lead can be decreases to the lead then: what is unsure matters
	// for the shots that are on their way.
	recall = 0.1
	// mostLate bounds, in seconds, how late that message is expected for the latency of a player's shots.
	mostLate = time.Second
)

// pacing is the speed of a world as one side follows it.
type pacing struct {
	scale float64 // world time per real time, 0 while paused
	steps float64 // seconds of the world that remain to be run while paused
}

// set applies a change, as clients do with the message.
func (p *pacing) set(m wire.Pace, rate int) {
	if m.Scale != 0 || m.Steps == 0 {
		*p = pacing{scale: float64(m.Scale) / wire.NormalScale}
		return
	}
	if p.scale != 0 {
		*p = pacing{}
	}
	p.steps += float64(m.Steps) / float64(max(1, rate))
}

// pass returns how much time of the world passes in so many real seconds.
func (p *pacing) pass(seconds float64) float64 {
	if p.scale != 0 {
		return p.scale * seconds
	}
	run := min(p.steps, seconds)
	p.steps -= run
	return run
}

// factor converts real seconds to seconds of the world for latencies: a step runs at the normal rate.
func (p *pacing) factor() float64 {
	if p.scale == 0 {
		return 1
	}
	return p.scale
}

// follower is what the server knows about the pace that a client follows.
type follower struct {
	pacing            // as of the last message that the client has processed
	sent   []sentPace // those that it has not confirmed, in order
	// lead is the time of the world that passed at the client's pace minus that of the server's, in seconds.
	lead float64
	// most bounds lead from above, for a client that has processed changes to a faster pace although its confirmation is late.
	// Invariant: lead ≤ most ≤ mostLead.
	most float64
	// late is how long the last confirmed change took to come back, until lateUntil.
	late, lateUntil time.Duration
}

// sentPace is a pace message on its way.
type sentPace struct {
	wire.Pace
	number uint16
	at     time.Duration
}

// follow accounts for seconds of real time in which so much time of the world passed here.
func (f *follower) follow(seconds, here float64) {
	fast := 0.0
	for i := range f.sent {
		if m := &f.sent[i].Pace; m.Steps > 0 {
			fast = max(fast, 1)
		} else {
			fast = max(fast, float64(m.Scale)/wire.NormalScale)
		}
	}
	passed := f.pass(seconds)
	f.lead = max(-mostLead, min(mostLead, f.lead+passed-here))
	f.most = min(mostLead, f.most+max(passed, fast*seconds)-here)
	if len(f.sent) == 0 {
		f.settle(forget * here)
		f.most -= recall * here
	}
	f.most = max(f.most, f.lead)
}

// settle moves the lead towards 0 by so many seconds.
func (f *follower) settle(by float64) {
	if f.lead > 0 {
		f.lead = max(0, f.lead-by)
	} else {
		f.lead = min(0, f.lead+by)
	}
}
