package scaffold_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/mods"
	"github.com/tidelock/tidelock/cmd/host/reference"
	"github.com/tidelock/tidelock/cmd/host/scaffold"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// tree is the shipped scripts, loaded.
func tree(t *testing.T) ([]classfile.Source, *reference.Model) {
	t.Helper()
	_, src := assetstest.Shipped(t)
	texts := map[string]string{}
	for _, s := range src {
		texts[s.Path] = s.Text
	}
	p, diags := classfile.Load(src, classfile.Options{Cache: classfile.NewCache(scriptvm.Natives())})
	if p == nil {
		t.Fatal(diags)
	}
	return src, reference.Build(p.Classes, func(file string) string { return texts[file] })
}

// A new class of whatever parent, and a child of that, pass the checker without a word.
func TestEveryParentGivesACleanClass(t *testing.T) {
	src, m := tree(t)
	cache := classfile.NewCache(scriptvm.Natives())
	for _, c := range m.Classes {
		text, err := scaffold.Class(m, "Brandnew", c.Name)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		with := append(src[:len(src):len(src)], classfile.Source{Path: "scripts/Brandnew.lua", Text: text})
		_, diags := classfile.Load(with, classfile.Options{Check: true, Cache: cache})
		for _, d := range diags {
			if d.Pos.File == "scripts/Brandnew.lua" {
				t.Errorf("extends %s: %s\n%s", c.Name, d, text)
			}
		}
		for i, line := range strings.Split(text, "\n") {
			if len(strings.ReplaceAll(line, "\t", "    ")) > 120 {
				t.Errorf("extends %s: line %d is long: %s", c.Name, i+1, line)
			}
		}
	}
}

func TestNames(t *testing.T) {
	_, m := tree(t)
	for _, c := range []struct{ name, parent, want string }{
		{"", "Actor", "begin with a capital"},
		{"rocket", "Actor", "begin with a capital"},
		{"Ro-cket", "Actor", "begin with a capital"},
		{"../Rocket", "Actor", "begin with a capital"},
		{strings.Repeat("R", 61), "Actor", "at most 60"},
		{"Pawn", "Actor", "scripts/core/Pawn.lua:"},
		{"Harpoon", "Projectule", `no such class; did you mean "Projectile"?`},
	} {
		if _, err := scaffold.Class(m, c.name, c.parent); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q extends %q: %v, want %q", c.name, c.parent, err, c.want)
		}
	}
	if text, err := scaffold.Class(m, "Duel", "GameMode"); err != nil || !strings.Contains(text, `class("Duel", "GameInfo")`) {
		t.Errorf("%v\n%s", err, text)
	}
	for _, name := range []string{"", "A", "a/b", "a.lua", strings.Repeat("a", 61)} {
		if _, err := scaffold.Scenario(name); err == nil {
			t.Errorf("scenario %q was taken", name)
		}
	}
}

// A new mod is a folder whose class passes the checker and whose mod.toml is one; nothing is ever written over.
func TestModIsClean(t *testing.T) {
	src, m := tree(t)
	for _, name := range []string{"low-gravity", "3d", "rocket", "a", "x_y-z"} {
		files, err := scaffold.Mod(m, name)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "deep", name)
		if err := scaffold.WriteFolder(dir, files); err != nil {
			t.Fatal(err)
		}
		var exists *scaffold.ExistsError
		if err := scaffold.WriteFolder(dir, files); !errors.As(err, &exists) {
			t.Errorf("%s: written over: %v", name, err)
		}
		with := src[:len(src):len(src)]
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(dir, f.Name))
			if err != nil || string(text) != f.Text {
				t.Errorf("%s/%s: %v", name, f.Name, err)
			}
			switch {
			case f.Name == mods.File:
				if got, err := mods.Parse(f.Name, text); err != nil || got.Name != name {
					t.Errorf("%s: %+v, %v", name, got, err)
				}
			case strings.HasSuffix(f.Name, ".lua"):
				with = append(with, classfile.Source{Path: "scripts/" + name + "/" + f.Name, Place: "mods/" + name + "/" + f.Name, Text: f.Text})
			}
		}
		if _, diags := classfile.Load(with, classfile.Options{Check: true, Cache: classfile.NewCache(scriptvm.Natives())}); len(with) != len(src)+1 || len(diags) > 0 {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
