package tests

import (
	"testing"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

// The binary alone, away from the checkout, plays the same game: scenarios that stand on scripts/core run with
// what is compiled in. It is also where mutants of scripts/core are caught: `go test -overlay` reaches what is
// embedded, and not what TestScenarios reads from the folder.
func TestBuiltInScripts(t *testing.T) {
	s, err := scenario.Open(scenario.Options{
		Root: t.TempDir(), Files: []string{"scenarios"}, Seeds: seeds(),
		Run: "^(R8|R9|mutants|R5.19|levels|physics|lua-api actor)",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if o := c.Run(); !o.OK {
				t.Errorf("%s:%d\n%s", c.File, c.Line, scenario.Diagnostics(c, o))
			}
		})
	}
}
