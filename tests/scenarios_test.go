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
// TIDELOCK_SEEDS set. Otherwise each runs with the first seed, those that say they are long are left out, and of those that a
// loop makes from a list a quarter runs, another every day. With TIDELOCK_CI all run but two thirds of the long ones, and a quarter of those
// that declare several seeds runs with one more of them; the others follow on the next days.
func TestScenarios(t *testing.T) {
	t.Parallel()
	s, err := scenario.Open(scenario.Options{Root: "..", Files: []string{"scenarios"}, Scripts: brokenScripts(t)})
	if err != nil {
		t.Fatal(err)
	}
	places := listPlaces(s.Cases)
	for i, c := range s.Cases {
		t.Run(c.Name, func(t *testing.T) {
			switch third := (i+today())%3 == 0; {
			case allSeeds():
			case c.Long() && !inCI():
				t.Skip("long: `host test`, TIDELOCK_CI=1 and TIDELOCK_SEEDS=1 run it")
			case c.Long() && !third:
				t.Skip("long, and its turn is another day: `host test` and TIDELOCK_SEEDS=1 run it")
			case inCI():
			case places[c] >= 0 && (places[c]+today())%listTurns != 0:
				t.Skip("one of a list, and its turn is another day: `host test`, TIDELOCK_CI=1 and TIDELOCK_SEEDS=1 run it")
			}
			t.Parallel()
			for _, seed := range seeds(c, i) {
				if o := c.RunSeed(seed); !o.OK {
					t.Errorf("%s:%d\n%s", c.File, c.Line, scenario.Diagnostics(c, o))
					return
				}
			}
		})
	}
}

// listTurns is in how many days each scenario of a list has its turn.
const listTurns = 4

// listPlaces numbers the scenarios that one line of a file makes in a loop; a scenario that is alone on its line has −1. The
// numbers go on from list to list, so that each day has as much to do.
func listPlaces(cases []*scenario.Case) map[*scenario.Case]int {
	type line struct {
		file string
		line int
	}
	count := map[line]int{}
	for _, c := range cases {
		count[line{c.File, c.Line}]++
	}
	places, next := map[*scenario.Case]int{}, 0
	for _, c := range cases {
		if places[c] = -1; count[line{c.File, c.Line}] > 1 {
			places[c] = next
			next++
		}
	}
	return places
}

// seeds are the seeds that the i-th scenario runs with.
func seeds(c *scenario.Case, i int) []uint64 {
	list := []uint64{1}
	switch n := uint64(c.Seeds()); {
	case allSeeds():
		for seed := uint64(2); seed <= n; seed++ {
			list = append(list, seed)
		}
	case inCI() && n > 1 && (i+today())%4 == 0:
		list = append(list, 2+uint64(today()/4)%(n-1))
	}
	return list
}

func allSeeds() bool { return os.Getenv("TIDELOCK_SEEDS") != "" }

func inCI() bool { return os.Getenv("TIDELOCK_CI") != "" }

// turn skips the i-th of some tests that take many seconds of the processor each unless it is its turn: a third runs each day, and all
// with TIDELOCK_CI or TIDELOCK_SEEDS.
func turn(t *testing.T, i int) {
	t.Helper()
	if !inCI() && !allSeeds() && (i+today())%3 != 0 {
		t.Skip("its turn is another day; TIDELOCK_CI=1 runs it")
	}
}

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
