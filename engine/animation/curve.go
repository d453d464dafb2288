package animation

import (
	"fmt"
	"math"
	"sort"
)

// Key is a point of a curve: a value at a time in seconds.
type Key struct{ Time, Value float64 }

// Curve is a number that changes along a track: linear between its keys, constant before the first and after
// the last.
type Curve struct {
	Name string
	Keys []Key
	// Step holds each key's value until the next key, without interpolation.
	Step bool

	rising, falling bool // strictly monotone: values can be looked up
}

// check prepares a curve for use: sorted, bounded, finite.
func (c *Curve) check() error {
	if c.Name == "" {
		return fmt.Errorf("a curve without a name")
	}
	if len(c.Keys) == 0 || len(c.Keys) > MaxKeys {
		return fieldErrorf("curve", c.Name, "expected 1 to %d keys, got %d", MaxKeys, len(c.Keys))
	}
	sort.SliceStable(c.Keys, func(i, j int) bool { return c.Keys[i].Time < c.Keys[j].Time })
	c.rising, c.falling = len(c.Keys) > 1 && !c.Step, len(c.Keys) > 1 && !c.Step
	for i, k := range c.Keys {
		if !finite(k.Time) || !finite(k.Value) || math.Abs(k.Value) > 1e9 {
			return fieldErrorf("curve", c.Name, "key %d: expected finite numbers", i+1)
		}
		if i == 0 {
			continue
		}
		last := c.Keys[i-1]
		if k.Time == last.Time {
			return fieldErrorf("curve", c.Name, "two keys at %g s", k.Time)
		}
		c.rising = c.rising && k.Value > last.Value
		c.falling = c.falling && k.Value < last.Value
	}
	return nil
}

// At returns the curve's value at a time.
func (c *Curve) At(t float64) float64 {
	n := len(c.Keys)
	i := sort.Search(n, func(i int) bool { return c.Keys[i].Time > t }) // the first key after t
	switch {
	case i == 0:
		return c.Keys[0].Value
	case i == n:
		return c.Keys[n-1].Value
	}
	a, b := c.Keys[i-1], c.Keys[i]
	if c.Step {
		return a.Value
	}
	return a.Value + (b.Value-a.Value)*((t-a.Time)/(b.Time-a.Time))
}

// Monotone reports whether every value occurs at one time only, so that [Curve.TimeOf] has a result.
func (c *Curve) Monotone() bool { return c.rising || c.falling }

// TimeOf returns the time at which a monotone curve has a value, in O(log n). With a distance curve of a stop,
// for example, it returns how far into the animation a runner is who has so many uu left. A value outside the
// curve's range gives the nearer end. It returns false for curves that are not monotone.
func (c *Curve) TimeOf(v float64) (t float64, ok bool) {
	if !c.Monotone() || v != v {
		return 0, false
	}
	n := len(c.Keys)
	i := sort.Search(n, func(i int) bool {
		if c.rising {
			return c.Keys[i].Value >= v
		}
		return c.Keys[i].Value <= v
	})
	switch {
	case i == 0:
		return c.Keys[0].Time, true
	case i == n:
		return c.Keys[n-1].Time, true
	}
	a, b := c.Keys[i-1], c.Keys[i]
	return a.Time + (b.Time-a.Time)*((v-a.Value)/(b.Value-a.Value)), true
}

func finite(x float64) bool { return x-x == 0 }
