package serve

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestSpread(t *testing.T) {
	var s spread
	if s.quantile(0.99) != 0 {
		t.Error("nothing has no quantile")
	}
	for i := range 1000 {
		s.add(time.Duration(i+1) * 100 * time.Microsecond)
	}
	near := func(q float64, want time.Duration) {
		t.Helper()
		if got := s.quantile(q); float64(got) < 0.95*float64(want) || float64(got) > 1.06*float64(want) {
			t.Errorf("quantile %v: %v, want %v", q, got, want)
		}
	}
	near(0.5, 50*time.Millisecond)
	near(0.99, 99*time.Millisecond)
	if got := s.quantile(1); got != 100*time.Millisecond {
		t.Errorf("the longest is %v", got)
	}
	s.add(0)
	s.add(time.Hour)
	if got := s.quantile(1); s.n != 1002 || got != time.Hour {
		t.Errorf("%d, %v", s.n, got)
	}
	if n := testing.AllocsPerRun(100, func() { s.add(time.Millisecond) }); n != 0 {
		t.Errorf("add allocates %v times", n)
	}
}

// What is told is of the time since it was told last.
func TestHealthBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h health
		h.begin()
		time.Sleep(2 * time.Second)
		spent := int64(0)
		h.clock = func() int64 { spent += int64(3 * time.Millisecond); return spent }
		for range 120 {
			h.step(func() {})
		}
		h.dropped = 4
		if got := h.String(); !strings.HasPrefix(got, "120 ticks in 2.0 s (60.0/s), 4 dropped; a tick took p50 3.00 ms, p99 3.00 ms, at most 3.00 ms") {
			t.Error(got)
		}
		h.begin()
		time.Sleep(time.Second)
		if got := h.String(); !strings.HasPrefix(got, "0 ticks in 1.0 s (0.0/s), 0 dropped; a tick took p50 0.00 ms") {
			t.Error(got)
		}
	})
}
