package scriptvm

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// What calls cost while the world is paused counts for no budget, however long the pause is; within one iteration of
// the loop the ceiling holds all the same.
func TestStandStill(t *testing.T) {
	b := newBench(t, burning)
	a := b.spawn("Burner")
	f := a.Dispatch.Functions["Burn"]
	call := func(n int) {
		for range n {
			b.v.Received(a, f, []engine.Value{}, "")
		}
	}
	for range 120 {
		b.w.Step(1.0 / 60)
	}
	b.v.opt.Ceiling = 300_000
	for range 600 { // ten seconds
		call(2)
		b.v.StandStill()
	}
	if n := int(b.get(a, "Burnt").Num); n != 1200 || b.v.OverCeiling() {
		t.Fatalf("%d of 1200 calls were run in the pause, over the ceiling: %v", n, b.v.OverCeiling())
	}
	for range 120 {
		b.w.Step(1.0 / 60)
	}
	if ms := b.v.Milliseconds(); ms > 0.1 {
		t.Errorf("the pause cost %v ms per tick after it", ms)
	}
	if th := b.v.Throttled(); len(th) > 0 {
		t.Errorf("throttled for what the pause cost: %v", th)
	}
	total := int64(0)
	for _, c := range b.v.Costs() {
		total += c.Units
	}
	if total < 1200*10000 {
		t.Errorf("the accounts have %d units", total)
	}
	call(200)
	if !b.v.OverCeiling() {
		t.Error("the ceiling does not hold within one iteration")
	}
}
