package fuzz

import (
	"testing"
	"time"

	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// TestTooLong: a machine that is slow in all it does excuses a call, and a native that is slow beside instructions is not excused.
func TestTooLong(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		took, yardstick time.Duration
		want            bool
	}{
		{Longest, 1 * ms, false},
		{51 * ms, 1 * ms, true},
		{51 * ms, 20 * ms, true},
		{64 * ms, 26 * ms, false},
		{66 * ms, 26 * ms, true},
		{400 * ms, 200 * ms, false},
		{3000 * ms, 200 * ms, true},
	} {
		if got := tooLong(c.took, c.yardstick); got != c.want {
			t.Errorf("a call of %v where the yardstick takes %v: too long is %v, expected %v", c.took, c.yardstick, got, c.want)
		}
	}
}

// TestTheYardstickSpendsItsBudget, each time it is used.
func TestTheYardstickSpendsItsBudget(t *testing.T) {
	y, err := newYardstick()
	if err != nil {
		t.Fatal(err)
	}
	defer y.close()
	for range 3 {
		before := y.vm.Spent()
		if err := y.call(); err != nil {
			t.Fatal(err)
		}
		if got := y.vm.Spent() - before; got != sandbox.DefaultInstructions {
			t.Errorf("%d instructions, expected %d", got, sandbox.DefaultInstructions)
		}
	}
}
