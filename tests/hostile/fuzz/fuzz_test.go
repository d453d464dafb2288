package fuzz

import (
	"cmp"
	"flag"
	"slices"
	"testing"
	"time"
)

var (
	calls = flag.Int("calls", 100_000, "how many calls to make; the release is judged by 100 million")
	costs = flag.Int("costs", 0, "how many of the costliest natives by declared unit to print")
	seed  = flag.Uint64("seed", 1, "what the calls follow from")
)

// TestNativesStandAnything: no native panics, none takes long, and none keeps memory, whatever it is called with.
func TestNativesStandAnything(t *testing.T) {
	res, err := Run(Options{Root: "../../..", Seed: *seed, Calls: *calls, Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range res.Findings {
		t.Error(f)
	}
	t.Logf("%d calls in %d worlds: %d raised an error, %d were ended; the longest took %v: %s; %d KB lived after the first tenth, %d KB at the end",
		res.Calls, res.Worlds, res.Erred, res.Faults, res.Longest, res.LongestLine, res.Early>>10, res.Late>>10)
	slices.SortFunc(res.Costs, func(a, b Cost) int { return cmp.Compare(b.PerUnit, a.PerUnit) })
	for _, c := range res.Costs[:min(len(res.Costs), *costs)] {
		t.Logf("%6.1f ns a unit, %6d calls, %8v in all: %s", c.PerUnit, c.Calls, c.Took.Round(time.Microsecond), c.Name)
	}
	if res.Erred == 0 || res.Erred == res.Calls {
		t.Errorf("%d of %d calls raised an error: the arguments are not what they should be", res.Erred, res.Calls)
	}
	if float64(res.Late) > 1.1*float64(res.Early) {
		t.Errorf("memory grows: %d bytes lived after the first tenth of the calls, %d at the end", res.Early, res.Late)
	}
}
