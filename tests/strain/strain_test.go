package strain

import (
	"strings"
	"testing"
	"time"
)

// TestStrained: a few short delays are a machine with time; a fiftieth of the time slept through, or a quarter of a second at
// once, is not.
func TestStrained(t *testing.T) {
	for _, c := range []struct {
		name string
		naps []time.Duration // after a second of naps of 5 ms
		want string
	}{
		{"quiet", nil, ""},
		{"short delays", []time.Duration{24 * time.Millisecond, 25 * time.Millisecond, 20 * time.Millisecond}, ""},
		{"little", []time.Duration{26 * time.Millisecond}, "of 1 s, 0.0 were slept through, 26ms at once"},
		{"once", []time.Duration{251 * time.Millisecond}, "of 1 s, 0.3 were slept through, 251ms at once"},
	} {
		var w Watch
		for range 200 {
			w.add(nap)
		}
		for _, n := range c.naps {
			w.add(n)
		}
		why, got := w.Strained()
		if got != (c.want != "") || !strings.Contains(why, c.want) {
			t.Errorf("%s: %v %q, want %q", c.name, got, why, c.want)
		}
	}
	w := Start()
	w.End()
	w.End()
}
