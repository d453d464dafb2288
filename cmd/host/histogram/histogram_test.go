package histogram_test

import (
	"testing"

	"github.com/tidelock/tidelock/cmd/host/histogram"
)

// TestHistogram: each duration is in the first bucket that is not below it and in all after that; a copy is a snapshot.
func TestHistogram(t *testing.T) {
	h := histogram.New(histogram.Scale{1, 2, 4})
	for _, s := range []float64{0.5, 1, 1.5, 4, 9} {
		h.Add(s)
	}
	then := h
	h.Add(0)
	var got []uint64
	then.Each(func(_ float64, below uint64) { got = append(got, below) })
	if len(got) != 3 || got[0] != 2 || got[1] != 3 || got[2] != 4 || then.Count() != 5 || then.Sum() != 16 || h.Count() != 6 {
		t.Error(got, then.Count(), then.Sum(), h.Count())
	}
	if n := testing.AllocsPerRun(100, func() { h.Add(3) }); n != 0 {
		t.Errorf("counting allocates %g times", n)
	}
	for _, s := range []histogram.Scale{histogram.Jobs(), histogram.Hops()} {
		histogram.New(s) // panics if it is too long
		for i := 1; i < len(s); i++ {
			if s[i] <= s[i-1] {
				t.Error(s)
			}
		}
	}
}
