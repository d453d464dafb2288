package scriptvm

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// burner is an actor with a function that costs, and so many calls of it from the other end.
func burner(t *testing.T) (*bench, *engine.Actor, func(n int)) {
	b := newBench(t, `
local Burner = class("Burner", "Actor")
Burner.properties { Burnt = int(0) }
function Burner.server:Burn()
	local n = 0
	for i = 1, 10000 do n = n + i end
	self.Burnt = self.Burnt + 1
end
`)
	a := b.spawn("Burner")
	return b, a, func(n int) {
		for range n {
			b.v.Received(a, a.Dispatch.Functions["Burn"], []engine.Value{}, "")
		}
	}
}

// TestCeiling (G17): calls from the other end that cost more between two ticks than the ceiling are not run any more, and the VM says
// so; spread over many ticks they are.
func TestCeiling(t *testing.T) {
	for _, c := range []struct {
		ceiling              int64
		perTick, least, most int
	}{{0, 200, 200, 200}, {300_000, 2, 200, 200}, {300_000, 200, 2, 50}} {
		b, a, burn := burner(t)
		b.v.opt.Ceiling = c.ceiling
		for range 200 / c.perTick {
			b.w.Step(1.0 / 60)
			burn(c.perTick)
		}
		if n := int(b.get(a, "Burnt").Num); n < c.least || n > c.most || b.v.OverCeiling() != (n < 200) {
			t.Errorf("ceiling %d, %d a tick: %d of 200 calls were run, over it: %v", c.ceiling, c.perTick, n, b.v.OverCeiling())
		}
	}
}

// What calls cost while the world is paused counts for no budget, however long the pause is; within one iteration of
// the loop the ceiling holds all the same.
func TestStandStill(t *testing.T) {
	b, a, burn := burner(t)
	b.run(2)
	b.v.opt.Ceiling = 300_000
	for range 600 { // ten seconds
		burn(2)
		b.v.StandStill()
	}
	if n := int(b.get(a, "Burnt").Num); n != 1200 || b.v.OverCeiling() {
		t.Fatalf("%d of 1200 calls were run in the pause, over the ceiling: %v", n, b.v.OverCeiling())
	}
	b.run(2)
	if ms, th := b.v.Milliseconds(), b.v.Throttled(); ms > 0.1 || len(th) > 0 {
		t.Errorf("the pause cost %v ms per tick after it, and throttled %v", ms, th)
	}
	total := int64(0)
	for _, c := range b.v.Costs() {
		total += c.Units
	}
	if total < 1200*10000 {
		t.Errorf("the accounts have %d units", total)
	}
	burn(200)
	if !b.v.OverCeiling() {
		t.Error("the ceiling does not hold within one iteration")
	}
}
