package tests

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

// The race needs nothing but its folder, the base classes and their libraries: copied away whole it plays without the shooter.
func TestSecondGameStandsAlone(t *testing.T) {
	t.Parallel()
	root, away := t.TempDir(), t.TempDir()
	for from, to := range map[string]string{"core": filepath.Join(root, "scripts", "core"), "lib": filepath.Join(root, "scripts", "lib"), "race": filepath.Join(away, "race")} {
		if err := os.CopyFS(to, os.DirFS(filepath.Join("..", "scripts", from))); err != nil {
			t.Fatal(err)
		}
	}
	file, err := filepath.Abs("scenarios/race.lua")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Open(scenario.Options{Root: root, Scripts: []string{away}, Files: []string{file}, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range s.Cases {
		if c.Long() {
			continue
		}
		n++
		if o := c.Run(); !o.OK {
			t.Errorf("%s:%d\n%s", c.File, c.Line, scenario.Diagnostics(c, o))
		}
	}
	if n == 0 {
		t.Error("no scenario")
	}
}
