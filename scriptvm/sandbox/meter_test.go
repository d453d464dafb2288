package sandbox

import (
	"testing"
)

// TestMeter: the count of all calls is the same no matter when it is read, samples are taken every SampleUnits of it, whatever the
// length of calls, and they add up to it.
func TestMeter(t *testing.T) {
	run := func(calls int, body string) (spent, sampled int64, samples int) {
		vm := newVM(t, Options{Sample: func(units int64) { sampled += units; samples++ }})
		fn := load(t, vm, body)
		for range calls {
			if _, err := vm.Call("Test", fn); err != nil {
				t.Fatal(err)
			}
		}
		return vm.Spent(), sampled, samples
	}
	for _, c := range []struct {
		calls int
		body  string
	}{
		{20000, `local x = 1 + 2 return x`},                                         // each far shorter than a sample
		{3, `local x = 0 for i = 1, 200000 do x = x + i end`},                       // each many samples long
		{300, `local s = ("x"):rep(30000) return #s`},                               // the work of a native
		{300, `return pcall(function() for i = 1, 1000 do tostring(i) end end)`},    // nested
		{50, `local c = coroutine.wrap(function() for i = 1, 2000 do end end) c()`}, // on another thread
	} {
		spent, sampled, samples := run(c.calls, c.body)
		if again, _, n := run(c.calls, c.body); again != spent || n != samples {
			t.Errorf("%s: %d units in %d samples, and %d in %d the second time", c.body, spent, samples, again, n)
		}
		if spent < int64(c.calls) || sampled > spent || spent-sampled > 2*SampleUnits+spent/20 {
			t.Errorf("%s: %d units spent, %d in %d samples", c.body, spent, sampled, samples)
		}
	}
}
