package serve

import (
	"testing"
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
