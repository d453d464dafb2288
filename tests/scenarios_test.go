package tests

import (
	"testing"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

// Every scenario file is part of `go test ./...`, each scenario a subtest: go test ./tests -run
// 'TestScenarios/R7.2'. `host test tests/scenarios` runs the same.
func TestScenarios(t *testing.T) {
	s, err := scenario.Open(scenario.Options{Root: "..", Files: []string{"scenarios"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if o := c.Run(); !o.OK {
				t.Errorf("%s:%d\n%s", c.File, c.Line, scenario.Diagnostics(c, o))
			}
		})
	}
}
