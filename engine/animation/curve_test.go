package animation

import (
	"math"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
	"pgregory.net/rapid"
)

func anyCurve(t *rapid.T, monotone bool) *Curve {
	c := &Curve{Name: "C"}
	at, v := rapid.Float64Range(-2, 2).Draw(t, "first"), rapid.Float64Range(-100, 100).Draw(t, "value")
	sign := 1.0
	if rapid.Bool().Draw(t, "falls") {
		sign = -1
	}
	for range rapid.IntRange(2, 20).Draw(t, "keys") {
		c.Keys = append(c.Keys, Key{at, v})
		at += rapid.Float64Range(0.01, 2).Draw(t, "step")
		by := rapid.Float64Range(0.01, 50).Draw(t, "by")
		if !monotone && rapid.Bool().Draw(t, "turns") {
			by = -by
		}
		v += sign * by
	}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	return c
}

// A value that is looked up stands at that time.
func TestTimeOfIsInverse(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		c := anyCurve(t, true)
		if !c.Monotone() {
			t.Fatal("it is monotone")
		}
		first, last := c.Keys[0], c.Keys[len(c.Keys)-1]
		at := rapid.Float64Range(first.Time, last.Time).Draw(t, "at")
		back, ok := c.TimeOf(c.At(at))
		if !ok || math.Abs(back-at) > 1e-6 {
			t.Fatalf("%g came back as %g %v", at, back, ok)
		}
		for _, k := range c.Keys {
			if v := c.At(k.Time); math.Abs(v-k.Value) > 1e-9 {
				t.Fatalf("key %v reads %g", k, v)
			}
		}
		lo, hi := min(first.Value, last.Value), max(first.Value, last.Value)
		below, _ := c.TimeOf(lo - 1)
		above, _ := c.TimeOf(hi + 1)
		if min(below, above) != first.Time || max(below, above) != last.Time {
			t.Fatalf("outside: %g %g", below, above)
		}
	})
}

func TestMonotoneIsWhatItSays(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		c := anyCurve(t, false)
		rises, falls := true, true
		for i := 1; i < len(c.Keys); i++ {
			rises = rises && c.Keys[i].Value > c.Keys[i-1].Value
			falls = falls && c.Keys[i].Value < c.Keys[i-1].Value
		}
		if c.Monotone() != (rises || falls) {
			t.Fatalf("%v: %v", c.Keys, c.Monotone())
		}
		if _, ok := c.TimeOf(0); ok != c.Monotone() {
			t.Fatal("an answer for what has none")
		}
	})
}

func TestCurveEdges(t *testing.T) {
	step := Curve{Name: "S", Step: true, Keys: []Key{{1, 20}, {0, 10}}}
	if err := step.check(); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[float64]float64{-1: 10, 0: 10, 0.99: 10, 1: 20, 5: 20} {
		if got := step.At(at); got != want {
			t.Errorf("at %g: %g, want %g", at, got, want)
		}
	}
	if step.Monotone() {
		t.Error("a step has many times for a value")
	}
	one := Curve{Name: "O", Keys: []Key{{1, 7}}}
	if err := one.check(); err != nil || one.At(-5) != 7 || one.At(5) != 7 || one.Monotone() {
		t.Error(err)
	}
	line := Curve{Name: "L", Keys: []Key{{0, 0}, {1, 1}}}
	if err := line.check(); err != nil {
		t.Fatal(err)
	}
	if _, ok := line.TimeOf(math.NaN()); ok {
		t.Error("NaN has a time")
	}
	if err := (&Curve{Keys: []Key{{0, 0}}}).check(); err == nil || !strings.Contains(err.Error(), "without a name") {
		t.Error(err)
	}
}
