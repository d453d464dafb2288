package tests

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/scenario"
	"github.com/tidelock/tidelock/tests/tier"
)

// TestThrottledMatchRepeats (G6): who is throttled and quarantined follows from what scripts do and from the scale that
// was set at which tick, so the same match with the same scales has the same hashes.
func TestThrottledMatchRepeats(t *testing.T) {
	if testing.Short() {
		t.Skip("two matches of 40 s")
	}
	tier.Change(t)
	run := func() []string {
		s, err := scenario.Open(scenario.Options{Root: "..", Files: []string{"testdata/throttled.lua"}})
		if err != nil {
			t.Fatal(err)
		}
		o := s.Cases[0].RunSeed(5)
		if !o.OK {
			t.Fatal(scenario.Diagnostics(s.Cases[0], o))
		}
		var lines []string
		for _, line := range o.Result.Log {
			if !strings.Contains(line, ": ") { // what the scenario logs itself
				lines = append(lines, line)
			}
		}
		return lines
	}
	first := run()
	if again := run(); strings.Join(again, "\n") != strings.Join(first, "\n") {
		t.Errorf("the same match again:\n%s\nand before:\n%s", strings.Join(again, "\n"), strings.Join(first, "\n"))
	}
	if len(first) != 8 {
		t.Fatalf("logged %q", first)
	}
	for _, line := range []string{first[1], first[3]} {
		if strings.HasSuffix(line, "\t1") || strings.HasSuffix(line, " 1") {
			t.Errorf("Mill was called every tick: %q", line)
		}
	}
}
