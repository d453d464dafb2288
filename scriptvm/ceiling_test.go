package scriptvm

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
)

const burning = `
local Burner = class("Burner", "Actor")
Burner.properties { Burnt = int(0) }
function Burner.server:Burn()
	local n = 0
	for i = 1, 10000 do n = n + i end
	self.Burnt = self.Burnt + 1
end
`

// TestCeiling (G17): calls from the other end that cost more between two ticks than the ceiling are not run any more, and the VM says
// so; spread over many ticks they are.
func TestCeiling(t *testing.T) {
	burn := func(b *bench, calls, perTick int) int {
		a := b.spawn("Burner")
		f := a.Dispatch.Functions["Burn"]
		for i := range calls {
			if i%perTick == 0 {
				b.w.Step(1.0 / 60)
			}
			b.v.Received(a, f, []engine.Value{}, "")
		}
		return int(b.get(a, "Burnt").Num)
	}
	b := newBench(t, burning)
	if n := burn(b, 200, 200); n != 200 || b.v.OverCeiling() {
		t.Errorf("without a ceiling %d of 200 calls were run", n)
	}
	b = newBench(t, burning)
	b.v.opt.Ceiling = 300_000
	if n := burn(b, 200, 2); n != 200 || b.v.OverCeiling() {
		t.Errorf("%d of 200 calls were run, a few a tick", n)
	}
	b = newBench(t, burning)
	b.v.opt.Ceiling = 300_000
	if n := burn(b, 200, 200); n < 2 || n > 50 || !b.v.OverCeiling() {
		t.Errorf("%d of 200 calls were run in one tick, over the ceiling: %v", n, b.v.OverCeiling())
	}
}
