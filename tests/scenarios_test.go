package tests

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

// Every scenario file is part of `go test ./...`, each scenario a subtest: go test ./tests -run
// 'TestScenarios/R7.2'. `host test tests/scenarios` runs the same with as many seeds as each declares; here that is so with
// TIDELOCK_SEEDS set. Otherwise each runs with the first seed, and those that say they are long are left out. With TIDELOCK_CI
// the long ones run as well, and each that declares several seeds runs with one more of them, another every day.
func TestScenarios(t *testing.T) {
	t.Parallel()
	s, err := scenario.Open(scenario.Options{Root: "..", Files: []string{"scenarios"}, Scripts: brokenScripts(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if c.Long() && !allSeeds() && !inCI() {
				t.Skip("long: `host test`, TIDELOCK_CI=1 and TIDELOCK_SEEDS=1 run it")
			}
			t.Parallel()
			for _, seed := range seeds(c) {
				if o := c.RunSeed(seed); !o.OK {
					t.Errorf("%s:%d\n%s", c.File, c.Line, scenario.Diagnostics(c, o))
					return
				}
			}
		})
	}
}

// seeds are the seeds that a scenario runs with.
func seeds(c *scenario.Case) []uint64 {
	list := []uint64{1}
	switch n := uint64(c.Seeds()); {
	case allSeeds():
		for seed := uint64(2); seed <= n; seed++ {
			list = append(list, seed)
		}
	case inCI() && n > 1:
		list = append(list, 2+uint64(today())%(n-1))
	}
	return list
}

func allSeeds() bool { return os.Getenv("TIDELOCK_SEEDS") != "" }

func inCI() bool { return os.Getenv("TIDELOCK_CI") != "" }

// today counts days. What takes turns from day to day follows it.
func today() int { return int(time.Now().Unix() / 86400) }

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
