package tests

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

// Every scenario file is part of `go test ./...`, each scenario a subtest: go test ./tests -run
// 'TestScenarios/R7.2'. `host test tests/scenarios` runs the same, and each with as many seeds as it requests, as .ci/run
// does; here that is so with TIDELOCK_SEEDS set. Else one has to do, and those that say they are long are left out.
func TestScenarios(t *testing.T) {
	t.Parallel()
	s, err := scenario.Open(scenario.Options{Root: "..", Files: []string{"scenarios"}, Scripts: brokenScripts(t), Seeds: seeds()})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if c.Long() && seeds() == 1 {
				t.Skip("long: `host test`, .ci/run and TIDELOCK_SEEDS=1 run it")
			}
			t.Parallel()
			if o := c.Run(); !o.OK {
				t.Errorf("%s:%d\n%s", c.File, c.Line, scenario.Diagnostics(c, o))
			}
		})
	}
}

// seeds is how many seeds each scenario runs with: one, or with TIDELOCK_SEEDS set as many as it requests.
func seeds() int {
	if os.Getenv("TIDELOCK_SEEDS") != "" {
		return 0
	}
	return 1
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
