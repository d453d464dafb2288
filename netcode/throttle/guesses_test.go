package throttle

import (
	"net/netip"
	"testing"
	"time"
)

// TestGuesses (G16): a network has three wrong secrets for nothing, then waits that double up to five minutes; others do not wait, and
// a quiet quarter of an hour is forgiven.
func TestGuesses(t *testing.T) {
	var g Guesses
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	now := time.Hour
	for i, want := range []int{0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300} {
		count, wait := g.Wrong(a, now)
		if count != i+1 || wait != time.Duration(want)*time.Second {
			t.Errorf("wrong secret %d: counted %d, waits %v, want %d s", i+1, count, wait, want)
		}
		if got := g.Wait(a, now); got != wait {
			t.Errorf("after %d waits %v, was told %v", i+1, got, wait)
		}
		if got := g.Wait(b, now); got != 0 {
			t.Errorf("another address waits %v", got)
		}
		now += wait
	}
	if got := g.Wait(a, now); got != 0 {
		t.Errorf("waits %v after its wait", got)
	}
	if count, _ := g.Wrong(a, now+15*time.Minute-time.Second); count != 16 {
		t.Errorf("counted %d just before it is forgotten", count)
	}
	if count, _ := g.Wrong(a, now+time.Hour); count != 1 {
		t.Errorf("counted %d after a quiet hour", count)
	}
}

// TestGuessesAreBounded: many networks do not grow the table, and one that guesses goes on to wait while others come.
func TestGuessesAreBounded(t *testing.T) {
	var g Guesses
	var now time.Duration
	one := netip.MustParseAddr("192.0.2.1")
	for i := range 20000 {
		now += time.Millisecond
		g.Wrong(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), now)
		if i%1000 == 0 {
			g.Wrong(one, now)
		}
		if n := len(g.by); n > 4096 {
			t.Fatalf("%d networks are remembered", n)
		}
	}
	if g.Wait(one, now) == 0 {
		t.Error("a network that goes on guessing was forgotten")
	}
	now += time.Hour
	g.Wrong(one, now)
	if n := len(g.by); n != 1 {
		t.Errorf("%d networks are remembered after a quiet hour", n)
	}
}
