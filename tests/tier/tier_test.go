package tier

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestDraw: of a list of n, .ci/run takes one in every n that are beside each other, plain go test none and .ci/long all.
func TestDraw(t *testing.T) {
	for _, c := range []struct {
		ci, long, undrawn string
		want              int
	}{{"", "", "", 0}, {"1", "", "", 5}, {"1", "", "1", 0}, {"", "1", "", 20}, {"", "1", "1", 20}} {
		t.Setenv(changeVariable, c.ci)
		t.Setenv(longVariable, c.long)
		t.Setenv(fixedVariable, c.undrawn)
		got := 0
		for i := range 20 {
			if Drawn(i, 4) {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%+v: %d of 20 are drawn, want %d", c, got, c.want)
		}
	}
}

// TestSeed: a property sees the same values each time, and other tests see others.
func TestSeed(t *testing.T) {
	runs := map[string][]uint64{}
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				Check(t, func(rt *rapid.T) { runs[name] = append(runs[name], rapid.Uint64().Draw(rt, "n")) })
			}
		})
	}
	a, b := runs["a"], runs["b"]
	if half := len(a) / 2; half < 100 || !slices.Equal(a[:half], a[half:]) || slices.Equal(a[:10], b[:10]) {
		t.Errorf("%v…, again %v…, in another test %v…", a[:5], a[half:half+5], b[:5])
	}
}
