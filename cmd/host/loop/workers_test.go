package loop_test

import (
	"sync/atomic"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/loop"
)

// Every part is run once, in each of many rounds, and all have returned when Run does.
func TestWorkers(t *testing.T) {
	for _, n := range []int{0, 1, 2, 4} {
		w := loop.NewWorkers(n)
		var ran [9]atomic.Int32
		for round := range 2000 {
			parts := round % 10
			w.Run(parts, func(i int) { ran[i].Add(1) })
			for i := range ran {
				want := int32(0)
				if i < parts {
					want = 1
				}
				if got := ran[i].Swap(0); got != want {
					t.Fatalf("%d workers, round %d: part %d ran %d times", n, round, i, got)
				}
			}
		}
		w.Stop()
	}
	var none loop.Workers
	sum := 0
	none.Run(3, func(i int) { sum += i })
	none.Stop()
	if sum != 3 {
		t.Errorf("the zero Workers left something out: %d", sum)
	}
}

// TestWorkersAllocate: nothing.
func TestWorkersAllocate(t *testing.T) {
	w := loop.NewWorkers(2)
	defer w.Stop()
	f := func(int) {}
	if n := testing.AllocsPerRun(100, func() { w.Run(4, f) }); n > 0 {
		t.Errorf("a run allocates %v times", n)
	}
}
