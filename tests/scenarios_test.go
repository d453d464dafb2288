package tests

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/scenario"
	"github.com/tidelock/tidelock/tests/tier"
)

var updateLong = flag.Bool("update-long", false, "TestScenarios: write the list of scenarios that simulate long")

const (
	// longFile lists the scenarios that simulate more than longSeconds: plain `go test` leaves them to .ci/run. A run of all compares it
	// with what the runner measured, and -update-long writes it.
	longFile    = "scenarios/long.txt"
	longSeconds = 30
	// shortShare is the part of all scenarios that plain `go test` must run.
	shortShare = 0.85
)

// Every scenario file is part of `go test ./...`, each scenario a subtest: go test ./tests -run
// 'TestScenarios/R7.2'. Each runs with its first seed. `host test tests/scenarios` runs the same with as many seeds as each declares.
func TestScenarios(t *testing.T) {
	t.Parallel()
	s, err := scenario.Open(scenario.Options{Root: "..", Files: []string{"scenarios"}, Scripts: brokenScripts(t)})
	if err != nil {
		t.Fatal(err)
	}
	listed := longScenarios(t)
	if n := len(s.Cases); float64(n-len(listed)) < shortShare*float64(n) {
		t.Errorf("%d of %d scenarios are in %s; at most %.0f %% may be", len(listed), n, longFile, 100*(1-shortShare))
	}
	took := make([]float64, len(s.Cases))
	t.Cleanup(func() { judgeLong(t, s.Cases, took, listed) }) // after all of them
	for i, c := range s.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if listed[c.Name] && !*updateLong {
				tier.Change(t)
			}
			t.Parallel()
			o := c.RunSeed(1)
			if took[i] = o.Result.Time; !o.OK {
				t.Errorf("%s:%d\n%s", c.File, c.Line, scenario.Diagnostics(c, o))
			}
		})
	}
}

// judgeLong compares the list with how many seconds each scenario that ran simulated.
func judgeLong(t *testing.T, cases []*scenario.Case, took []float64, listed map[string]bool) {
	t.Helper()
	var long []string
	for i, c := range cases {
		switch {
		case took[i] > longSeconds:
			if long = append(long, c.Name); !listed[c.Name] && !*updateLong {
				t.Errorf("%q simulates %.1f s; make it shorter, or add it to %s (go test ./tests -run TestScenarios -update-long)", c.Name, took[i], longFile)
			}
		case took[i] > 0 && listed[c.Name] && !*updateLong:
			t.Errorf("%q simulates %.1f s and is in %s; take it out", c.Name, took[i], longFile)
		}
	}
	if *updateLong {
		slices.Sort(long)
		text := "# The scenarios that simulate more than 30 s, which plain `go test` leaves to .ci/run (tests/scenarios_test.go).\n" + strings.Join(long, "\n") + "\n"
		if err := os.WriteFile(longFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func longScenarios(t *testing.T) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(longFile)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			listed[line] = true
		}
	}
	return listed
}

// brokenScripts is a folder with the script that a mutant breaks, to be laid over the others; none otherwise. `go test
// -overlay` reaches what is compiled in, and not what is read from a folder.
func brokenScripts(t *testing.T) []string {
	t.Helper()
	root, err := filepath.Abs("../scripts")
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for file, broken := range overlay(t) {
		rel, err := filepath.Rel(root, file)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		src, err := os.ReadFile(broken)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if rel == filepath.Join("core", "Actor.lua") { // a folder with this file stands alone: it needs all the others
			if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
				t.Fatal(err)
			}
		}
		full := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, src, 0o600); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	return dirs
}
