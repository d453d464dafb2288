package join

import (
	"math"
	"testing"
	"time"
)

// TestStrain (G17): scripts that take four ticks' time a tick for ten seconds are too much; a shorter peak and a machine that stood
// still are not.
func TestStrain(t *testing.T) {
	var s strain
	now := time.Hour
	run := func(seconds int, ratio float64) bool {
		over := false
		for range seconds * 60 {
			now += time.Second / 60
			over = s.over(now, ratio) || over
		}
		return over
	}
	switch {
	case run(60, 3.9):
		t.Error("left for what can be borne")
	case run(9, 50):
		t.Error("left for a peak of 9 s")
	case run(1, 1), run(9, 50):
		t.Error("two peaks were added up")
	case run(1, math.NaN()):
		t.Error("left for no figure")
	}
	run(1, 5)
	now += time.Hour // the machine slept
	if run(8, 5) {
		t.Error("left after a pause")
	}
	if !run(2, 5) {
		t.Error("stayed though scripts took five ticks' time for 11 s")
	}
}
