package server

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/tests/tier"
)

func TestPacing(t *testing.T) {
	p := pacing{scale: 1}
	if n := p.pass(2); n != 2 {
		t.Errorf("normal: %v s in 2", n)
	}
	p.set(wire.Pace{Scale: 250}, 60)
	if n := p.pass(2); n != 0.5 {
		t.Errorf("slow motion: %v s in 2", n)
	}
	p.set(wire.Pace{}, 60)
	if n := p.pass(2); n != 0 {
		t.Errorf("paused: %v s in 2", n)
	}
	p.set(wire.Pace{Steps: 30}, 60)
	p.set(wire.Pace{Steps: 60}, 60)
	if n := p.pass(1); n != 1 {
		t.Errorf("stepping: %v s in 1", n)
	}
	if n := p.pass(2); n != 0.5 {
		t.Errorf("the rest of 1.5 s of steps: %v s", n)
	}
	p.set(wire.Pace{Steps: 60}, 60)
	p.set(wire.Pace{}, 60) // discards them
	if n := p.pass(2); n != 0 {
		t.Errorf("discarded steps: %v s", n)
	}
}

// Whatever changes a server makes and however late a client follows each, its lead is the time of the world that
// passed for it minus that of the server; once it has followed all, the lead of steps and pauses is only what their
// messages took.
func TestLeadIsTheDifference(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		here, there := pacing{scale: 1}, follower{pacing: pacing{scale: 1}}
		passedHere, passedThere := 0.0, 0.0
		pass := func(seconds float64) {
			a, b := here.pass(seconds), there.pass(seconds)
			passedHere, passedThere = passedHere+a, passedThere+b
		}
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			var m wire.Pace
			if rapid.Bool().Draw(t, "step") {
				m.Steps = rapid.IntRange(1, wire.MaxSteps).Draw(t, "steps")
			} else {
				m.Scale = rapid.SampledFrom([]int{0, 10, 500, 1000, 4000}).Draw(t, "scale")
			}
			was := here.scale
			here.set(m, 60)
			late := rapid.Float64Range(0, 0.3).Draw(t, "late")
			before := passedThere - passedHere
			pass(late)
			if d := math.Abs(passedThere - passedHere - before); d > late*max(1, was, here.scale)+1e-9 {
				t.Fatalf("a change that took %v s moved the lead by %v s", late, d)
			}
			there.set(m, 60)
			pass(rapid.Float64Range(0, 3).Draw(t, "seconds"))
		}
	})
}

func TestLeadSettles(t *testing.T) {
	for _, lead := range []float64{0.5, -0.5, 0} {
		f := follower{lead: lead}
		f.settle(0.2)
		if want := math.Copysign(max(0, math.Abs(lead)-0.2), lead); f.lead != want {
			t.Errorf("%v settles to %v, want %v", lead, f.lead, want)
		}
		f.settle(1)
		if f.lead != 0 {
			t.Errorf("%v does not end at 0: %v", lead, f.lead)
		}
	}
}

// TestMostLead: while the confirmation of a faster pace is late, the lead may be as if the client followed it at once, and no more; then
// that is forgotten sooner than the lead.
func TestMostLead(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	f := follower{pacing: pacing{scale: 0.5}}
	f.sent = []sentPace{{Pace: wire.Pace{Scale: 2000}}}
	f.follow(1, 2)
	if !near(f.lead, -1.5) || !near(f.most, 0) {
		t.Errorf("lead %v, at most %v", f.lead, f.most)
	}
	f.follow(1, 0.5) // the server has become slow, and the client does not know that either
	if !near(f.lead, -1.5) || !near(f.most, 1.5) {
		t.Errorf("lead %v, at most %v", f.lead, f.most)
	}
	f.follow(9, 0)
	if f.most != mostLead {
		t.Errorf("at most %v", f.most)
	}
	f.sent, f.lead = nil, -1
	f.set(wire.Pace{Scale: 1000}, 60)
	f.follow(5, 5)
	if !near(f.lead, -1+5*forget) || !near(f.most, mostLead-5*recall) {
		t.Errorf("confirmed: lead %v, at most %v", f.lead, f.most)
	}
	f.follow(60, 60)
	if f.most != f.lead {
		t.Errorf("later: lead %v, at most %v", f.lead, f.most)
	}
}
