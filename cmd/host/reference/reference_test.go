package reference_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/reference"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

var update = flag.Bool("update", false, "write what is generated into docs/")

const root = "../../.."

// load is the model of the scripts in the tree.
func load(t *testing.T) *reference.Model {
	t.Helper()
	_, src := assetstest.Open(t, assets.Options{Root: root})
	texts := map[string]string{}
	for i, s := range src {
		// The tests run below the root; what is written into the tree counts from it.
		src[i].Path, src[i].Place = strings.TrimPrefix(s.Path, root+"/"), ""
		texts[src[i].Path] = s.Text
	}
	p, diags := classfile.Load(src, classfile.Options{Cache: classfile.NewCache(scriptvm.Natives())})
	if p == nil {
		t.Fatalf("the scripts in the tree do not load: %v", diags)
	}
	return reference.Build(p.Classes, func(file string) string { return texts[file] })
}

// What stands in docs/ is what would be generated now.
func TestDocumentsAreFresh(t *testing.T) {
	m := load(t)
	page, err := apiPage(m)
	if err != nil {
		t.Fatal(err)
	}
	checks, err := checksPage(classfile.Rules())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"lua-api.md": page, "api.json": m.JSON(), "checks.md": checks} {
		fresh(t, name, want)
	}
}

// fresh compares a file below docs with what would be written now.
func fresh(t *testing.T, name string, want []byte) {
	t.Helper()
	file := filepath.Join(root, "docs", filepath.FromSlash(name))
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, want, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/%s is stale; run: go test ./cmd/host/reference -update\n%s", name, firstDifference(got, want))
	}
}

func firstDifference(got, want []byte) string {
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range w {
		if i >= len(g) || g[i] != w[i] {
			have := ""
			if i < len(g) {
				have = g[i]
			}
			return "there: " + have + "\nnow:   " + w[i]
		}
	}
	return ""
}

// Everything of the registry is on the page and in the definitions: nothing that scripts can use is undocumented.
func TestNothingIsLeftOut(t *testing.T) {
	m := load(t)
	page, err := apiPage(m)
	if err != nil {
		t.Fatal(err)
	}
	var stubs bytes.Buffer
	for _, f := range m.Stubs() {
		stubs.Write(f)
	}
	for _, f := range scriptvm.Natives().Functions() {
		if f.Doc == "" {
			t.Errorf("%s.%s has no documentation", f.Space, f.Name)
		}
		if f.Space != api.Define && !bytes.Contains(page, []byte(f.Name+"(")) {
			t.Errorf("%s.%s is not on the page", f.Space, f.Name)
		}
		if !bytes.Contains(stubs.Bytes(), []byte(f.Name+"(")) {
			t.Errorf("%s.%s is not in the definitions", f.Space, f.Name)
		}
	}
	for _, e := range api.Events() {
		if !bytes.Contains(page, []byte("`"+e.Name+"(")) || !bytes.Contains(stubs.Bytes(), []byte(":"+e.Name+"(")) {
			t.Errorf("event %s is left out", e.Name)
		}
	}
	for _, n := range engine.NativeProperties() {
		if !bytes.Contains(page, []byte("`"+n.Name+"`")) || !bytes.Contains(stubs.Bytes(), []byte("---@field "+n.Name+" ")) {
			t.Errorf("variable %s is left out", n.Name)
		}
		if n.Doc == "" {
			t.Errorf("variable %s has no documentation", n.Name)
		}
	}
	for _, c := range m.Constants {
		if !bytes.Contains(page, []byte("`"+c.Name+"`")) || !bytes.Contains(stubs.Bytes(), []byte("\n"+c.Name+" = ")) {
			t.Errorf("constant %s is left out", c.Name)
		}
	}
	for _, c := range m.Classes {
		if !bytes.Contains(stubs.Bytes(), []byte(`fun(name: "`+c.Name+`"`)) {
			t.Errorf("class %s is left out", c.Name)
		}
		if c.Doc == "" {
			t.Errorf("%s: class %s has no comment at its head", c.File, c.Name)
		}
	}
}
