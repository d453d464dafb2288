package assets_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
)

func TestSort(t *testing.T) {
	root := t.TempDir()
	for _, d := range []string{"scripts", "content", "more", "other"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := func(p string) string { return filepath.ToSlash(filepath.Join(root, p)) }
	a, err := assets.Open(assets.Options{Root: root, Scripts: []string{at("more")}, Content: at("other")})
	if err != nil {
		t.Fatal(err)
	}
	got := a.Sort([]string{
		at("scripts/core/Pawn.lua"), at("more/x/Gun.lua"), at("content/levels/arena.map"), at("other/levels/pit.map"), at("other/sounds/a/b.toml"),
		at("content/animations/run.toml"), at("content/effects/fog.toml"), at("content/materials/stone/a.toml"), at("content/input.toml"), at("content/levels/input.toml"), at("content/animations/.run.toml"), at("content/levels/autosave.txt"), at("content/levels/autosave/arena.1.map"), at("scripts/mod.toml"), at("content/x.toml"),
		at("content/sounds/boom.wav"), at("content/sounds/boom.map"), at("elsewhere/sounds/boom.toml"), at("scriptsX/Pawn.lua"),
	})
	want := assets.Saved{
		Scripts: []string{at("scripts/core/Pawn.lua"), at("more/x/Gun.lua")},
		Shown:   []string{at("other/sounds/a/b.toml"), at("content/animations/run.toml"), at("content/effects/fog.toml"), at("content/materials/stone/a.toml"), at("content/input.toml"), at("content/sounds/boom.wav")},
		Mods:    []string{at("scripts/mod.toml")},
		Levels:  []string{"arena", "pit"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if list := a.ContentFolders(); len(list) != 2 {
		t.Error(list)
	}
	for name, want := range map[string]bool{"Pawn.lua": true, "arena.map": true, "boom.toml": true, ".boom.toml": false, "#x.map": false, "boom.wav": true, "boom.wav.part": false, "boom.toml~": false} {
		if assets.Watched(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
