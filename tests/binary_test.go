package tests

import (
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
	{"database/sql", "the collectors of the Go runtime and the process are those of client_golang/prometheus"},
	{"encoding/xml", "content is .map and TOML"},
	{"testing", "test helpers stay in tests"},
	{"github.com/klauspost/reedsolomon", "the link uses no error correction; netcode/kcplink/unused takes its place"},
	{"github.com/tjfoc/gmsm", "the link does not use this cipher; netcode/kcplink/unused takes its place"},
	{"golang.org/x/tools", "only tools need it"},
	{"github.com/evanw/esbuild", "only .ci/three/make needs it: it takes a minute to compile"},
	{"pgregory.net/rapid", "only tests need it"},
	{"github.com/rogpeppe/go-internal", "only tests need it"},
	{"github.com/chromedp", "only tests need it"},
}

// dependency is a package that the host is built of: its path, its module, what replaces the module, and what it imports.
type dependency struct {
	path, replaced string
	imports        []string
}

func hostDependencies(t *testing.T) []dependency {
	t.Helper()
	args := []string{"list", "-deps", "-f", "{{.ImportPath}}\t{{with .Module}}{{with .Replace}}{{.Path}}{{end}}{{end}}\t{{join .Imports \" \"}}"}
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
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		list = append(list, dependency{f[0], f[1], strings.Fields(f[2])})
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
			if !within(d.path, k.pkg) || strings.HasPrefix(d.replaced, "./") {
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
