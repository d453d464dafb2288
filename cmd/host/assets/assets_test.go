package assets_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
)

// tree writes files (path → text) into a fresh folder and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	fill(t, dir, files)
	return dir
}

func fill(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// find is the script at a place below its folder, and whether there is one.
func find(list []assets.Script, suffix string) (assets.Script, bool) {
	for _, s := range list {
		if strings.HasSuffix(s.Path, suffix) {
			return s, true
		}
	}
	return assets.Script{}, false
}

func scriptsOf(t *testing.T, o assets.Options) []assets.Script {
	t.Helper()
	a, err := assets.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	list, err := a.Scripts(nil)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestFolderAddsOrReplaces(t *testing.T) {
	if a, err := assets.Open(assets.Options{Root: t.TempDir()}); err != nil || len(a.Folders()) != 0 {
		t.Errorf("nothing to watch, got %v, %v", a.Folders(), err)
	} else if s, c := a.Origin(); s != "built in" || c != "built in" {
		t.Errorf("origin %q %q", s, c)
	}
	adds := tree(t, map[string]string{"scripts/Rocket.lua": "r"})
	list := scriptsOf(t, assets.Options{Root: adds})
	if _, ok := find(list, "core/Actor.lua"); !ok {
		t.Error("a folder without core should add to the built-in classes")
	}
	if _, ok := find(list, "scripts/Rocket.lua"); !ok {
		t.Error("Rocket.lua is missing")
	}

	whole := tree(t, map[string]string{"scripts/core/Actor.lua": "own", "scripts/Rocket.lua": "r"})
	list = scriptsOf(t, assets.Options{Root: whole})
	if len(list) != 2 || list[1].Text != "own" {
		t.Errorf("a folder with core/Actor.lua should stand alone: %+v", list)
	}

	// The same place in a later folder replaces the file; the rest stays.
	mod := tree(t, map[string]string{"Rocket.lua": "faster", "lib/geo.lua": "m", "lib/deep/er.lua": "m"})
	list = scriptsOf(t, assets.Options{Root: whole, Scripts: []string{mod}})
	if len(list) != 4 {
		t.Fatalf("got %d files", len(list))
	}
	if s, _ := find(list, "Rocket.lua"); s.Text != "faster" || !strings.HasPrefix(s.Path, filepath.ToSlash(mod)) {
		t.Errorf("Rocket: %+v", s)
	}
	if s, _ := find(list, "geo.lua"); s.Lib != "lib.geo" {
		t.Errorf("lib name %q", s.Lib)
	}
	if s, _ := find(list, "er.lua"); s.Lib != "lib.deep.er" {
		t.Errorf("lib name %q", s.Lib)
	}

	// The given folder is ./scripts itself: once, not twice.
	a, err := assets.Open(assets.Options{Root: whole, Scripts: []string{filepath.Join(whole, "scripts")}})
	if err != nil || len(a.Folders()) != 1 {
		t.Errorf("%v %v", a.Folders(), err)
	}
}

func TestWhatIsNotAScriptIsLeftOut(t *testing.T) {
	root := tree(t, map[string]string{
		"scripts/core/Actor.lua": "a", "scripts/.Rocket.lua.swp": "x", "scripts/.#Rocket.lua": "x", "scripts/#R#.lua": "x",
		"scripts/Rocket.lua~": "x", "scripts/.git/Hook.lua": "x", "scripts/README.md": "x", "scripts/4913": "x",
	})
	if err := os.Mkdir(filepath.Join(root, "scripts", "Folder.lua"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("core", "Actor.lua"), filepath.Join(root, "scripts", "Link.lua")); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := os.Symlink(".", filepath.Join(root, "scripts", "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(root, "scripts", "Dangling.lua")); err != nil {
		t.Fatal(err)
	}
	list := scriptsOf(t, assets.Options{Root: root})
	if len(list) != 2 {
		t.Errorf("want Link.lua and core/Actor.lua, got %+v", list)
	}
}

func TestMissingFolderIsAnError(t *testing.T) {
	file := filepath.Join(tree(t, map[string]string{"f": ""}), "f")
	for _, o := range []assets.Options{{Scripts: []string{"no/such"}}, {Content: "no/such"}, {Scripts: []string{file}}, {Content: file}} {
		_, err := assets.Open(o)
		var m *assets.MissingError
		if !errors.As(err, &m) {
			t.Errorf("%+v: got %v", o, err)
		}
	}
}
