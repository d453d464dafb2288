package pace_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine/pace"
	"github.com/tidelock/tidelock/tests/tier"
)

func run(p *pace.Pace, iterations int) (ticks int) {
	for range iterations {
		ticks += p.Next()
	}
	return ticks
}

func TestZeroPaceIsNormal(t *testing.T) {
	var p pace.Pace
	if p.Scale() != 1 || p.Paused() || p.Still() || p.Pending() != 0 {
		t.Errorf("scale %v, paused %v", p.Scale(), p.Paused())
	}
	for range 100 {
		if n := p.Next(); n != 1 {
			t.Fatalf("%d ticks in one iteration", n)
		}
	}
}

func TestStepsRunOnePerIterationAndStay(t *testing.T) {
	var p pace.Pace
	p.Set(2)
	p.Step(3)
	p.Step(2) // before the first have run
	if p.Pending() != 5 || !p.Paused() || p.Still() {
		t.Fatalf("pending %d, paused %v", p.Pending(), p.Paused())
	}
	for i := range 5 {
		if n := p.Next(); n != 1 {
			t.Fatalf("iteration %d: %d ticks", i, n)
		}
	}
	if n := run(&p, 100); n != 0 || !p.Still() {
		t.Errorf("%d ticks after the steps, still %v", n, p.Still())
	}
	p.Step(10)
	p.Set(0) // discards them
	if n := run(&p, 100); n != 0 {
		t.Errorf("%d ticks of discarded steps", n)
	}
	p.Step(4)
	p.Set(1)
	if n := run(&p, 10); n != 10 {
		t.Errorf("%d ticks in 10 iterations after resuming", n)
	}
}

// A server at 30 Hz steps a client at 60 Hz by two ticks each, and one at 20 Hz by two for three.
func TestStepsOfAnotherRate(t *testing.T) {
	var fast, slow pace.Pace
	for range 3 {
		fast.Step(60.0 / 30)
		slow.Step(20.0 / 30)
	}
	if n := run(&fast, 100); n != 6 {
		t.Errorf("60 Hz: %d ticks for 3 at 30 Hz", n)
	}
	if n := run(&slow, 100); n != 2 {
		t.Errorf("20 Hz: %d ticks for 3 at 30 Hz", n)
	}
}

func TestCheck(t *testing.T) {
	for _, scale := range []float64{0, 0.01, 0.5, 1, 4} {
		if err := pace.Check(scale); err != nil {
			t.Errorf("%v: %v", scale, err)
		}
	}
	for _, scale := range []float64{-1, 0.009, 4.01, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if pace.Check(scale) == nil {
			t.Errorf("%v was accepted", scale)
		}
	}
	for _, n := range []int{0, -1, pace.MaxSteps + 1} {
		if pace.CheckSteps(n) == nil {
			t.Errorf("step %d was accepted", n)
		}
	}
	if pace.CheckSteps(1) != nil || pace.CheckSteps(pace.MaxSteps) != nil {
		t.Error("a bound was refused")
	}
}

// Whatever commands follow each other, ticks are those of the scale within one, every iteration runs at most as
// many as the scale rounded up, and steps run exactly.
func TestPaceKeepsItsScale(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		var p pace.Pace
		for range rapid.IntRange(1, 20).Draw(t, "commands") {
			if rapid.Bool().Draw(t, "step") {
				left := p.Pending()
				if !p.Paused() {
					left = 0
				}
				n := rapid.IntRange(1, 50).Draw(t, "n")
				p.Step(float64(n))
				some := rapid.IntRange(0, 100).Draw(t, "iterations")
				if got, want := run(&p, some), min(some, left+n); got != want || p.Pending() != left+n-want {
					t.Fatalf("%d ticks in %d iterations, want %d; pending %d", got, some, want, p.Pending())
				}
				continue
			}
			scale := rapid.SampledFrom([]float64{0, 0.01, 0.033, 0.25, 0.5, 1, 1.5, 2, 3.999, 4}).Draw(t, "scale")
			p.Set(scale)
			if p.Scale() != scale {
				t.Fatalf("scale %v, want %v", p.Scale(), scale)
			}
			iterations, ticks := rapid.IntRange(1, 1000).Draw(t, "iterations"), 0
			for range iterations {
				n := p.Next()
				if n < 0 || float64(n) >= scale+1 {
					t.Fatalf("%d ticks in an iteration at scale %v", n, scale)
				}
				ticks += n
			}
			if want := int(math.Floor(float64(iterations*pace.Thousandths(scale)) / pace.Normal)); ticks != want {
				t.Fatalf("%d ticks in %d iterations at scale %v, want %d", ticks, iterations, scale, want)
			}
		}
	})
}
