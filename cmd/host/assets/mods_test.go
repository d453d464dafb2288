package assets_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// toml is a mod.toml.
func toml(name, version string, requires ...string) string {
	list := ""
	for _, r := range requires {
		list += fmt.Sprintf("%q,", r)
	}
	return fmt.Sprintf("name = %q\nversion = %q\nrequires = [%s]\n", name, version, list)
}

// open opens what is in a folder, broken mods or not.
func open(t *testing.T, o assets.Options) *assets.Assets {
	t.Helper()
	o.KeepGoing = true
	a, err := assets.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// places are a script set without what is built in: place, first line, and layer where it is none of the game's.
func places(t *testing.T, a *assets.Assets, snapshot map[string]map[string]string) string {
	t.Helper()
	list, err := a.Scripts(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	builtIn, err := open(t, assets.Options{Root: t.TempDir()}).Scripts(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range list {
		if !slices.ContainsFunc(builtIn, func(b assets.Script) bool { return b.Text == s.Text }) {
			line := s.Place + "=" + s.Text
			if trust := classfile.TrustOf(s.Place); trust.Layer != classfile.LayerGame {
				line += "[" + trust.String() + "]"
			}
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func names(list []assets.Mod) string {
	var out []string
	for i := range list {
		out = append(out, list[i].Title())
	}
	return strings.Join(out, ", ")
}

func problems(a *assets.Assets, root string) string {
	var out []string
	for _, p := range a.Problems() {
		out = append(out, strings.ReplaceAll(p.Error(), filepath.ToSlash(root)+"/", ""))
	}
	return strings.Join(out, "\n")
}

func news(a *assets.Assets, root string) string {
	var out []string
	for _, n := range a.News() {
		line := strings.ReplaceAll(n.Text, filepath.ToSlash(root)+"/", "")
		if n.Bad {
			line = "! " + line
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// A file belongs to the layer of its folder, even where it replaces one of core; what has no mod.toml is the game's.
func TestLayers(t *testing.T) {
	root := tree(t, map[string]string{
		"scripts/Rocket.lua": "game", "scripts/shooter/Gun.lua": "game", "scripts/lib/own.lua": "lib", "scripts/core/Extra.lua": "core",
		"scripts/hats/mod.toml": toml("hats", "1.0", "caps"), "scripts/hats/Hat.lua": "hat", "scripts/hats/core/Pawn.lua": "hatted",
		"scripts/hats/lib/hats/brim.lua": "brim", "scripts/hats/content/Decoy.lua": "decoy", "scripts/hats/deep/er/Plume.lua": "plume",
		"scripts/sub/folder/caps/mod.toml": toml("caps", "2"), "scripts/sub/folder/caps/Cap.lua": "cap", "scripts/sub/folder/Game.lua": "game too",
		"scripts/mods/plain/Plain.lua": "plain", "scripts/mods/Loose.lua": "loose",
		"given/Given.lua": "given", "given/shooter/Gun.lua": "gun of given", "given/inner/mod.toml": toml("inner", "1"), "given/inner/In.lua": "in",
	})
	a := open(t, assets.Options{Root: root, Scripts: []string{filepath.Join(root, "given")}})
	want := strings.Join([]string{
		"Rocket.lua=game", "core/Extra.lua=core[core]", "lib/own.lua=lib[core]", "mods/Loose.lua=loose", "mods/caps/Cap.lua=cap[mod caps]",
		"mods/given/Given.lua=given[mod given]", "mods/given/shooter/Gun.lua=gun of given[mod given]", "mods/hats/Hat.lua=hat[mod hats]",
		"mods/hats/core/Pawn.lua=hatted[mod hats]", "mods/hats/deep/er/Plume.lua=plume[mod hats]", "mods/hats/lib/hats/brim.lua=brim[mod hats]",
		"mods/inner/In.lua=in[mod inner]", "mods/plain/Plain.lua=plain[mod plain]", "sub/folder/Game.lua=game too",
	}, " ")
	if got := places(t, a, nil); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := names(a.Used()), "caps 2, given, hats 1.0, inner 1, plain"; got != want || problems(a, root) != "" {
		t.Errorf("mods %s, want %s; %s", got, want, problems(a, root))
	}
	list, _ := a.Scripts(nil)
	if s, ok := find(list, "brim.lua"); !ok || s.Lib != "lib.hats.brim" || !strings.HasSuffix(s.Path, "scripts/hats/lib/hats/brim.lua") {
		t.Errorf("brim: %+v", s)
	}
	if s, ok := find(list, "core/Pawn.lua"); !ok || s.Text != "hatted" {
		t.Errorf("the mod's Pawn does not replace the core's: %+v", s.Path)
	}
	// A folder that lies in one that is looked into already counts once.
	if again := open(t, assets.Options{Root: root, Scripts: []string{filepath.Join(root, "scripts", "hats")}}); len(again.Folders()) != 1 || problems(again, root) != "" {
		t.Errorf("%v %s", again.Folders(), problems(again, root))
	}
}

// A later mod replaces the file of an earlier one; where it does not require that mod, it is said.
func TestModsReplace(t *testing.T) {
	root := tree(t, map[string]string{
		"scripts/a/mod.toml": toml("a", "1"), "scripts/a/Hat.lua": "a", "scripts/a/Cap.lua": "a",
		"scripts/b/mod.toml": toml("b", "1", "a"), "scripts/b/Hat.lua": "b",
		"scripts/c/mod.toml": toml("c", "1"), "scripts/c/Cap.lua": "c",
	})
	a := open(t, assets.Options{Root: root})
	if got, want := places(t, a, nil), "mods/b/Hat.lua=b[mod b] mods/c/Cap.lua=c[mod c]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	notes := a.Notes()
	if len(notes) != 1 || !strings.HasSuffix(notes[0].Error(), "scripts/c/Cap.lua: it replaces the file of the mod a, which the mod c does not require; rename one of them, or require it") {
		t.Errorf("%v", notes)
	}
}

func TestModsThatAreOff(t *testing.T) {
	root := tree(t, map[string]string{
		"scripts/a/mod.toml": toml("a", "1"), "scripts/a/A.lua": "a", "scripts/b/mod.toml": toml("b", "1"), "scripts/b/B.lua": "b", "scripts/b/content/input.toml": "b",
	})
	a := open(t, assets.Options{Root: root, Off: []string{"b"}})
	if got := places(t, a, nil); got != "mods/a/A.lua=a[mod a]" || names(a.Used()) != "a 1" || names(a.Mods()) != "a 1, b 1" {
		t.Error(got, names(a.Mods()))
	}
	if data, err := fs.ReadFile(a.Content(), "input.toml"); err == nil && string(data) == "b" {
		t.Error("the content of a mod that is off is used")
	}
	a.TurnOff([]string{"a"})
	if got := places(t, a, nil); got != "mods/b/B.lua=b[mod b]" {
		t.Error(got)
	}
	if got, want := news(a, root), "mod b 1 is new, in scripts/b\nmod a 1 is no longer used"; got != want {
		t.Errorf("news %q, want %q", got, want)
	}
}

// The content of mods is looked up before the host's, the last mod's first, and messages name the file where it is.
func TestContentOfMods(t *testing.T) {
	root := tree(t, map[string]string{
		"content/sounds/x.toml": "host", "content/sounds/y.toml": "host", "content/sounds/z.toml": "host", "own/sounds/x.toml": "own", "own/sounds/z.toml": "own",
		"scripts/a/mod.toml": toml("a", "1"), "scripts/a/content/sounds/x.toml": "a", "scripts/a/content/sounds/y.toml": "a", "scripts/a/content/levels/new.map": "a",
		"scripts/b/mod.toml": toml("b", "1"), "scripts/b/content/sounds/x.toml": "b",
	})
	a := open(t, assets.Options{Root: root, Content: filepath.Join(root, "own")})
	for name, want := range map[string]string{"sounds/x.toml": "b", "sounds/y.toml": "a", "sounds/z.toml": "own", "levels/new.map": "a"} {
		if data, err := fs.ReadFile(a.Content(), name); err != nil || string(data) != want {
			t.Errorf("%s is %q, want %q; %v", name, data, want, err)
		}
	}
	path := a.Content().(interface{ Path(name string) string }).Path
	for name, want := range map[string]string{"sounds/x.toml": "scripts/b/content/sounds/x.toml", "sounds/z.toml": "content/sounds/z.toml", "none.toml": "content/none.toml"} {
		if got := strings.ReplaceAll(path(name), filepath.ToSlash(root)+"/", ""); got != want {
			t.Errorf("%s is named %s, want %s", name, got, want)
		}
	}
	if levels, err := fs.Glob(a.Content(), "levels/*.map"); err != nil || !slices.Contains(levels, "levels/new.map") || !slices.Contains(levels, "levels/arena.map") {
		t.Errorf("levels %v %v", levels, err)
	}
	at := func(p string) string { return filepath.ToSlash(filepath.Join(root, p)) }
	got := a.Sort([]string{at("scripts/a/content/sounds/x.toml"), at("scripts/a/content/levels/new.map"), at("scripts/a/content/No.lua"), at("scripts/a/A.lua"), at("scripts/a/mod.toml"), at("scripts/new/mod.toml")})
	if len(got.Shown) != 1 || len(got.Scripts) != 1 || len(got.Mods) != 2 || fmt.Sprint(got.Levels) != "[new]" {
		t.Errorf("%+v", got)
	}
}

// What is wrong with mods is a line each, and a start is refused by the first of them.
func TestBrokenMods(t *testing.T) {
	root := tree(t, map[string]string{
		"scripts/a/mod.toml": "name = 1", "scripts/a/A.lua": "a",
		"scripts/b/mod.toml": toml("b", "1", "none"), "scripts/b/B.lua": "b",
		"scripts/c/mod.toml": toml("b", "1"), "scripts/c/C.lua": "c",
		"scripts/d/mod.toml": toml("d", "1"), "scripts/d/D.lua": "d", "scripts/d/inner/mod.toml": toml("x", "1"), "scripts/d/inner/X.lua": "x",
		"scripts/e/mod.toml/readme": "a folder of that name", "scripts/e/E.lua": "e",
		"scripts/mod.toml": toml("all", "1"),
	})
	a := open(t, assets.Options{Root: root})
	if got, want := problems(a, root), strings.Join([]string{
		"scripts/mod.toml: this folder holds the game and its mods and is not a mod itself; move the mod into a folder of its own",
		"scripts/a/mod.toml:1: name: expected a text: name = \"hats\"",
		"scripts/e/mod.toml: not a file; write name, version and requires into a file of that name",
		"scripts/d/inner/mod.toml: a mod inside of the mod d; move its folder out",
		"scripts/c/mod.toml: mod b already exists, in scripts/b; give one of them another name or remove it",
		"scripts/b/mod.toml: mod b requires none, which is not there; add its folder",
	}, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := places(t, a, nil); got != "mods/d/D.lua=d[mod d] mods/d/inner/X.lua=x[mod d]" {
		t.Error(got)
	}
	_, err := assets.Open(assets.Options{Root: root})
	var bad *assets.ModsError
	if !errors.As(err, &bad) || len(bad.Problems) != 6 || strings.Contains(err.Error(), "\n") || !strings.HasSuffix(err.Error(), "(and 5 more: `host mods` lists them)") {
		t.Error(err)
	}
}

// saveOdd writes a file of a name that not every system has.
func saveOdd(t *testing.T, root, name, text string) {
	t.Helper()
	p := filepath.Join(root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
		t.Skip("no such names here: ", err)
	}
}

// Nothing of a mod is read that lies outside of its folder.
func TestModsAreContained(t *testing.T) {
	root := tree(t, map[string]string{
		"secret.lua": "secret", "secret.toml": toml("secret", "1"), "private/sounds/x.toml": "secret",
		"scripts/a/mod.toml": toml("a", "1"), "scripts/a/real/Real.lua": "real", "scripts/a/content/sounds/y.toml": "y",
		"scripts/b/mod.toml": toml("b", "1"), "scripts/b/B.lua": "b", "scripts/c/C.lua": "c",
	})
	link := func(to, at string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(root, filepath.FromSlash(at))); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	link("../../secret.lua", "scripts/a/Out.lua")
	link(filepath.Join(root, "secret.lua"), "scripts/a/Absolute.lua")
	link("real/Real.lua", "scripts/a/In.lua")
	link("../../private", "scripts/a/folder")
	link("../../../../private/sounds/x.toml", "scripts/a/content/sounds/x.toml")
	link("../../private", "scripts/b/content")
	link("../../secret.toml", "scripts/c/mod.toml")
	for name, text := range map[string]string{"scripts/a/x\nERR.lua": "x", "scripts/a/content/sounds/\x1b[2J.toml": "x", "scripts/z\r/mod.toml": "x", "scripts/z\r/Z.lua": "z"} {
		saveOdd(t, root, name, text)
	}
	a := open(t, assets.Options{Root: root})
	const says = ": a link that leads out of the mod's folder; put the file itself there"
	const name = ": a name with control characters; rename it"
	if data, err := fs.ReadFile(a.Content(), "sounds/\x1b[2J.toml"); err == nil || strings.ContainsRune(err.Error(), '\x1b') || !strings.HasSuffix(err.Error(), name) {
		t.Error(string(data), err)
	}
	want := strings.Join([]string{
		"scripts/b/content" + says, "scripts/c/mod.toml" + says, `"scripts/z\r"` + name, `"scripts/a/x\nERR.lua"` + name, "scripts/a/Absolute.lua" + says, "scripts/a/Out.lua" + says,
	}, "\n")
	if got := problems(a, root); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	set := "mods/a/In.lua=real[mod a] mods/a/real/Real.lua=real[mod a] mods/b/B.lua=b[mod b]"
	if got := places(t, a, nil); got != set {
		t.Error(got)
	}
	for _, name := range []string{"sounds/x.toml", "../../../secret.lua"} {
		if data, err := fs.ReadFile(a.Content(), name); err == nil {
			t.Errorf("%s is %q", name, data)
		}
	}
	if _, err := fs.ReadFile(a.Content(), "sounds/x.toml"); !strings.HasSuffix(err.Error(), "scripts/a/content/sounds/x.toml"+says) {
		t.Error(err)
	}
	if data, err := fs.ReadFile(a.Content(), "sounds/y.toml"); err != nil || string(data) != "y" {
		t.Error(string(data), err)
	}
	// A link that comes later takes nothing of the host's content away.
	if err := os.RemoveAll(filepath.Join(root, "scripts", "a", "content")); err != nil {
		t.Fatal(err)
	}
	link("../../private", "scripts/a/content")
	if _, err := fs.Stat(a.Content(), "levels/arena.map"); err != nil {
		t.Error(err)
	}
	if data, err := fs.ReadFile(a.Content(), "sounds/x.toml"); err == nil {
		t.Errorf("%q", data)
	}
	if err := os.Remove(filepath.Join(root, "scripts", "a", "content")); err != nil {
		t.Fatal(err)
	}
	// What package watch read through such a link is not used either.
	dir := filepath.Join(root, "scripts")
	snapshot := map[string]map[string]string{dir: {
		"a/mod.toml": toml("a", "1"), "a/Out.lua": "secret", "a/Absolute.lua": "secret", "a/In.lua": "real", "a/real/Real.lua": "real", "a/content/sounds/x.toml": "secret",
		"b/mod.toml": toml("b", "1"), "b/B.lua": "b", "c/mod.toml": toml("secret", "1"), "c/C.lua": "c",
	}}
	if got := places(t, a, snapshot); got != set {
		t.Error(got)
	}
}

// While a host runs a mod may come, change and go, and be broken in between: the others go on, and each is said once.
func TestModsChange(t *testing.T) {
	root := tree(t, map[string]string{"scripts/a/mod.toml": toml("a", "1"), "scripts/a/A.lua": "a", "scripts/G.lua": "g"})
	a := open(t, assets.Options{Root: root})
	dir := filepath.Join(root, "scripts")
	look := func(files map[string]string, wantSet, wantNews string) {
		t.Helper()
		for _, disk := range []bool{false, true} { // as package watch found it, and from disk
			snapshot := map[string]map[string]string{dir: files}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			fill(t, dir, files)
			if disk {
				snapshot = nil
			}
			if got := places(t, a, snapshot); got != wantSet {
				t.Errorf("disk %v: got  %s\nwant %s", disk, got, wantSet)
			}
			if got := news(a, root); got != wantNews {
				t.Errorf("disk %v: news %q, want %q", disk, got, wantNews)
			}
			wantNews = "" // it is told once
		}
	}
	files := map[string]string{"a/mod.toml": toml("a", "1"), "a/A.lua": "a", "G.lua": "g"}
	look(files, "G.lua=g mods/a/A.lua=a[mod a]", "")
	files["b/B.lua"], files["b/notes.toml"] = "b", "x"
	look(files, "G.lua=g b/B.lua=b mods/a/A.lua=a[mod a]", "")
	files["b/mod.toml"] = toml("b", "1.0")
	look(files, "G.lua=g mods/a/A.lua=a[mod a] mods/b/B.lua=b[mod b]", "mod b 1.0 is new, in scripts/b")
	files["b/mod.toml"], files["b/B.lua"] = "name = ", "b2"
	const set = "G.lua=g mods/a/A.lua=a[mod a] mods/b/B.lua=b2[mod b]"
	look(files, set, "! scripts/b/mod.toml:1: unexpected EOF; expected value; fix or remove the line; the mod stays as it was until the file is fixed")
	files["b/mod.toml"] = toml("b", "1.1")
	look(files, set, "mod b: version 1.0 → 1.1")
	files["c/mod.toml"], files["c/C.lua"] = toml("c", "1", "none"), "c"
	look(files, set, "! scripts/c/mod.toml: mod c requires none, which is not there; add its folder")
	files["0/mod.toml"], files["0/Z.lua"] = toml("b", "9"), "z"
	look(files, set, "! scripts/0/mod.toml: mod b already exists, in scripts/b; give one of them another name or remove it")
	for _, name := range []string{"0/mod.toml", "0/Z.lua", "b/mod.toml", "b/B.lua", "b/notes.toml", "c/mod.toml", "c/C.lua"} {
		delete(files, name)
	}
	look(files, "G.lua=g mods/a/A.lua=a[mod a]", "mod b 1.1 is no longer used")
}
