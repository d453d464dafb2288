package tests

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/scenario"
	"github.com/tidelock/tidelock/content"
	"github.com/tidelock/tidelock/scripts"
)

// The binary alone, away from the checkout, plays the same game: scenarios that stand on scripts/core run with
// what is compiled in. It is also where mutants of scripts/core are caught: `go test -overlay` reaches what is
// embedded, and not what TestScenarios reads from the folder.
//
// Where every byte that is compiled in is the checkout's, TestScenarios has run the very same on the same input, and a
// run follows from nothing else; a few show then that the binary finds what it carries. Under an overlay, in
// the run without one that a mutant is compared with, or in a tree that changes while it is tested, all run.
func TestBuiltInScripts(t *testing.T) {
	which := "^(R8|R9|mutants|R5.19|levels|physics|lua-api actor)"
	if os.Getenv(overlayVariable) == "" && same(t, scripts.FS, os.DirFS("../scripts")) && same(t, content.FS, os.DirFS("../content")) {
		which = "^(R8.1 |levels)"
	}
	s, err := scenario.Open(scenario.Options{Root: t.TempDir(), Files: []string{"scenarios"}, Run: which})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if o := c.RunSeed(1); !o.OK {
				t.Errorf("%s:%d\n%s", c.File, c.Line, scenario.Diagnostics(c, o))
			}
		})
	}
}

// same reports whether two folders hold the same files with the same bytes, Go files and hidden ones aside.
func same(t *testing.T, a, b fs.FS) bool {
	t.Helper()
	x, y := readFiles(t, a), readFiles(t, b)
	if len(x) != len(y) {
		return false
	}
	for name, data := range x {
		if other, ok := y[name]; !ok || !bytes.Equal(data, other) {
			return false
		}
	}
	return true
}

func readFiles(t *testing.T, f fs.FS) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".go" || strings.HasPrefix(path.Base(name), ".") {
			return err
		}
		out[name], err = fs.ReadFile(f, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
