package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// leftOut are packages that must not be compiled into the host. The first run compiles every dependency on the reader's
// machine, and README.md says how long that takes.
var leftOut = []struct{ pkg, why string }{
	{"text/template", "documents are written by tests, from cmd/host/reference/markdown_test.go"},
	{"html/template", "the host's pages are files"},
	{"database/sql", "the store is a file of bbolt, or NATS"},
	{"github.com/prometheus", "cmd/host/metrics writes the text format itself"},
	{"google.golang.org/protobuf", "nothing on the wire is protobuf; it takes 10 s to compile"},
	{"encoding/xml", "content is .map and TOML"},
	{"testing", "test helpers stay in tests"},
	{"golang.org/x/tools", "only tools need it"},
	{"github.com/evanw/esbuild", "only .ci/three/make needs it: it takes a minute to compile"},
	{"pgregory.net/rapid", "only tests need it"},
	{"github.com/rogpeppe/go-internal", "only tests need it"},
	{"github.com/chromedp", "only tests need it"},
}

// dependency is a package that the host is built of, and what it imports.
type dependency struct {
	path    string
	imports []string
}

func hostDependencies(t *testing.T) []dependency {
	t.Helper()
	args := []string{"list", "-deps", "-f", "{{.ImportPath}} {{join .Imports \" \"}}"}
	if overlay(t) != nil {
		args = append(args, "-overlay", os.Getenv(overlayVariable))
	}
	cmd := exec.Command("go", append(args, "./cmd/host")...)
	cmd.Dir = ".."
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []dependency
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		list = append(list, dependency{f[0], f[1:]})
	}
	return list
}

// TestBinaryLeavesOut: what the host does not need is not compiled for it.
func TestBinaryLeavesOut(t *testing.T) {
	list := hostDependencies(t)
	if len(list) < 100 {
		t.Fatalf("go list names %d packages; expected those of the whole host", len(list))
	}
	for _, d := range list {
		for _, k := range leftOut {
			if !within(d.path, k.pkg) {
				continue
			}
			var by []string
			for _, o := range list {
				if slices.Contains(o.imports, d.path) {
					by = append(by, o.path)
				}
			}
			t.Errorf("%s is compiled into the host, imported by %s: %s; it makes the first run longer (README.md)", d.path, strings.Join(by, ", "), k.why)
		}
	}
}

// TestInstallable: go.mod has no directive with which go install …/cmd/host@version refuses the module.
func TestInstallable(t *testing.T) {
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct{ Replace, Exclude []any }
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	if len(mod.Replace)+len(mod.Exclude) > 0 {
		t.Errorf("go.mod replaces %v and excludes %v; go install of a version allows neither, so depend on modules as they are published", mod.Replace, mod.Exclude)
	}
}
