package server

import (
	"testing"
	"time"
)

// TestStandstillIsNoSurplus (G15): after the server stood still, a player may have sent for all that time, and no more than that; two seconds later
// the limit is that of a second again.
func TestStandstillIsNoSurplus(t *testing.T) {
	s := &Server{cfg: Config{Limits: Limits{CallsPerSecond: 100, BytesPerSecond: 1 << 20}}}
	c := &Conn{s: s}
	calls := func(most int) (n int) {
		for range most {
			if c.allow(10); !c.allowCall() {
				break
			}
			n++
		}
		return n
	}
	at := time.Second
	receive := func(d time.Duration) {
		at += d
		s.stand(at)
		s.now = at
	}
	receive(0)
	c.tokensAt = at
	c.callTokens = 100
	for _, step := range []struct {
		after time.Duration
		want  int
	}{
		{10 * time.Millisecond, 100}, // the burst of a second
		{499 * time.Millisecond, 50}, // a slow tick is no standstill
		{15 * time.Second, 1500},
		{20 * time.Millisecond, 2},
		{400 * time.Millisecond, 40},
		{time.Hour, 3100}, // half a minute of it at most
	} {
		receive(step.after)
		if n := calls(10_000); n < step.want-1 || n > step.want+1 {
			t.Errorf("after %v: %d calls, want %d", step.after, n, step.want)
		}
	}
	// What was not used is gone when the time to catch up is over, though the server receives all the while.
	receive(15 * time.Second)
	c.allow(10)
	for range 30 {
		receive(100 * time.Millisecond)
		c.allow(10)
	}
	if n := calls(10_000); n > 101 {
		t.Errorf("three seconds later: %d calls at once", n)
	}
}
